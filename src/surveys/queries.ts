/** How surveys are read: the queries. Each is compiled when it is first needed, and then only gets other values. */
import type { Caller } from '../api/caller.ts';
import type { Db } from '../database/database.ts';
import { firstTextBytes, textBytes } from '../database/digest.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import type { StoredSurvey, SurveyRow } from '../database/tables.ts';
import { digestChecker } from './digests.ts';
import type { SortableMember } from './members.ts';
import { allowedPrivileges, type SurveyText, surveyWriter } from './record.ts';
import type { Member } from './selection.ts';

type Builder = Db['query'];

/** How many surveys are read at once, and so held in memory while a long list is being sent. */
export const chunkSize = 20;

/** The places for the identifiers of one chunk: `id0`, `id1`, … */
const chunkSlots = Array.from({ length: chunkSize }, (_, at) => `id${at}`);

/** The values for `byIds`. */
export function chunkOf(ids: readonly number[]): Record<string, number> {
  // No survey has the identifier 0, so it fills the places that are not needed.
  return Object.fromEntries(chunkSlots.map((slot, at) => [slot, ids[at] ?? 0]));
}

/** A survey as it is read: its tasks are bytes, which are checked before they are decoded. */
type Row = Partial<Omit<SurveyRow, 'tasks'>> & Pick<StoredSurvey, 'id' | 'digests'> & { tasks?: Buffer };

/** How surveys are read with certain members and for certain callers: the queries, and what makes rows into text. */
export interface SurveyReader {
  byId: PreparedQuery<{ id: number }, Row>;
  byIds: PreparedQuery<Record<string, number>, Row>;
  /** One chunk of a list that is sorted by this member, then by `id`. */
  page: (orderby: SortableMember, descending: boolean) => PreparedQuery<{ limit: number; offset: number }, Row>;
  /** @throws StorageError when the row is not as it was stored. */
  toText: (row: Row) => SurveyText;
  /** The same for a row that was not read from the database. */
  write: (row: Partial<SurveyRow>) => SurveyText;
}

/** `only` can name more combinations than anyone uses. */
const maxReaders = 200;
const readers = new Map<string, SurveyReader>();

/** The reader for these members, as far as this caller may see them. */
export function surveyReader(members: readonly Member[], caller: Caller): SurveyReader {
  const key = `${caller.may('surveys:write')} ${caller.may('surveys:delete')} ${members}`;
  let reader = readers.get(key);
  if (reader === undefined) {
    reader = makeReader(members, caller);
    if (readers.size === maxReaders) readers.delete(readers.keys().next().value!);
    readers.set(key, reader);
  }
  return reader;
}

function makeReader(members: readonly Member[], caller: Caller): SurveyReader {
  const editor = caller.may('surveys:write');
  const shown = members.filter((member) => member !== 'allowed_privileges');
  // Whether others than editors see a survey is checked too.
  const columns = [...new Set([...shown, 'id', ...(editor ? [] : ['disabled' as const])] as const)];
  const check = digestChecker(columns, !editor);
  const write = surveyWriter(members, allowedPrivileges(caller));
  const withColumns = (surveys: ReturnType<typeof visible>) =>
    surveys.select((column) =>
      [...columns, 'digests' as const].map((name) =>
        name === 'tasks'
          ? (editor ? textBytes('tasks') : firstTextBytes('published_tasks', 'tasks')).as('tasks')
          : column.ref(name).as(name),
      ),
    );
  return {
    byId: prepared((query, value) => withColumns(visible(query, editor).where('id', '=', value.id))),
    byIds: prepared((query, value) =>
      withColumns(
        visible(query, editor).where(
          'id',
          'in',
          chunkSlots.map((slot) => value[slot]!),
        ),
      ),
    ),
    page: memoize((orderby, descending) =>
      prepared((query, { limit, offset }) => {
        const surveys = ordered(query, editor, orderby, descending);
        if (orderby === 'id') return withColumns(surveys.limit(limit).offset(offset));
        // Otherwise SQLite would sort the surveys with all their tasks, those before the offset included.
        const ids = surveys.select('id').limit(limit).offset(offset);
        return withColumns(ordered(query, editor, orderby, descending).where('id', 'in', ids));
      }),
    ),
    toText: (row) => {
      check(row);
      return write({ ...row, tasks: row.tasks?.toString() } as Partial<SurveyRow>);
    },
    write,
  };
}

/**
 * The query for the identifiers of a list in this order: from the beginning, or, when it is `continued`, those that
 * come after `last`. Only a list that is sorted by `id` can be continued.
 */
export const idsQuery = memoize((orderby, descending, editor: boolean, continued: boolean) =>
  prepared((query, { limit, offset, last }: { limit: number; offset: number; last: number }) =>
    ordered(query, editor, orderby, descending)
      .select('id')
      .$if(continued, (surveys) => surveys.where('id', descending ? '<' : '>', last))
      .limit(limit)
      .offset(offset),
  ),
);

/** The surveys that editors see, or that others see. */
function visible(query: Builder, editor: boolean) {
  return query.selectFrom('surveys').$if(!editor, (surveys) => surveys.where('disabled', '=', 0));
}

function ordered(query: Builder, editor: boolean, orderby: SortableMember, descending: boolean) {
  return visible(query, editor)
    .orderBy(orderby, (order) => (descending ? order.desc().nullsLast() : order.asc().nullsFirst()))
    .$if(orderby !== 'id', (surveys) => surveys.orderBy('id'));
}

/** Keeps what `make` returned for each combination of arguments. There are few: members to sort by, and booleans. */
function memoize<More extends boolean[], T>(make: (orderby: SortableMember, descending: boolean, ...more: More) => T) {
  const made = new Map<string, T>();
  return (orderby: SortableMember, descending: boolean, ...more: More): T => {
    const key = `${orderby} ${descending} ${more}`;
    const known = made.get(key) ?? make(orderby, descending, ...more);
    made.set(key, known);
    return known;
  };
}
