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

/**
 * A place in the write-ahead log. Each server that takes over begins a timeline: a replica of the one before may have come
 * further, and knows nothing of what is written since. https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES
 */
interface Position {
  timeline: number;
  /** In bytes. */
  bytes: number;
}

/** Up to where all is stored that was acknowledged: on the disk, or, where commits do not wait for that, in the log. */
const current = CompiledQuery.raw(`
  select lsn - '0/0'::pg_lsn as bytes, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int as timeline
  from (select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end as lsn) as log`);
/** A replica notes its timeline at its checkpoints, so some minutes after it began to follow another server. */
const replayed = CompiledQuery.raw(`
  select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as bytes, greatest((select timeline_id from pg_control_checkpoint()),
    (select min_recovery_end_timeline from pg_control_recovery())) as timeline`);

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
  #position: Promise<Position> | undefined;
  /** How far the server of a connection had come when it was last asked. */
  readonly #replayed = new WeakMap<PoolClient, Position>();
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
    if (this.#isAbsent) {
      void this.#tryAgain(send);
      return undefined;
    }
    try {
      const position = await this.#current(send);
      const result = await this.#connections.use((client) => this.#readFrom(client, position, query, send));
      if (result === undefined) this.#leave('it is behind');
      return result;
    } catch (error) {
      // Others may have found meanwhile that it does not serve.
      if (error instanceof StorageError && error.fault === 'exhausted' && !this.#isAbsent) throw error;
      this.#leaveBecause(error);
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
      this.#leaveBecause(error);
    }
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #readFrom(client: PoolClient, position: Position, query: Query, send: Send) {
    for (const pause of [...pauses, undefined]) {
      // Both go in one round trip, and in this order: what was replayed before a statement began is seen by it.
      const [reached, result] = await Promise.all([this.#reached(client, position, send), send(client, query)]);
      if (reached) return result;
      if (pause !== undefined) await sleep(pause);
    }
    return undefined;
  }

  async #reached(client: PoolClient, position: Position, send: Send): Promise<boolean> {
    if (includes(this.#replayed.get(client), position)) return true;
    const reached = await positionOf(send(client, replayed));
    this.#replayed.set(client, reached);
    return includes(reached, position);
  }

  /** Where the primary is now. All that ask in one turn of the event loop share a query, which is sent at its end. */
  #current(send: Send): Promise<Position> {
    this.#position ??= this.#askCurrent(send);
    return this.#position;
  }

  async #askCurrent(send: Send): Promise<Position> {
    await setImmediate();
    // Whoever comes from now on may have been told of commits that this query does not see.
    this.#position = undefined;
    return this.#primary.use((client) => positionOf(send(client, current)));
  }

  /** Looks, at most once in a while and with nobody waiting for it, whether the replica serves again. */
  async #tryAgain(send: Send): Promise<void> {
    if (performance.now() < this.#absentUntil) return;
    this.#absentUntil = Number.POSITIVE_INFINITY;
    try {
      const position = await this.#current(send);
      this.#isAbsent = !(await this.#connections.use((client) => this.#reached(client, position, send)));
      if (!this.#isAbsent) this.#warn('DATABASE_READ_URL: reads go to the replica again');
      // It may be no replica any more: a new connection is only made to one.
      else this.#connections.renew();
    } catch {
      // It is tried once more.
    }
    this.#absentUntil = performance.now() + absence;
  }

  #leaveBecause(error: unknown): void {
    const { cause = error } = error as { cause?: unknown };
    this.#leave((cause as Error).message);
  }

  #leave(reason: string): void {
    this.#absentUntil = performance.now() + absence;
    if (!this.#isAbsent)
      this.#warn(`DATABASE_READ_URL: all reads go to DATABASE_URL, until the replica serves: ${reason}`);
    this.#isAbsent = true;
  }
}

async function positionOf(result: Promise<PgResult>): Promise<Position> {
  const { timeline, bytes } = (await result).rows[0]!;
  return { timeline, bytes: Number(bytes) };
}

/** Whether what had been replayed up to there includes all that was written up to this position. */
function includes(reached: Position | undefined, { timeline, bytes }: Position): boolean {
  return reached !== undefined && reached.timeline === timeline && reached.bytes >= bytes;
}
