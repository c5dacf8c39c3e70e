/** How surveys are read: the queries. Each is compiled when it is first needed, and then only gets other values. */
import type { Caller } from '../api/caller.ts';
import { type IdValues, idPlaces, idValues } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { order } from '../database/order.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import type { StoredSurvey, SurveyRow } from '../database/tables.ts';
import { bytesIn, sizeOf, type TextColumns, textIn } from '../database/text.ts';
import { nullableText } from './column.ts';
import { type DigestedRow, digestChecker } from './digests.ts';
import { visible } from './filters.ts';
import { type SortableMember, surveyMembers } from './members.ts';
import { Memo } from './memo.ts';
import { allowedPrivileges, type SurveyText, surveyWriter } from './record.ts';
import { type Revised, variantName } from './revision.ts';
import { allMembers, type Member } from './selection.ts';

type Builder = Db['query'];

/** How many surveys are read at once, and so held in memory while a long list is being sent. */
export const chunkSize = 20;

const places = idPlaces(chunkSize);

/** The values for `byIds`. */
export function chunkOf(ids: readonly number[]): IdValues {
  return idValues(places, ids);
}

/** Above this size, in bytes, a survey in a list is read alone. */
const maxShortSize = 2 ** 15;

/** A survey as it is read. One that is read alone has its tasks as bytes, which are checked before they are decoded. */
type Row = Partial<Omit<SurveyRow, 'tasks'>> & Pick<StoredSurvey, 'id' | 'digests'> & { tasks?: Buffer | string };

/**
 * A survey as it is read in a list: `size` is how many bytes its long members have, undefined when none is wanted.
 * When that is too much, they are not here, so the row cannot be shown; the survey is to be read alone.
 */
export interface ListRow extends Row {
  size?: number;
  /** In a page, how many surveys its whole list has. */
  visible?: number;
}

/** Whether this survey is to be read alone. */
export function isLong({ size = 0 }: ListRow): boolean {
  return size > maxShortSize;
}

/** How surveys are read with certain members and for certain callers: the queries, and what makes rows into text. */
export interface SurveyReader {
  byId: PreparedQuery<{ id: number }, Row & Revised>;
  /** What tells the state of a survey, without the survey. */
  revision: PreparedQuery<{ id: number }, Revised & DigestedRow>;
  /** @throws StorageError when the row is not as it was stored. */
  checkRevision: (row: Revised & DigestedRow) => void;
  /** Names what this reader shows of a survey, in entity tags. */
  variant: string;
  byIds: PreparedQuery<IdValues, ListRow>;
  /** One chunk of a list that is sorted by this member, then by `id`. */
  page: (orderby: SortableMember, descending: boolean) => PreparedQuery<{ limit: number; offset: number }, ListRow>;
  /** @throws StorageError when the row is not as it was stored. */
  toText: (row: Row) => SurveyText;
  /** The same for a row that was not read from the database. */
  write: (row: Partial<SurveyRow>) => SurveyText;
}

// `only` can name more combinations than anyone uses, and a query takes some kilobytes.
const readers = new Memo<SurveyReader>(100);
const pageQueries = new Memo<ReturnType<SurveyReader['page']>>(200);

/** The reader for these members, as far as this caller may see them. */
export function surveyReader(members: readonly Member[], caller: Caller): SurveyReader {
  const key = `${caller.may('surveys:write')} ${caller.may('surveys:delete')} ${members}`;
  return readers.get(key, () => makeReader(key, members, caller));
}

type Column = Exclude<Member, 'id' | 'allowed_privileges'>;

