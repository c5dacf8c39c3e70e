/** Lists of surveys: a short one is read at once, a long one in chunks while it is being sent, and no faster. */
import type { Caller } from '../api/caller.ts';
import { pause } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { type Around, cursorAt, extentOf, findPage, type Listing, looksAtFew, matching, readerOf } from './pages.ts';
import { chunkOf, chunkSize, idsQuery, isLong, type ListRow, type SurveyReader, surveyReader } from './queries.ts';
import type { SurveyText } from './record.ts';
import type { Member } from './selection.ts';

/** A part of a list, and where the rest of it is. */
export interface Listed extends Around {
  /** The surveys, or, when they are many or large, all of them batch by batch. */
  surveys: SurveyText[] | AsyncIterable<SurveyText[]>;
  /** How many surveys the whole list has; undefined when it would take long to count them. */
  total: number | undefined;
}

/** A list is read at once when it has at most this many bytes, and at most the surveys of one chunk. */
const maxSizeAtOnce = 2 ** 18;

/** A part of the list of surveys that this caller sees. */
export async function list(db: Db, listing: Listing, members: readonly Member[], caller: Caller): Promise<Listed> {
  const { limit, filters, cursor } = listing;
  const editor = caller.may('surveys:write');
  const reader = surveyReader(members, caller);
  const isWhole = filters === undefined && cursor === undefined;
  const isShort = isWhole && limit > 0 && limit <= chunkSize;
  if (isShort && (looksAtFew(listing) || !db.readsApart)) return shortPage(db, listing, reader, editor);

  const { visible, isLarge } = await extentOf(db, editor);
  const apart = isLarge && !looksAtFew(listing);
  if (!isWhole || (apart && limit > 0)) {
    const matched = filters && (await matching(readerOf(db, apart), editor, filters));
    const narrowed = { ...listing, filters: matched?.filters };
    const { ids, ...around } = await findPage(db, readerOf(db, isLarge && !looksAtFew(narrowed)), narrowed, editor);
    return { surveys: await textsOf(db, reader, ids), total: matched ? matched.total : visible, ...around };
  }
  if (isShort) return shortPage(db, listing, reader, editor);
  const ids = visibleIds(db, listing, editor, apart);
  const { value: first = [] } = await ids.next();
  const around = await behind(db, listing, first.length, first.at(-1), visible);
  return { surveys: await textsOf(db, reader, first, ids), total: visible, ...around };
}

/** A page of one chunk. Its rows say how many surveys the list has. */
async function shortPage(db: Db, listing: Listing, reader: SurveyReader, editor: boolean): Promise<Listed> {
  const { limit, offset, orderby, descending } = listing;
  const rows = await db.rows(reader.page(orderby, descending), { limit, offset });
  const total = rows[0]?.visible ?? (offset === 0 ? 0 : (await extentOf(db, editor)).visible);
  // Before the rows are taken out of their array.
  const around = await behind(db, listing, rows.length, rows.at(-1)?.id, total);
  return { surveys: await chunkTexts(db, reader, rows), total, ...around };
}

/** What is behind a part with so many surveys, of which this is the last one, when the list has so many. */
async function behind(
  db: Db,
  { limit, offset, orderby }: Listing,
  count: number,
  last: number | undefined,
  total: number,
): Promise<Around> {
  const hasMore = limit > 0 && offset + count < total;
  return { hasMore, next: hasMore ? await cursorAt(db, last, orderby, 'after') : undefined };
}

/** The surveys with these identifiers, and then with more of them. */
async function textsOf(
  db: Db,
  reader: SurveyReader,
  first: number[],
  more?: AsyncGenerator<number[], undefined>,
): Promise<SurveyText[] | AsyncIterable<SurveyText[]>> {
  return first.length <= chunkSize
    ? chunkTexts(db, reader, await readChunk(db, reader, first))
    : batches(db, reader, first, more);
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
  editor: boolean,
  apart: boolean,
): AsyncGenerator<number[], undefined> {
  // PostgreSQL takes an offset without a limit, SQLite does not.
  let left = limit || Number.MAX_SAFE_INTEGER;
  let last: number | undefined;
  do {
    const count = orderby === 'id' ? Math.min(left, idsAtOnce) : left;
    const query = idsQuery(orderby, descending, editor, last !== undefined);
    const position = last === undefined ? { offset, last: 0 } : { offset: 0, last };
    const values = { limit: count, ...position };
    const rows = await (apart ? db.manyRows(query, values) : db.rows(query, values));
    if (rows.length > 0) yield rows.map(({ id }) => id);
    left -= rows.length;
    last = rows.length === count ? rows.at(-1)!.id : undefined;
  } while (last !== undefined && left > 0);
  return undefined;
}

/** The surveys of one chunk: at once, or, when they are large, one after the other. */
async function chunkTexts(
  db: Db,
  reader: SurveyReader,
  rows: ListRow[],
): Promise<SurveyText[] | AsyncIterable<SurveyText[]>> {
  if (!rows.some(isLong)) return rows.map(reader.toText);
  const size = rows.reduce((sum, row) => sum + row.size!, 0);
  const texts = chunkBatches(db, reader, rows);
  return size <= maxSizeAtOnce ? (await Array.fromAsync(texts)).flat() : texts;
}

async function* batches(
  db: Db,
  reader: SurveyReader,
  first: number[],
  more?: AsyncGenerator<number[], undefined>,
): AsyncGenerator<SurveyText[]> {
  for (let ids: number[] | undefined = first; ids !== undefined; ids = (await more?.next())?.value) {
    for (let start = 0; start < ids.length; start += chunkSize) {
      yield* chunkBatches(db, reader, await readChunk(db, reader, ids.slice(start, start + chunkSize)));
    }
  }
}

/**
 * The surveys in these rows, in batches that can be held in memory: a long one is read when its turn comes. What is
 * sent is held here no longer: rows are taken out of the array, and texts are made by functions that have returned.
 */
async function* chunkBatches(db: Db, reader: SurveyReader, rows: ListRow[]): AsyncGenerator<SurveyText[]> {
  while (rows.length > 0) {
    yield isLong(rows[0]!) ? readAlone(db, reader, rows.shift()!.id!) : takeShort(reader, rows);
    await pause();
  }
}

/** Takes the surveys before the first long one out of these rows. */
function takeShort({ toText }: SurveyReader, rows: ListRow[]): SurveyText[] {
  const end = rows.findIndex(isLong);
  return rows.splice(0, end === -1 ? rows.length : end).map(toText);
}

/** The survey with this identifier; none when it was deleted meanwhile. */
async function readAlone(db: Db, { byId, toText }: SurveyReader, id: number): Promise<SurveyText[]> {
  return (await db.rows(byId, { id })).map(toText);
}

/** The surveys with these identifiers, in this order. One that was deleted meanwhile is left out. */
async function readChunk(db: Db, { byIds }: SurveyReader, ids: number[]): Promise<ListRow[]> {
  const rows = await db.rows(byIds, chunkOf(ids));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
