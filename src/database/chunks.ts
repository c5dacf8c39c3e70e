/** Rows that are read in chunks by their identifiers, with a pause between two chunks. */
import { setImmediate } from 'node:timers/promises';

/** A place for an identifier in a prepared query. */
type IdPlace = `id${number}`;
export type IdValues = Record<IdPlace, number>;

/** The places for so many identifiers: `id0`, `id1`, … */
export function idPlaces(count: number): IdPlace[] {
  return Array.from({ length: count }, (_, at) => `id${at}` as const);
}

/** The values for these places. No row has the identifier 0, so it fills the places that are not needed. */
export function idValues(places: readonly IdPlace[], ids: readonly number[]): IdValues {
  return Object.fromEntries(places.map((place, at) => [place, ids[at] ?? 0]));
}

/** SQLite never waits, and a fast client takes all at once: without this pause no other request would be served. */
export function pause(): Promise<void> {
  return setImmediate();
}
