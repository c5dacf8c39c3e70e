/** Pages of filtered lists and of lists that are followed by cursors: the SQL that finds which surveys are on them. */
import type { Db } from '../database/database.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import type { Cursor } from './cursor.ts';
import { type Filters, filtered } from './filters.ts';
import type { SortableMember } from './members.ts';

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
export type Read = <Row>(query: PreparedQuery<object, Row>) => Row[] | Promise<Row[]>;

export function readerOf(db: Db, apart: boolean): Read {
  return (query) => (apart ? db.manyRows(query, {}) : db.rows(query, {}));
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
  const rows = await read(
    prepared((query) =>
      filtered(query, editor, filters)
        .select('id')
        .orderBy('id')
        .limit(maxCounted + 1),
    ),
  );
  if (rows.length > maxCounted) return { total: undefined, filters };
  return { total: rows.length, filters: { ids: rows.map(({ id }) => id) } };
}

/** Members whose values are bounded, so that a cursor can hold one. */
export function canBeFollowed(orderby: SortableMember): boolean {
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
  const row = await db.query
    .selectFrom('surveys')
    .select(`${orderby} as value`)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { direction, id, value: row.value };
}

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
  const [first, last] = [
    await cursorAt(db, ids[0], orderby, 'before'),
    await cursorAt(db, ids.at(-1), orderby, 'after'),
  ];
  const beyond = async (place: Cursor | undefined) =>
    place && (await find(read, { ...listing, cursor: place, offset: 0 }, editor, 1)).length > 0 ? place : undefined;
  const next = backwards ? await beyond(last) : hasMore ? last : undefined;
  const previous = backwards ? (hasMore ? first : undefined) : cursor && (await beyond(first));
  return { ids, hasMore: backwards ? next !== undefined : hasMore, next, previous };
}

/** The identifiers of the surveys from the place on where a listing begins; backwards when its cursor says so. */
async function find(read: Read, listing: Listing, editor: boolean, limit: number): Promise<number[]> {
  const { offset, orderby, descending, filters = {}, cursor } = listing;
  const backwards = cursor?.direction === 'before';
  const falling = descending !== backwards;
  const rows = await read(
    prepared((query) => {
      const surveys = filtered(query, editor, filters);
      return (cursor ? beyondCursor(surveys, orderby, falling, backwards, cursor) : surveys)
        .select('id')
        .orderBy(orderby, (order) => (falling ? order.desc().nullsLast() : order.asc().nullsFirst()))
        .$if(orderby !== 'id', (sorted) => sorted.orderBy('id', backwards ? 'desc' : 'asc'))
        .limit(limit)
        .offset(cursor ? 0 : offset);
    }),
  );
  return rows.map(({ id }) => id);
}

/** Those that come after the place of a cursor in this order, where null comes before everything else. */
function beyondCursor(
  surveys: ReturnType<typeof filtered>,
  orderby: SortableMember,
  falling: boolean,
  backwards: boolean,
  { id, value }: Cursor,
) {
  if (orderby === 'id') return surveys.where('id', falling ? '<' : '>', id);
  return surveys.where((survey) => {
    const isTied = survey.and([
      value === null ? survey(orderby, 'is', null) : survey(orderby, '=', value),
      survey('id', backwards ? '<' : '>', id),
    ]);
    if (value === null) return falling ? isTied : survey.or([isTied, survey(orderby, 'is not', null)]);
    if (falling) return survey.or([isTied, survey(orderby, '<', value), survey(orderby, 'is', null)]);
    // The first condition follows from the second, and lets the database begin at the right place of an index.
    return survey.and([survey(orderby, '>=', value), survey.or([isTied, survey(orderby, '>', value)])]);
  });
}
