/** Temporary. */
import type { Db } from './database.ts';

const versions = new WeakMap<object, { version: () => unknown; referenceVersion: () => unknown }>();
export function keepResults(db: Db, version: () => unknown, referenceVersion: () => unknown): void {
  versions.set(db.getExecutor().adapter, { version, referenceVersion });
}
export function versionsOf(db: Db) {
  return versions.get(db.getExecutor().adapter)!;
}
