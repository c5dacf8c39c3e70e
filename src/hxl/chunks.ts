/** Long listings, read chunk by chunk while they are being sent. No SQL. */
import { pause } from '../database/chunks.ts';

/** A part of a listing. When it is long, its rows come chunk by chunk. */
export interface Listing<Row> {
  /** How many rows `results` has. */
  count: number;
  results: Row[] | AsyncIterable<Row[]>;
  /** How many rows there are on all pages. */
  total: number;
}

/** How many rows are read at once, and so held in memory while a long listing is being sent. */
export const chunkSize = 100;

/** The part of a listing whose `count` rows these chunks have: at once when they are few. */
export async function listing<Row>(count: number, total: number, chunks: AsyncIterable<Row[]>): Promise<Listing<Row>> {
  return { count, total, results: count > chunkSize ? chunks : (await Array.fromAsync(chunks)).flat() };
}

/** Cuts items into chunks, and reads the rows of a chunk when the one before it was sent. */
export async function* readInChunks<Item, Row>(
  items: readonly Item[],
  read: (chunk: readonly Item[]) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let start = 0; start < items.length; start += chunkSize) {
    yield read(items.slice(start, start + chunkSize));
    await pause();
  }
}
