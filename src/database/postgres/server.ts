/** One PostgreSQL database: connections to its server, and what the rest of the service needs to use it. */
import { CompiledQuery, Kysely, sql } from 'kysely';
import type { PoolClient } from 'pg';
import { foreign } from '../migrate.ts';
import type { ConnectionOptions } from '../options.ts';
import { independent } from '../prepared.ts';
import type { Session } from '../session.ts';
import { StorageError } from '../storage-error.ts';
import { Connections } from './connections.ts';
import { PostgresDialect } from './dialect.ts';
import { explain, isOfDatabase, mayRepeat } from './faults.ts';
import { Queries } from './queries.ts';
import { ForeignReplica, Replica } from './replica.ts';
import { sendOn } from './send.ts';
import { StatementNames } from './statements.ts';
import type { PostgresUrl } from './url.ts';
import { versionOf } from './version.ts';

/** Only processes that run migrations in the same schema wait for each other. */
const migrationLock = 3_853_314;
/** How long a migration waits for a lock: as long as on SQLite. Others may be running theirs, which take minutes. */
const lockTimeout = '5min';
/**
 * How much later than the server this side gives a statement up, in milliseconds: the server can tell that it has no
 * effect, and the connection is of use afterwards.
 */
const lateness = 1000;
/** The longest time, in milliseconds. */
const noTimeout = 2 ** 31 - 1;

/** What a database is asked for when it is opened. */
interface Properties {
  encoding: string;
  schema: string | null;
  /** The search path. */
  path: string;
  /** Whether it has tables of the service. */
  used: boolean;
}

/** A PostgreSQL database that is open until `close` is called. */
export class PostgresServer {
  readonly dialect: PostgresDialect;
  readonly #connections: Connections;
  readonly #queries: Queries;
  readonly #replica: Replica | undefined;
  readonly #db: Kysely<any>;
  readonly #warn: (message: string) => void;
  /** How long to wait for what takes no time, in milliseconds. */
  readonly #timeout: number;
  /** Whether all reads go to the server that writes. */
  readonly #hasOneServer: boolean;
  /** Which records there are: the cluster, its database, and the schema. */
  #identity: string | undefined;

