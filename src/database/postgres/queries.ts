/** How a query is sent to a PostgreSQL server: by its name, and again when it certainly had no effect. */
import type { QueryResult as PgResult, PoolClient } from 'pg';
import type { Connections } from './connections.ts';
import { explain, isCut, isUnknownStatement, mayRepeat, NoConnection, uncertain } from './faults.ts';
import type { Replica } from './replica.ts';
import { type Query, type Send, sendOn } from './send.ts';
import type { StatementNames } from './statements.ts';

export interface QueryOptions {
  /** Takes reads that are in no transaction. */
  replica?: Replica | undefined;
  /** When a statement is given up, in milliseconds. */
  timeout: number;
}

/** How often a query is sent. */
const maxAttempts = 3;

export class Queries {
  readonly #connections: Connections;
  readonly #names: StatementNames;
  readonly #replica: Replica | undefined;
  readonly #timeout: number;

  constructor(connections: Connections, names: StatementNames, { replica, timeout }: QueryOptions) {
    this.#connections = connections;
    this.#names = names;
    this.#replica = replica;
    this.#timeout = timeout;
  }

  /**
   * Runs a query in a transaction of its own, again when it certainly had no effect.
   *
   * @param readsOnly whether a replica may run it, and it never has an effect.
   * @throws StorageError when the database cannot be used now.
   */
  async alone(query: Query, readsOnly: boolean): Promise<PgResult> {
    const replicated = readsOnly ? await this.#replica?.read(query, this.send) : undefined;
    if (replicated !== undefined) return replicated;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#connections.use((client) => this.send(client, query));
      } catch (error) {
        if (error instanceof NoConnection) throw error;
        const isUncertain = !readsOnly && isCut(error);
        if (attempt < maxAttempts && !isUncertain && mayRepeat(error)) continue;
        throw isUncertain ? uncertain(error) : explain(error);
      }
    }
  }

  /** Sends a command that has nothing to prepare, such as `commit`. It rejects with what `pg` or the server says. */
  command(client: PoolClient, text: string): Promise<PgResult> {
    return sendOn(client, { text }, this.#timeout);
  }

  /** Sends a query on a connection. It rejects with what `pg` or the server says. */
  readonly send: Send = async (client, { sql, parameters }) => {
    try {
      const query = { name: this.#names.nameOf(sql), text: sql, values: parameters as unknown[] };
      return await sendOn(client, query, this.#timeout);
    } catch (error) {
      // Behind a pooler that gives each transaction another session, statements have no names.
      if (isUnknownStatement(error)) this.#names.disable();
      throw error;
    }
  };
}