function makeReader(key: string, members: readonly Member[], caller: Caller): SurveyReader {
  const editor = caller.may('surveys:write');
  const shown = members.filter((member) => member !== 'allowed_privileges' && member !== 'id');
  // Whether others than editors see a survey is checked too.
  const columns = [...new Set([...shown, ...(editor ? [] : ['disabled' as const])] as const)];
  const check = digestChecker(['id', ...columns], !editor);
  const write = surveyWriter(members, allowedPrivileges(caller));
  const source = (name: Column): TextColumns => (name === 'tasks' && !editor ? ['published_tasks', 'tasks'] : [name]);
  const long = columns.filter((name) => longMembers.has(name));
  const unrevised = columns.filter((name) => !isRevised(name));
  const withColumns = (surveys: ReturnType<typeof visible>) =>
    surveys
      .select(['id', 'digests', ...revisedColumns])
      .select(
        unrevised.map((name) => (name === 'tasks' ? bytesIn(source(name)).as(name) : textIn(source(name)).as(name))),
      );
  /** With columns that a chunk of a list can hold in memory. */
  const inList = (surveys: ReturnType<typeof visible>) =>
    surveys
      .select(['id', 'digests'])
      .select(columns.map((name) => textIn(source(name), longMembers.has(name) ? maxShortSize : undefined).as(name)))
      .$if(long.length > 0, (rows) => rows.select(sizeOf(long.map(source)).as('size')));
  return {
    byId: prepared((query, value) => withColumns(visible(query, editor).where('id', '=', value.id))),
    revision: prepared((query, value) =>
      visible(query, editor)
        .select(['id', 'digests', 'disabled', ...revisedColumns])
        .where('id', '=', value.id),
    ),
    checkRevision: checkRevised,
    variant: variantName(`${key} ${allowedPrivileges(caller)}`),
    byIds: prepared((query, value) =>
      inList(
        visible(query, editor).where(
          'id',
          'in',
          places.map((place) => value[place]!),
        ),
      ),
    ),
    page: (orderby, descending) =>
      pageQueries.get(`${key} ${orderby} ${descending}`, () =>
        prepared((query, { limit, offset }) => {
          const surveys = ordered(query, editor, orderby, descending);
          const page = surveys.limit(limit).offset(offset);
          // Otherwise SQLite would sort the surveys with all their tasks, those before the offset included.
          const found = orderby === 'id' ? page : surveys.where('id', 'in', page.select('id'));
          return inList(found).select(countVisible(query, editor).as('visible'));
        }),
      ),
    toText: (row) => {
      check(row);
      const { tasks } = row;
      return write((typeof tasks === 'object' ? { ...row, tasks: tasks.toString() } : row) as Partial<SurveyRow>);
    },
    write,
  };
}

/** How many surveys these callers see. */
function countVisible(query: Builder, editor: boolean) {
  return query
    .selectFrom('survey_counts')
    .select(({ cast, fn, lit }) => cast<number>(fn.coalesce(fn.sum('total'), lit(0)), 'bigint').as('visible'))
    .$if(!editor, (counts) => counts.where('disabled', '=', 0));
}

const revisedColumns = ['revision', 'created', 'updated'] as const;

function isRevised(name: Column): boolean {
  return (revisedColumns as readonly string[]).includes(name);
}

const checkRevised = digestChecker(['id', 'disabled', ...revisedColumns]);

/** The members that can be long: others are bounded by the contract, to some hundred characters at most. */
const longMembers: ReadonlySet<Member> = new Set(
  allMembers.filter((member) => member === 'description' || surveyMembers[member].kind === 'relation'),
);

/** There are fewer than this: members to sort by, and three booleans. */
const idsQueries = new Memo<PreparedQuery<{ limit: number; offset: number; last: number }, { id: number }>>(200);

/**
 * The query for the identifiers of a list in this order: from the beginning, or, when it is `continued`, those that
 * come after `last`. Only a list that is sorted by `id` can be continued.
 */
export function idsQuery(orderby: SortableMember, descending: boolean, editor: boolean, continued: boolean) {
  return idsQueries.get(`${orderby} ${descending} ${editor} ${continued}`, () =>
    prepared((query, { limit, offset, last }) =>
      ordered(query, editor, orderby, descending)
        .select('id')
        .$if(continued, (surveys) => surveys.where('id', descending ? '<' : '>', last))
        .limit(limit)
        .offset(offset),
    ),
  );
}

/** Whether the column of a member can be null. */
export function hasNulls(member: SortableMember): boolean {
  return surveyMembers[member].column === nullableText;
}

function ordered(query: Builder, editor: boolean, orderby: SortableMember, descending: boolean) {
  return visible(query, editor)
    .orderBy(orderby, order(descending, hasNulls(orderby)))
    .$if(orderby !== 'id', (surveys) => surveys.orderBy('id'));
}
