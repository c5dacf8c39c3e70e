/** Pages of filtered lists and of lists that are followed by cursors: the SQL that finds which surveys are on them. */
import type { Db } from '../database/database.ts';
import { prepared } from '../database/prepared.ts';
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

/** More surveys than this are not counted when there are filters: that would take longer than to read a page. */
const maxCounted = 1000;

/** How many surveys a list has; undefined when it would take long to count them. */
export async function countSurveys(db: Db, editor: boolean, filters: Filters | undefined): Promise<number | undefined> {
  if (filters === undefined) {
    const counts = await db.rows(selectCounts, {});
    return counts.reduce((sum, { disabled, total }) => sum + (disabled === 0 || editor ? total : 0), 0);
  }
  const some = filtered(db.query, editor, filters)
    .select('id')
    .limit(maxCounted + 1);
  const { total } = await db.query
    .selectFrom(some.as('some'))
    .select((row) => row.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total) > maxCounted ? undefined : Number(total);
}

const selectCounts = prepared((query) => query.selectFrom('survey_counts').selectAll());

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
export async function findPage(db: Db, listing: Listing, editor: boolean): Promise<Around & { ids: number[] }> {
  const { limit, orderby, cursor } = listing;
  const backwards = cursor?.direction === 'before';
  // One more than the page has shows whether there are more.
  const found = await find(db, listing, editor, limit > 0 ? limit + 1 : Number.MAX_SAFE_INTEGER);
  const hasMore = limit > 0 && found.length > limit;
  const ids = hasMore ? found.slice(0, limit) : found;
  if (backwards) ids.reverse();
  const [first, last] = [
    await cursorAt(db, ids[0], orderby, 'before'),
    await cursorAt(db, ids.at(-1), orderby, 'after'),
  ];
  const beyond = async (place: Cursor | undefined) =>
    place && (await find(db, { ...listing, cursor: place, offset: 0 }, editor, 1)).length > 0 ? place : undefined;
  const next = backwards ? await beyond(last) : hasMore ? last : undefined;
  const previous = backwards ? (hasMore ? first : undefined) : cursor && (await beyond(first));
  return { ids, hasMore: backwards ? next !== undefined : hasMore, next, previous };
}

/** The identifiers of the surveys from the place on where a listing begins; backwards when its cursor says so. */
async function find(db: Db, listing: Listing, editor: boolean, limit: number): Promise<number[]> {
  const { offset, orderby, descending, filters = {}, cursor } = listing;
  const backwards = cursor?.direction === 'before';
  const falling = descending !== backwards;
  const surveys = cursor
    ? beyondCursor(filtered(db.query, editor, filters), orderby, falling, backwards, cursor)
    : filtered(db.query, editor, filters);
  const rows = await surveys
    .select('id')
    .orderBy(orderby, (order) => (falling ? order.desc().nullsLast() : order.asc().nullsFirst()))
    .$if(orderby !== 'id', (sorted) => sorted.orderBy('id', backwards ? 'desc' : 'asc'))
    .limit(limit)
    .offset(cursor ? 0 : offset)
    .execute();
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
