/** Which statements are prepared on the server, and by which names. */
import { hash } from 'node:crypto';

/** Each connection keeps what was prepared on it, so there must not be many: the service has some dozens. */
const maxNames = 300;
/** How many statements are remembered that were sent once. */
const maxSeen = 1000;

/**
 * Gives names to statements that are sent again and again: a server parses and plans a statement with a name once for
 * each connection. The name follows from the SQL, so that one name never means two statements, whoever shares a server
 * connection behind a pooler.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seen = new Set<string>();
  #enabled: boolean;

  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  /** The name of a statement; undefined when it is not to be prepared. */
  nameOf(sql: string): string | undefined {
    if (!this.#enabled) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size === maxNames) return known;
    if (!this.#seen.has(sql)) {
      if (this.#seen.size === maxSeen) this.#seen.clear();
      this.#seen.add(sql);
      return undefined;
    }
    this.#seen.delete(sql);
    const name = `s_${hash('sha256', sql).slice(0, 20)}`;
    this.#names.set(sql, name);
    return name;
  }

  /** From now on no statement gets a name. */
  disable(): void {
    this.#enabled = false;
  }
}
