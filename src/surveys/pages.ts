/** Pages of filtered lists and of lists that are followed by cursors: the SQL that finds which surveys are on them. */
import type { Db } from '../database/database.ts';
import { order } from '../database/order.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import type { Cursor } from './cursor.ts';
import { type Filters, type FilterValues, filtered, shapeOf, valuesOf } from './filters.ts';
import type { SortableMember } from './members.ts';
import { Memo } from './memo.ts';
import { hasNulls } from './queries.ts';

/** Which part of which list. */
export interface Listing {
  /** How many surveys at most; 0 for all. */
  limit: number;
  offset: number;
  orderby: SortableMember;
  descending: boolean;
  filters?: Filters | undefined;
  /** From where the list goes on, in place of an offset. */
  cursor?: Cursor | undefined;
}

/** Where the rest of a list is. */
export interface Around {
  /** Whether there are more surveys behind this part. */
  hasMore: boolean;
  /** The place behind this part, where a list goes on that can be followed by cursors. */
  next?: Cursor | undefined;
  /** The place before this part, in a list that is followed by cursors and has more there. */
  previous?: Cursor | undefined;
}

/** How many surveys this caller sees, and whether so many are stored that to look at all of them takes long. */
export async function extentOf(db: Db, editor: boolean): Promise<{ visible: number; isLarge: boolean }> {
  const counts = await db.rows(selectCounts, {});
  const sum = (rows: typeof counts) => rows.reduce((total, row) => total + row.total, 0);
  return { visible: sum(counts.filter(({ disabled }) => editor || disabled === 0)), isLarge: sum(counts) > maxAtOnce };
}

const selectCounts = prepared((query) => query.selectFrom('survey_counts').selectAll());

/** To look at so many surveys takes some milliseconds. */
const maxAtOnce = 5000;

/** Whether a part of a list is found without looking at many surveys. */
export function looksAtFew({ orderby, descending, offset, filters }: Listing): boolean {
  if (filters !== undefined) return 'ids' in filters;
  // By name in descending order, the surveys of one name are sorted: many may have the same.
  const isIndexed = orderby === 'id' || (orderby === 'name' && !descending);
  return isIndexed && offset <= maxAtOnce;
}

/** Reads the rows of a query; apart when it looks at many surveys, so that others are served meanwhile. */
export type Read = Db['rows'];

export function readerOf(db: Db, apart: boolean): Read {
  return (query, values) => (apart ? db.manyRows(query, values) : db.rows(query, values));
}

/** More surveys than this are not counted when there are filters: that would take longer than to read a page. */
const maxCounted = 1000;

/**
 * How many surveys fit these filters; undefined when it would take long to count them. Where they are few, the result
 * has filters that find the same surveys by their identifiers.
 */
export async function matching(
  read: Read,
  editor: boolean,
  filters: Filters,
): Promise<{ total: number | undefined; filters: Filters }> {
  const query = matchQueries.get(`${editor} ${shapeOf(filters)}`, () =>
    prepared((db, value) =>
      filtered(db, editor, filters, value)
        .select('id')
        .orderBy('id')
        .limit(maxCounted + 1),
    ),
  );
  const rows = await read(query, valuesOf(filters) as FilterValues);
  if (rows.length > maxCounted) return { total: undefined, filters };
  return { total: rows.length, filters: { ids: rows.map(({ id }) => id) } };
}

// Clients choose the filters and the order: there are more combinations than anyone uses.
const matchQueries = new Memo<PreparedQuery<FilterValues, { id: number }>>(100);
const findQueries = new Memo<PreparedQuery<FindValues, { id: number }>>(100);

/** Members whose values are bounded, so that a cursor can hold one. */
function canBeFollowed(orderby: SortableMember): boolean {
  return orderby !== 'description';
}

/** The cursor at a survey; undefined when it is gone, or the list cannot be followed. */
export async function cursorAt(
  db: Db,
  id: number | undefined,
  orderby: SortableMember,
  direction: Cursor['direction'],
): Promise<Cursor | undefined> {
  if (id === undefined || !canBeFollowed(orderby)) return undefined;
  if (orderby === 'id') return { direction, id, value: null };
  const query = valueQueries.get(orderby, () =>
    prepared((surveys, value) =>
      surveys.selectFrom('surveys').select(`${orderby} as value`).where('id', '=', value.id),
    ),
  );
  const [row] = await db.rows(query, { id });
  return row && { direction, id, value: row.value };
}

