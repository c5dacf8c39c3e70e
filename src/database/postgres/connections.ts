/** The connections to a PostgreSQL server: a pool that finds, among several servers, the one that takes writes. */
import type { EventEmitter } from 'node:events';
import type { NetConnectOpts } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import type { ConnectionOptions } from '../options.ts';
import { breaksConnection, isLost, isReadOnly, NoConnection, refusesTimeout } from './faults.ts';
import { waiting } from './send.ts';
import { addressOf, answers, cut, patience, received } from './silence.ts';
import { BatchingSocket } from './socket.ts';
import type { PostgresUrl } from './url.ts';

/** SQLite has no larger integers than these either: JavaScript holds those below 2^53. */
const int8 = 20;

export class Connections {
  readonly #url: PostgresUrl;
  readonly #pool: Pool;
  /** One connection for what has to be known also when all others are in use. */
  readonly #spare: Pool;
  /** The host that new connections are made to. */
  #current = 0;
  /** Raised when older connections are of no use any more. */
  #generation = 0;
  /** The connections that are open. */
  readonly #open = new Map<PoolClient, { generation: number; address: NetConnectOpts }>();
  /** Whether somebody is finding out if a server is still there. */
  #isInDoubt = false;

  /** @param check looks at a new connection, and throws when its server will not do. */
  constructor(
    url: PostgresUrl,
    { poolSize, timeout, statementTimeout }: ConnectionOptions,
    check: (client: PoolClient) => Promise<unknown>,
  ) {
    this.#url = url;
    const makePool = (max: number) => {
      const pool = new Pool({
        application_name: 'survey-hxl-service',
        ...url.config,
        ...url.hosts[0]!,
        max,
        ...(url.hosts.length > 1 && { Client: PunctualClient }),
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
          this.#watch(client as PoolClient);
          return check(client as PoolClient);
        },
      });
      // A connection that breaks while nobody uses it leaves the pool by itself.
      pool.on('error', () => {});
      // One that breaks in use tells whoever uses it.
      pool.on('connect', (client) => void client.on('error', () => {}));
      return pool;
    };
    this.#pool = makePool(poolSize);
    this.#spare = makePool(1);
  }

  /**
   * A connection, to be released after use.
   *
   * @param pool where it is from: `useSpare` has a pool of its own.
   * @throws StorageError when there is none.
   */
  async acquire(pool = this.#pool): Promise<PoolClient> {
    for (let failures = 0; ; ) {
      const host = this.#current;
      try {
        const client = await pool.connect();
        if (this.#isCurrent(client)) return client;
        client.release(true);
      } catch (error) {
        if (refusesTimeout(error)) {
          // The limit on this side is left.
          delete pool.options.statement_timeout;
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
  async use<Result>(work: (client: PoolClient) => Promise<Result>, pool = this.#pool): Promise<Result> {
    const client = await this.acquire(pool);
    try {
      const result = await work(client);
      this.release(client);
      return result;
    } catch (error) {
      this.release(client, error);
      throw error;
    }
  }

  /** Does something with a connection that is not counted with the others, to the same server, one after the other. */
  useSpare<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    return this.use(work, this.#spare);
  }

  /** Gives a connection back, or drops it when this error broke it. */
  release(client: PoolClient, error?: unknown): void {
    // When one connection was lost, or leads to a server that takes no writes, so are most likely those that are as old.
    if (error !== undefined && (isReadOnly(error) || isLost(error)) && this.#isCurrent(client)) this.renew();
    client.release(error !== undefined && breaksConnection(error));
  }

  /** From now on, none of the connections that there are is used for anything new. */
  renew(): void {
    this.#generation += 1;
  }

  /** Waits until all connections are given back, and closes them. */
  async close(): Promise<void> {
    for (const pool of [this.#spare, this.#pool]) if (!pool.ending) await pool.end();
  }

  #isCurrent(client: PoolClient): boolean {
    return this.#open.get(client)?.generation === this.#generation;
  }

  #watch(client: PoolClient): void {
    this.#open.set(client, { generation: this.#generation, address: addressOf(client) });
    client.once('end', () => this.#open.delete(client));
    (client as EventEmitter).on(waiting, () => void this.#doubt(client));
  }

  /**
   * A result is late. When nothing else comes from that server either, nor an answer to a new connection, all connections
   * to it are closed: so whoever waits learns of it, and the next server is asked from now on.
   */
  async #doubt(client: PoolClient): Promise<void> {
    const address = this.#open.get(client)?.address;
    if (this.#isInDoubt || address === undefined) return;
    this.#isInDoubt = true;
    const clients = [...this.#open.keys()].filter((other) =>
      isDeepStrictEqual(this.#open.get(other)!.address, address),
    );
    const before = received(clients);
    const isThere = await answers(address);
    this.#isInDoubt = false;
    if (isThere || received(clients) > before) return;
    this.renew();
    const { host, port } = this.#url.hosts[this.#current]!;
    if (client.host === host && client.port === port) this.#moveOn();
    for (const each of clients) cut(each);
  }

  #moveOn(): void {
    this.#current = (this.#current + 1) % this.#url.hosts.length;
    for (const { options } of [this.#pool, this.#spare]) Object.assign(options, this.#url.hosts[this.#current]!);
  }
}

/** Gives up a server that does not answer while those who wait for a connection may still get one to the next server. */
class PunctualClient extends Client {
  constructor(config: ClientConfig = {}) {
    // The pool hides the password from copies.
    const { password, connectionTimeoutMillis = patience } = config;
    super({ ...config, password, connectionTimeoutMillis: Math.min(connectionTimeoutMillis, patience) });
  }
}
