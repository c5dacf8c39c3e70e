/** What was read from the database, kept until what it depends on changes. */
import type { Db } from './database.ts';

/** Gives what `read` gave before under this key, unless that may be different now. */
export type Kept = <T>(key: readonly unknown[], read: () => Promise<T>) => T | Promise<T>;

/** A view of what is kept that is right for one request. Keys, plain data, name all that a result depends on beside the database, who asks included. */
export interface Views {
  /** Until anything in the database changes. */
  kept: Kept;
  /** Until a migration has been at it: for reference data, which nothing else changes. */
  reference: Kept;
}

/** How many results are kept of either sort; the oldest go first. Of so many is known that they were asked for. */
const most = 1000;

/**
 * Results that were read at one version of the database, those that were asked for twice: what nobody asks for again
 * would only push others out, and keep the garbage collector busy.
 */
class Shelf {
  #version: unknown;
  readonly #asked = new Set<string>();
  readonly #results = new Map<string, unknown>();
  #kept: Kept = (_, read) => read();

  /** What is kept at this version; that of any other is gone. */
  at(version: unknown): Kept {
    if (this.#version !== version) {
      this.#version = version;
      this.#asked.clear();
      this.#results.clear();
      this.#kept = this.#view(version);
    }
    return this.#kept;
  }

  #view(version: unknown): Kept {
    return (key, read) => {
      if (this.#version !== version) return read();
      const name = JSON.stringify(key);
      const known = this.#results.get(name);
      if (known !== undefined) return known as Awaited<ReturnType<typeof read>>;
      return this.#isAsked(name) ? this.#keep(version, name, read) : read();
    };
  }

  #isAsked(name: string): boolean {
    if (this.#asked.has(name)) return true;
    if (this.#asked.size === most) this.#asked.clear();
    this.#asked.add(name);
    return false;
  }

  async #keep<T>(version: unknown, name: string, read: () => Promise<T>): Promise<T> {
    const result = await read();
    // If the database has changed meanwhile, the next request sees that by the version and clears the shelf.
    if (this.#version === version && result !== undefined) {
      if (this.#results.size === most) this.#results.delete(this.#results.keys().next().value!);
      this.#results.set(name, result);
    }
    return result;
  }
}

interface Keeper {
  /** Changes with every commit, of this process and of any other. */
  version: () => unknown;
  /** Changes with every migration. */
  generation: () => unknown;
  /** The version at which these views are right. */
  at: unknown;
  views: Views;
  changing: Shelf;
  lasting: Shelf;
}

// By adapter, because that is what a database and the transactions on it have in common.
const keepers = new WeakMap<object, Keeper>();

const readAgain: Kept = (_, read) => read();
const nothing: Views = { kept: readAgain, reference: readAgain };

/** Lets results be kept for a database that can tell its version. For others everything is read each time. */
export function keepResults(db: Db, version: () => unknown, generation: () => unknown): void {
  keepers.set(db.getExecutor().adapter, {
    version,
    generation,
    at: undefined,
    views: nothing,
    changing: new Shelf(),
    lasting: new Shelf(),
  });
}

/** For one request: the version is looked up here, once, so a result is at least as new as the beginning of the request. */
export function keptResults(db: Db): Views {
  const keeper = keepers.get(db.getExecutor().adapter);
  if (keeper === undefined) return nothing;
  const version = keeper.version();
  if (keeper.at !== version) {
    keeper.views = { kept: keeper.changing.at(version), reference: keeper.lasting.at(keeper.generation()) };
    keeper.at = version;
  }
  return keeper.views;
}
