/** Reads that are sent to a replica, which sees all that was acknowledged before they began. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { QueryResult as PgResult, PoolClient } from 'pg';
import { StorageError } from '../storage-error.ts';
import type { Connections } from './connections.ts';
import type { Query, Send } from './send.ts';

/** The replica has other records than the primary, and will never have the same. */
export class ForeignReplica extends Error {}

/** How long a read waits for the replica to catch up, in milliseconds: four times, longer each time. */
const pauses = [1, 2, 4, 8];
/** How long the primary takes all reads when the replica did not serve one, in milliseconds. */
const absence = 1000;

// Positions in the write-ahead log, in bytes. What is acknowledged has been flushed up to there.
const flushed = CompiledQuery.raw("select pg_current_wal_flush_lsn() - '0/0'::pg_lsn as position");
const replayed = CompiledQuery.raw("select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as position");

/**
 * A read asks the primary for its position in the write-ahead log, and takes the result of the replica only when that
 * has replayed as much before the read. So whoever reads sees what anybody was told to be stored before, in whatever process
 * of the service. A replica that is behind, or that fails, is left alone for a moment.
 */
export class Replica {
  readonly #primary: Connections;
  readonly #connections: Connections;
  readonly #warn: (message: string) => void;
  /** The query for the position of the primary that is about to be sent. */
  #position: Promise<number> | undefined;
  /** How far the server of a connection had come when it was last asked. */
  readonly #replayed = new WeakMap<PoolClient, number>();
  #absentUntil = 0;
  #isAbsent = false;

  constructor(primary: Connections, connections: Connections, warn: (message: string) => void) {
    this.#primary = primary;
    this.#connections = connections;
    this.#warn = warn;
  }

  /**
   * The result of a query that only reads; undefined when the primary has to be asked instead.
   *
   * @throws StorageError when all connections are in use: the primary is not to be flooded with what the replica served.
   */
  async read(query: Query, send: Send): Promise<PgResult | undefined> {
    if (performance.now() < this.#absentUntil) return undefined;
    try {
      const position = await this.#flushed(send);
      const result = await this.#connections.use((client) => this.#readFrom(client, position, query, send));
      if (result === undefined) this.#leave('it is behind');
      else this.#comeBack();
      return result;
    } catch (error) {
      if (error instanceof StorageError && error.fault === 'exhausted') throw error;
      const { cause = error } = error as { cause?: unknown };
      this.#leave((cause as Error).message);
      return undefined;
    }
  }

  /**
   * Opens a connection. A replica that cannot be reached may be there later.
   *
   * @throws ForeignReplica when it never will.
   */
  async open(): Promise<void> {
    try {
      this.#connections.release(await this.#connections.acquire());
    } catch (error) {
      const { cause = error } = error as { cause?: unknown };
      if (cause instanceof ForeignReplica) throw cause;
      this.#leave((cause as Error).message);
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #readFrom(client: PoolClient, position: number, query: Query, send: Send) {
    for (const pause of [...pauses, undefined]) {
      // Both go in one round trip, and in this order: what was replayed before a statement began is seen by it.
      const [reached, result] = await Promise.all([this.#reached(client, position, send), send(client, query)]);
      if (reached) return result;
      if (pause !== undefined) await sleep(pause);
    }
    return undefined;
  }

  async #reached(client: PoolClient, position: number, send: Send): Promise<boolean> {
    if ((this.#replayed.get(client) ?? 0) >= position) return true;
    const { rows } = await send(client, replayed);
    const reached = Number(rows[0]!.position);
    this.#replayed.set(client, reached);
    return reached >= position;
  }

  /** Where the primary is now. All that ask in one turn of the event loop share a query, which is sent at its end. */
  #flushed(send: Send): Promise<number> {
    this.#position ??= this.#askFlushed(send);
    return this.#position;
  }

  async #askFlushed(send: Send): Promise<number> {
    await setImmediate();
    // Whoever comes from now on may have been told of commits that this query does not see.
    this.#position = undefined;
    const { rows } = await this.#primary.use((client) => send(client, flushed));
    return Number(rows[0]!.position);
  }

  #leave(reason: string): void {
    this.#absentUntil = performance.now() + absence;
    if (!this.#isAbsent)
      this.#warn(`DATABASE_READ_URL: all reads go to DATABASE_URL, until the replica serves: ${reason}`);
    this.#isAbsent = true;
  }

  #comeBack(): void {
    if (this.#isAbsent) this.#warn('DATABASE_READ_URL: reads go to the replica again');
    this.#isAbsent = false;
  }
}
