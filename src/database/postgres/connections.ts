/** The connections to a PostgreSQL server: a pool that finds, among several servers, the one that takes writes. */
import { Pool, type PoolClient, types } from 'pg';
import type { ConnectionOptions } from '../options.ts';
import { breaksConnection, isLost, isReadOnly, NoConnection, refusesTimeout } from './faults.ts';
import { BatchingSocket } from './socket.ts';
import type { PostgresUrl } from './url.ts';

/** SQLite has no larger integers than these either: JavaScript holds those below 2^53. */
const int8 = 20;

export class Connections {
  readonly #url: PostgresUrl;
  readonly #pool: Pool;
  /** The host that new connections are made to. */
  #current = 0;
  /** Raised when older connections are of no use any more. */
  #generation = 0;
  readonly #generations = new WeakMap<PoolClient, number>();

  /** @param check looks at a new connection, and throws when its server will not do. */
  constructor(
    url: PostgresUrl,
    { poolSize, timeout, statementTimeout }: ConnectionOptions,
    check: (client: PoolClient) => Promise<unknown>,
  ) {
    this.#url = url;
    this.#pool = new Pool({
      application_name: 'survey-hxl-service',
      ...url.config,
      ...url.hosts[0]!,
      max: poolSize,
      connectionTimeoutMillis: timeout,
      statement_timeout: statementTimeout,
      keepAlive: true,
      // Statements of a transaction that need no results of each other share a round trip, and a system call.
      pipeline: true,
      stream: () => new BatchingSocket(),
      types: {
        getTypeParser: ((oid: number, format?: 'text') =>
          oid === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
      },
      onConnect: (client) => {
        this.#generations.set(client as PoolClient, this.#generation);
        return check(client as PoolClient);
      },
    });
    // A connection that breaks while nobody uses it leaves the pool by itself.
    this.#pool.on('error', () => {});
    // One that breaks in use tells whoever uses it.
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /**
   * A connection, to be released after use.
   *
   * @throws StorageError when there is none.
   */
  async acquire(): Promise<PoolClient> {
    for (let failures = 0; ; ) {
      const host = this.#current;
      try {
        const client = await this.#pool.connect();
        if (this.#generations.get(client) === this.#generation) return client;
        client.release(true);
      } catch (error) {
        if (refusesTimeout(error)) {
          // The limit on this side is left.
          delete this.#pool.options.statement_timeout;
          continue;
        }
        const refusal = new NoConnection(error);
        failures += 1;
        if (refusal.fault === 'exhausted' || failures >= this.#url.hosts.length) throw refusal;
        // Others may have gone on to the next host already.
        if (this.#current === host) this.#moveOn();
      }
    }
  }

  /** Does something with a connection. */
  async use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.acquire();
    try {
      const result = await work(client);
      this.release(client);
      return result;
    } catch (error) {
      this.release(client, error);
      throw error;
    }
  }

  /** Gives a connection back, or drops it when this error broke it. */
  release(client: PoolClient, error?: unknown): void {
    // When one connection was lost, or leads to a server that takes no writes, so are most likely those that are as old.
    if (
      error !== undefined &&
      (isReadOnly(error) || isLost(error)) &&
      this.#generations.get(client) === this.#generation
    )
      this.renew();
    client.release(error !== undefined && breaksConnection(error));
  }

  /** From now on, none of the connections that there are is used for anything new. */
  renew(): void {
    this.#generation += 1;
  }

  /** Waits until all connections are given back, and closes them. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  #moveOn(): void {
    this.#current = (this.#current + 1) % this.#url.hosts.length;
    Object.assign(this.#pool.options, this.#url.hosts[this.#current]!);
  }
}
