/** Which surveys a list has: the filters of `listSurveys`, as a client sends them and as SQL. */
import type { Request } from '../api/handler.ts';
import { type IdValues, idPlaces, idValues } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { contains, textAfter, textIn } from '../database/text.ts';
import { timestamp } from '../database/time.ts';
import { searchable } from './search.ts';

type Query = Request<'listSurveys'>['query'];

/** The filters in use. */
export interface Filters {
  /** As it is looked for in `search_text`. */
  q?: string;
  ids?: readonly number[];
  base_language?: string;
  language?: string;
  disabled?: boolean;
  created_since?: string;
  updated_since?: string;
}

/** What the query of a request says about filters; undefined when it has none. Times get the form of stored ones. */
export function filtersIn(query: Query): Filters | undefined {
  const { q, ids, base_language, language, disabled, created_since, updated_since } = query;
  const filters = {
    ...(q !== undefined && { q: searchable(q) }),
    ...(ids !== undefined && { ids: [...new Set(ids.split(',').map(Number))].sort((one, other) => one - other) }),
    ...(base_language !== undefined && { base_language }),
    ...(language !== undefined && { language }),
    ...(disabled !== undefined && { disabled }),
    ...(created_since !== undefined && { created_since: storedTime(created_since) }),
    ...(updated_since !== undefined && { updated_since: storedTime(updated_since) }),
  };
  return Object.keys(filters).length === 0 ? undefined : filters;
}

/** The last moment that a stored time can name. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time of RFC 3339 as it would be stored. A leap second, which JavaScript does not know, is the second before. */
function storedTime(text: string): string {
  return timestamp(new Date(Math.min(Date.parse(text.replace(':60', ':59')), lastTime)));
}

/** The surveys that a caller sees: all of them for editors, otherwise those that are not disabled. */
export function visible(query: Db['query'], editor: boolean) {
  return query.selectFrom('surveys').$if(!editor, (surveys) => surveys.where('disabled', '=', 0));
}

/** What the SQL of filters is run with: their values as they are stored, and the identifiers as `id0`, `id1`, … */
export type FilterValues = Required<Omit<Filters, 'ids' | 'disabled'>> & { disabled: 0 | 1 } & IdValues;

/** The values of those filters that are in use. */
export function valuesOf(filters: Filters): Partial<FilterValues> {
  const { ids, language, disabled, ...others } = filters;
  return {
    ...others,
    ...(language !== undefined && { language: JSON.stringify(language) }),
    ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
    ...(ids && idValues(placesFor(ids), ids)),
  };
}

/** Names all that the SQL of these filters depends on: which are in use, and for how many identifiers it has places. */
export function shapeOf(filters: Filters): string {
  return `${Object.keys(filters).sort()} ${placesFor(filters.ids ?? []).length}`;
}

/** The places for the values of identifiers: of few different numbers, so that the same SQL comes again and again. */
function placesFor(ids: readonly number[]) {
  return idPlaces(2 ** Math.ceil(Math.log2(Math.max(1, ids.length))));
}

/**
 * The surveys that this caller sees and that fit the filters; `value` has the places for their values. On SQLite all that
 * filters look at is in the index `surveys_list`; PostgreSQL reads the rows, which are short there.
 */
export function filtered(query: Db['query'], editor: boolean, filters: Filters, value: FilterValues) {
  const { q, ids, base_language, language, disabled, created_since, updated_since } = filters;
  return visible(query, editor)
    .$if(ids !== undefined, (surveys) =>
      surveys.where(
        'id',
        'in',
        placesFor(ids!).map((place) => value[place]!),
      ),
    )
    .$if(base_language !== undefined, (surveys) => surveys.where('base_language', '=', value.base_language))
    .$if(language !== undefined, (surveys) =>
      surveys.where(contains(textAfter('"available":', 'enabled_languages'), value.language)),
    )
    .$if(disabled !== undefined, (surveys) => surveys.where('disabled', '=', value.disabled))
    .$if(created_since !== undefined, (surveys) => surveys.where('created', '>=', value.created_since))
    .$if(updated_since !== undefined, (surveys) =>
      surveys.where((survey) => survey.fn.coalesce('updated', 'created'), '>=', value.updated_since),
    )
    .$if(q !== undefined, (surveys) => surveys.where(contains(textIn(['search_text']), value.q)));
}