const valueQueries = new Memo<PreparedQuery<{ id: number }, Pick<Cursor, 'value'>>>(20);

/** The surveys on a page, and where those behind and before it are. */
export async function findPage(
  db: Db,
  read: Read,
  listing: Listing,
  editor: boolean,
): Promise<Around & { ids: number[] }> {
  const { limit, orderby, cursor } = listing;
  const backwards = cursor?.direction === 'before';
  // One more than the page has shows whether there are more.
  const found = await find(read, listing, editor, limit > 0 ? limit + 1 : Number.MAX_SAFE_INTEGER);
  const hasMore = limit > 0 && found.length > limit;
  const ids = hasMore ? found.slice(0, limit) : found;
  if (backwards) ids.reverse();
  const first = () => cursorAt(db, ids[0], orderby, 'before');
  const last = () => cursorAt(db, ids.at(-1), orderby, 'after');
  const beyond = async (place: Cursor | undefined) =>
    place && (await find(read, { ...listing, cursor: place, offset: 0 }, editor, 1)).length > 0 ? place : undefined;
  const next = backwards ? await beyond(await last()) : hasMore ? await last() : undefined;
  const previous = backwards ? (hasMore ? await first() : undefined) : cursor && (await beyond(await first()));
  return { ids, hasMore: backwards ? next !== undefined : hasMore, next, previous };
}

/** What a query for a page is run with: beside filters, the place of a cursor. */
type FindValues = FilterValues & {
  limit: number;
  offset: number;
  place: number;
  value: Exclude<Cursor['value'], null>;
};

/** The identifiers of the surveys from the place on where a listing begins; backwards when its cursor says so. */
async function find(read: Read, listing: Listing, editor: boolean, limit: number): Promise<number[]> {
  const { offset, orderby, descending, filters = {}, cursor } = listing;
  const from = cursor && `${cursor.direction} ${cursor.value === null}`;
  const key = `${editor} ${orderby} ${descending} ${from} ${shapeOf(filters)}`;
  const query = findQueries.get(key, () => findQuery(listing, editor));
  const place = cursor && { place: cursor.id, value: cursor.value };
  const values = { ...valuesOf(filters), ...place, limit, offset: cursor ? 0 : offset };
  const rows = await read(query, values as FindValues);
  return rows.map(({ id }) => id);
}

function findQuery(
  { orderby, descending, filters = {}, cursor }: Listing,
  editor: boolean,
): PreparedQuery<FindValues, { id: number }> {
  const backwards = cursor?.direction === 'before';
  const descends = descending !== backwards;
  return prepared((query, value) => {
    const surveys = filtered(query, editor, filters, value);
    return (cursor ? beyondCursor(surveys, orderby, descends, cursor, value) : surveys)
      .select('id')
      .orderBy(orderby, order(descends, hasNulls(orderby)))
      .$if(orderby !== 'id', (sorted) => sorted.orderBy('id', backwards ? 'desc' : 'asc'))
      .limit(value.limit)
      .offset(value.offset);
  });
}

/** Those that come after the place of a cursor in this order, where null comes before everything else. */
function beyondCursor(
  surveys: ReturnType<typeof filtered>,
  orderby: SortableMember,
  descending: boolean,
  cursor: Cursor,
  { place, value }: FindValues,
) {
  if (orderby === 'id') return surveys.where('id', descending ? '<' : '>', place);
  return surveys.where((survey) => {
    const isTied = survey.and([
      cursor.value === null ? survey(orderby, 'is', null) : survey(orderby, '=', value),
      survey('id', cursor.direction === 'before' ? '<' : '>', place),
    ]);
    if (cursor.value === null) return descending ? isTied : survey.or([isTied, survey(orderby, 'is not', null)]);
    if (descending) return survey.or([isTied, survey(orderby, '<', value), survey(orderby, 'is', null)]);
    // The first condition follows from the second, and lets the database begin at the right place of an index.
    return survey.and([survey(orderby, '>=', value), survey.or([isTied, survey(orderby, '>', value)])]);
  });
}
