/** Lists of surveys: a short one is read at once, a long one in chunks while it is being sent. */
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../api/caller.ts';
import type { Db } from '../database/database.ts';
import type { SortableMember } from './members.ts';
import { chunkOf, chunkSize, idsQuery, surveyReader } from './queries.ts';
import type { SurveyText } from './record.ts';
import type { Member } from './selection.ts';

/** Which part of the list, and in which order. */
export interface Listing {
  /** How many surveys at most; 0 for all. */
  limit: number;
  offset: number;
  orderby: SortableMember;
  descending: boolean;
}

/** The surveys that this caller sees, or, when they are many, all of them chunk by chunk. */
export async function list(
  db: Db,
  listing: Listing,
  members: readonly Member[],
  caller: Caller,
): Promise<SurveyText[] | AsyncIterable<SurveyText[]>> {
  const { limit, offset, orderby, descending } = listing;
  if (limit > 0 && limit <= chunkSize) {
    const { page, toText } = surveyReader(members, caller);
    return (await db.rows(page(orderby, descending), { limit, offset })).map(toText);
  }
  const ids = visibleIds(db, listing, caller);
  const { value: first } = await ids.next();
  const few = first === undefined || first.length <= chunkSize;
  return few ? readChunk(db, first ?? [], members, caller) : inChunks(db, first, ids, members, caller);
}

/** How many identifiers are looked up at once where the list can be continued: some kilobytes. */
const idsAtOnce = 1000;

/**
 * The identifiers of the surveys in a list. Sorted by identifier they are looked up while the list is being sent;
 * sorted by anything else they are looked up at the beginning.
 */
async function* visibleIds(
  db: Db,
  { limit, offset, orderby, descending }: Listing,
  caller: Caller,
): AsyncGenerator<number[], undefined> {
  const editor = caller.may('surveys:write');
  // PostgreSQL takes an offset without a limit, SQLite does not.
  let left = limit || Number.MAX_SAFE_INTEGER;
  let last: number | undefined;
  do {
    const count = orderby === 'id' ? Math.min(left, idsAtOnce) : left;
    const query = idsQuery(orderby, descending, editor, last !== undefined);
    const position = last === undefined ? { offset, last: 0 } : { offset: 0, last };
    const rows = await db.rows(query, { limit: count, ...position });
    if (rows.length > 0) yield rows.map(({ id }) => id);
    left -= rows.length;
    last = rows.length === count ? rows.at(-1)!.id : undefined;
  } while (last !== undefined && left > 0);
  return undefined;
}

async function* inChunks(
  db: Db,
  first: number[],
  more: AsyncGenerator<number[], undefined>,
  members: readonly Member[],
  caller: Caller,
): AsyncGenerator<SurveyText[]> {
  for (let ids: number[] | undefined = first; ids !== undefined; ids = (await more.next()).value) {
    for (let start = 0; start < ids.length; start += chunkSize) {
      yield readChunk(db, ids.slice(start, start + chunkSize), members, caller);
      // SQLite never waits, and a fast client takes all at once: without this pause no other request would be served.
      await setImmediate();
    }
  }
}

/** The surveys with these identifiers, in this order. One that was deleted meanwhile is left out. */
async function readChunk(db: Db, ids: number[], members: readonly Member[], caller: Caller): Promise<SurveyText[]> {
  const { byIds, toText } = surveyReader(members, caller);
  const rows = await db.rows(byIds, chunkOf(ids));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => (found.has(id) ? [toText(found.get(id)!)] : []));
}