  /**
   * @param readUrl where a replica is that reads may go to.
   * @param warn is told, in one line, when reads do not go there, and when no responses can be kept.
   */
  constructor(
    url: PostgresUrl,
    options: ConnectionOptions,
    readUrl: PostgresUrl | undefined,
    warn: (message: string) => void,
  ) {
    const ask: Ask = async (client, text) => (await sendOn(client, { text }, options.timeout)).rows[0];
    this.#connections = new Connections(url, options, async (client) => {
      if (url.writable) await checkWritable(client, ask);
    });
    if (readUrl !== undefined) {
      const replicas = new Connections(readUrl, options, (client) => this.#checkReplica(client, ask));
      this.#replica = new Replica(this.#connections, replicas, warn);
    }
    this.#warn = warn;
    this.#timeout = options.timeout;
    this.#hasOneServer = readUrl === undefined && (url.writable || url.hosts.length === 1);
    this.#queries = new Queries(this.#connections, new StatementNames(options.prepare), {
      replica: this.#replica,
      timeout: options.statementTimeout + lateness,
    });
    this.dialect = new PostgresDialect(this.#connections, this.#queries);
    this.#db = new Kysely({ dialect: this.dialect });
  }

  /**
   * Looks whether the database can keep what the service stores.
   *
   * @param mustExist whether it is refused when it is no database of the service.
   * @returns the schema that the tables are in, the first one of the search path.
   * @throws when it cannot, and when there is no connection.
   */
  async open(mustExist: boolean): Promise<string> {
    const { rows } = await sql<Properties>`
      select current_setting('server_encoding') as encoding, current_schema() as schema,
        current_setting('search_path') as path, to_regclass('kysely_migration') is not null as used`.execute(this.#db);
    const [{ encoding, schema, path, used }] = rows as [Properties];
    if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, and must be UTF8`);
    if (schema === null) throw new Error(`no schema of its search path exists: ${path}`);
    if (mustExist && !used) throw new Error(foreign);
    if (this.#hasOneServer) {
      this.dialect.dataVersion = await versionOf(this.#db);
      if (this.dialect.dataVersion === undefined)
        this.#warn('No responses are kept in memory: this database does not tell the service when its data changes.');
    }
    if (this.#replica !== undefined) {
      this.#identity = (await sql.raw<{ identity: string }>(identity).execute(this.#db)).rows[0]!.identity;
      await this.#replica.open();
    }
    return schema;
  }

  /** Throws when this connection leads to no replica of the database. */
  async #checkReplica(client: PoolClient, ask: Ask): Promise<void> {
    const server = await ask(client, identity);
    if (server.identity !== this.#identity)
      throw new ForeignReplica('DATABASE_READ_URL leads to another database or schema than DATABASE_URL');
    if (!server.is_replica) throw new Error('its server is no replica');
  }

  /**
   * Runs the migrations, all of them in one transaction. Other processes that start meanwhile wait. Each statement may
   * take as long as it needs.
   *
   * @param run runs the migrations in this schema.
   */
  async migrate(run: (db: Kysely<any>, schema: string) => Promise<unknown>, schema: string): Promise<void> {
    const queries = new Queries(this.#connections, new StatementNames(false), { timeout: noTimeout });
    const dialect = new PostgresDialect(this.#connections, queries);
    await new Kysely({ dialect }).transaction().execute(async (trx) => {
      // At the server, in place of what was said when the session began.
      await sql`select set_config('statement_timeout', '0', true),
        set_config('lock_timeout', ${lockTimeout}, true)`.execute(trx);
      await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)}, hashtext(${schema}))`.execute(trx);
      await run(trx, schema);
    });
  }

  /** The rows of a query that only reads, outside any transaction. Kysely would take as long as the query itself. */
  async read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    return (await this.#queries.alone({ sql, parameters }, true)).rows;
  }

  /** Whether a transaction that failed so left nothing behind, and may succeed when it is run again. */
  mayRepeat(error: unknown): boolean {
    return isOfDatabase(error) && mayRepeat(error);
  }

  /**
   * Makes what reserves identifiers in a transaction. They come from the sequences that ordinary inserts use, and are not
   * given back when the transaction is undone: others need not wait for its end.
   */
  idReserver(session: Session): (counts: Record<string, number>) => Promise<Record<string, number[]>> {
    return async (counts) => {
      const ids = Object.fromEntries(Object.keys(counts).map((table) => [table, [] as number[]]));
      const tables = Object.entries(counts).filter(([, count]) => count > 0);
      if (tables.length === 0) return ids;
      const values = [tables.map(([table]) => table), tables.map(([, count]) => count)];
      const { rows } = await session.executeQuery<{ name: string; next: string }>(
        independent(CompiledQuery.raw(nextIds, values)),
      );
      for (const { name, next } of rows)
        ids[name] = next
          .split(',')
          .map(Number)
          .sort((one, other) => one - other);
      return ids;
    };
  }

  /** Not where reads may go to a server that is behind the one that tells the version. */
  get hasVersions(): boolean {
    return this.dialect.dataVersion !== undefined;
  }

  /** Another process may have written at any moment: only a query can tell. */
  version(): undefined {}

  referenceVersion(): undefined {}

  /**
   * Looks whether the database can be read and written, without writing.
   *
   * @throws StorageError when it cannot.
   */
  async check(): Promise<void> {
    const { rows } = await this.#connections
      .useSpare((client) => sendOn(client, { text: readiness }, this.#timeout))
      .catch((error: unknown) => {
        throw explain(error);
      });
    if (rows[0]!.read_only === 'off') return;
    // There may be another server that takes writes, and this one may do so for new sessions.
    this.#connections.renew();
    throw new StorageError('unavailable', 'The database only takes reads.');
  }

  async close(): Promise<void> {
    await this.#replica?.close();
    await this.#connections.close();
  }
}

const readiness = `select current_setting('transaction_read_only') as read_only, count(*) from kysely_migration`;

/** The first row of what this query finds. */
type Ask = (client: PoolClient, text: string) => Promise<Record<string, unknown>>;

/** Throws when this connection leads to a server that takes no writes. */
async function checkWritable(client: PoolClient, ask: Ask): Promise<void> {
  if ((await ask(client, 'show transaction_read_only')).transaction_read_only !== 'off')
    throw new StorageError('unavailable', 'No server of the database takes writes.');
}

const identity = `
  select concat_ws('/', (select system_identifier from pg_control_system()), current_database(), current_schema()) as identity,
    pg_is_in_recovery() as is_replica`;

/** One row for each table: a row for each identifier would take longer to read. */
const nextIds = `select name, string_agg(nextval(pg_get_serial_sequence(name, 'id'))::text, ',') as next
  from unnest($1::text[], $2::int[]) as wanted(name, count), generate_series(1, count) group by name`;
