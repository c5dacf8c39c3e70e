/** What was read from the database, kept until the database changes. */
import type { Db } from './connect.ts';

/** Gives what `read` gave before under this key, unless the database has changed since. */
export type Kept = <T>(key: readonly unknown[], read: () => Promise<T>) => T | Promise<T>;

/** How many results are kept for one database; the oldest go first. */
const most = 1000;

interface Shelf {
  /** Changes with every commit, of this process and of any other. */
  version: () => unknown;
  /** The version at which everything in `results` was read. */
  at: unknown;
  results: Map<string, unknown>;
}

// By adapter, because that is what a database and the transactions on it have in common.
const shelves = new WeakMap<object, Shelf>();

/** Lets results be kept for a database that can tell its version. For others everything is read each time. */
export function keepResults(db: Db, version: () => unknown): void {
  shelves.set(db.getExecutor().adapter, { version, at: undefined, results: new Map() });
}

/**
 * A view of what is kept that is right for one request: the version is looked up here, once, so a result
 * is at least as new as the beginning of the request. The key, plain data, has to name all that the result
 * depends on beside the database, who asks included.
 */
export function keptResults(db: Db): Kept {
  const shelf = shelves.get(db.getExecutor().adapter);
  if (shelf === undefined) return (_, read) => read();
  const version = shelf.version();
  if (shelf.at !== version) {
    shelf.at = version;
    shelf.results.clear();
  }
  return (key, read) => {
    if (shelf.at !== version) return read();
    const name = JSON.stringify(key);
    const known = shelf.results.get(name);
    return known === undefined ? keep(shelf, version, name, read) : (known as Awaited<ReturnType<typeof read>>);
  };
}

async function keep<T>(shelf: Shelf, version: unknown, name: string, read: () => Promise<T>): Promise<T> {
  const result = await read();
  // If the database has changed meanwhile, the next request sees that by the version and clears the shelf.
  if (shelf.at === version && result !== undefined) {
    if (shelf.results.size === most) shelf.results.delete(shelf.results.keys().next().value!);
    shelf.results.set(name, result);
  }
  return result;
}
