/** Values cached in memory until the data they were made from changes; bounded in bytes. */

/** Tells when the data has changed, as values that are compared with `===`. */
export interface DataVersions {
  /** Changes with every commit, whoever made it. It is undefined where only queries can tell: see `setVersion`. */
  current: () => unknown;
  /** Changes when the reference data does, which is seldom. */
  reference: () => unknown;
}

/** Which changes make a value invalid: any, or only those of the reference data. */
export type Lifetime = keyof DataVersions;

/** Larger values are not cached: they would push out many others. */
const maxEntryBytes = 2 ** 18;
/** Longer keys are not cached: only unusual requests have them. */
const maxKeyLength = 1024;
/** An entry costs about this much beside its key and value: a slot in a map, two objects. */
const entryOverhead = 200;
/** How many keys are remembered that were seen once. */
const maxSeenKeys = 1000;

/**
 * Caches what was made for a key. A value is cached when its key comes for the second time: most keys come only once,
 * and what is never used again costs garbage collection. When a lifetime's share of the memory is used up, its
 * oldest entries go.
 */
export class Cache {
  readonly #versions: DataVersions;
  readonly #entries: Record<Lifetime, Entries>;

  /** @param maxBytes how much memory all entries may take together, in bytes; 0 for none. */
  constructor(maxBytes: number, versions: DataVersions) {
    this.#versions = versions;
    this.#entries = { current: new Entries(maxBytes / 2), reference: new Entries(maxBytes / 2) };
  }

  /**
   * Drops all that is out of date. It is called at the beginning of each request, so what is found later is at least
   * as new as that.
   *
   * @returns whether the version is known, and so the cache can be used.
   */
  synchronize(): boolean {
    const version = this.#versions.current();
    if (version === undefined) return false;
    // The reference data changes only with a commit, too, so most of the time one look-up is enough.
    if (this.#entries.current.setVersion(version)) {
      this.#entries.reference.setVersion(this.#versions.reference());
    }
    return true;
  }

  /**
   * The same with a version that was read during the request. Requests may call it in another order than they read:
   * what is found later was made from data that was read after this version was.
   *
   * @param version undefined or null where it is not known.
   */
  setVersion(version: unknown): boolean {
    if (version === undefined || version === null) return false;
    for (const entries of Object.values(this.#entries)) entries.setVersion(version);
    return true;
  }

  /** The value for this key, or undefined. */
  get(lifetime: Lifetime, key: string): unknown {
    return this.#entries[lifetime].get(key);
  }

  /**
   * A function that offers the value for a key. It has to be made before the data is read: when the data is found to
   * have changed meanwhile, the value is not cached.
   */
  offering(lifetime: Lifetime, key: string): (value: unknown, bytes: number) => void {
    const entries = this.#entries[lifetime];
    const { epoch } = entries;
    return (value, bytes) => {
      if (entries.epoch === epoch) entries.offer(key, value, bytes);
    };
  }

  /** Counts more memory for a value that has grown, if it is still cached under this key. */
  grow(lifetime: Lifetime, key: string, value: unknown, bytes: number): void {
    this.#entries[lifetime].grow(key, value, bytes);
  }
}

class Entries {
  /** How many versions there were. A version may come back, when requests tell of it late; what was made before may not. */
  epoch = 0;
  #version: unknown;
  readonly #maxBytes: number;
  readonly #values = new Map<string, { value: unknown; bytes: number }>();
  readonly #seen = new Set<string>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether this is another version than the last one; then nothing is left. */
  setVersion(version: unknown): boolean {
    if (version === this.#version) return false;
    this.#version = version;
    this.epoch += 1;
    this.#values.clear();
    this.#seen.clear();
    this.#bytes = 0;
    return true;
  }

  get(key: string): unknown {
    return this.#values.get(key)?.value;
  }

  offer(key: string, value: unknown, valueBytes: number): void {
    const bytes = entryOverhead + 2 * key.length + valueBytes;
    if (valueBytes > maxEntryBytes || key.length > maxKeyLength || bytes > this.#maxBytes) return;
    if (!this.#wasSeen(key) || this.#values.has(key)) return;
    this.#values.set(key, { value, bytes });
    this.#add(bytes);
  }

  grow(key: string, value: unknown, bytes: number): void {
    const entry = this.#values.get(key);
    if (entry === undefined || entry.value !== value) return;
    entry.bytes += bytes;
    this.#add(bytes);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#values) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#values.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }

  #wasSeen(key: string): boolean {
    if (this.#seen.has(key)) return true;
    if (this.#seen.size === maxSeenKeys) this.#seen.clear();
    this.#seen.add(key);
    return false;
  }
}
