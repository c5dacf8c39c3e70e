/** The database as the rest of the service sees it: one object, and the transactions on it. */
import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { CompiledQueries, run } from './compiled-queries.ts';
import { migrate } from './migrate.ts';
import { type ConnectionOptions, initialOptions } from './options.ts';
import { PostgresServer } from './postgres/server.ts';
import { readUrl } from './postgres/url.ts';
import { missingRight } from './postgres/version.ts';
import type { PreparedQuery, PreparedWrites } from './prepared.ts';
import { inTransaction, type Session, type SessionDialect } from './session.ts';
import { SqliteFile } from './sqlite/file.ts';
import { isOpenToOthers } from './sqlite/files.ts';
import type { Tables } from './tables.ts';
import { OpenTransaction, type ReserveIds } from './transaction.ts';

/** The database, or a transaction on it: a store's functions work in both. */
export interface Db {
  /** Kysely's query builder. */
  readonly query: Kysely<Tables>;
  /** The rows of a prepared query; at once where the database responds at once (SQLite outside a transaction). */
  rows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Row[] | Promise<Row[]>;
  /**
   * The same for a query that only reads and may look at many rows: others are served meanwhile. It takes longer to get
   * the rows, so few rows are better read by `rows`.
   */
  manyRows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Promise<Row[]>;
  /** Whether `manyRows` reads apart from `rows`. Where it does not, both are the same, and nobody needs to choose. */
  readonly readsApart: boolean;
}

/** A transaction. Until it ends, the functions that take part in it use this object and not the database. */
export interface Transaction extends Db {
  /** So many new identifiers for each of these tables, ascending. The rows are to be inserted in this transaction. */
  readonly reserveIds: ReserveIds;
  /**
   * Runs queries whose results nobody needs. A database over a network gets them with what comes next: when one fails, so
   * does the transaction, at its commit at the latest.
   */
  send<Values extends object>(
    query: PreparedQuery<Values, unknown> | PreparedWrites<Values>,
    values: Values,
  ): Promise<void>;
}

/** The open database. */
export interface Database extends Db {
  /**
   * Runs `work` in a transaction, which is committed when `work` resolves and undone when it rejects. A database may
   * run `work` again after a conflict with another transaction, so `work` changes nothing but the database.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
  /** Resolves when the database can be read and written at this moment, and rejects when it cannot. Writes nothing. */
  ping(): Promise<void>;
  /** Whether it tells versions at all: at once by `version`, or with a query by `dataVersion`. */
  readonly hasVersions: boolean;
  /** Changes with every commit, of this process and of any other. It is undefined where the database cannot tell that at once. */
  version(): unknown;
  /** Changes with every migration: the reference data changes only then. Undefined as `version` is. */
  referenceVersion(): unknown;
  /** Waits for the writes that are under way, and closes the database. */
  close(): Promise<void>;
}

/** Why the database cannot be used, in one line for the person who starts the service. */
export class DatabaseError extends Error {}

/** How a database is opened. */
export interface OpenOptions extends Partial<ConnectionOptions> {
  /** Whether only a database will do that the service has used before: otherwise an empty one is made. */
  mustExist?: boolean;
}

/**
 * Opens the database at this URL, and runs the migrations that it lacks. The scheme of the URL chooses the kind of
 * database: `file:PATH` is a SQLite file, which is created when it does not exist, `postgres://…` a database of a
 * PostgreSQL server, which has to exist.
 *
 * @param warn is told, in one line, what the operator should know: that the database is locked, or open to everybody.
 * @throws DatabaseError when it cannot be opened or written, or belongs to a newer version of the service.
 */
export async function openDatabase(
  url: string,
  warn: (message: string) => void = (message) => console.error(message),
  { mustExist = false, ...options }: OpenOptions = {},
): Promise<Database> {
  const [, scheme, rest] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  switch (scheme) {
    case 'file':
      if (options.readUrl !== undefined)
        throw new DatabaseError('DATABASE_READ_URL is for a PostgreSQL database, and DATABASE_URL names a file.');
      return openFile(rest!, warn, mustExist);
    case 'postgres':
    case 'postgresql':
      return openServer(url, warn, { ...initialOptions, ...options }, mustExist);
    default:
      // The URL itself is not shown: it may hold a password.
      throw new DatabaseError('The URL of the database must be file: and a path, or begin with postgres://.');
  }
}

async function openServer(
  url: string,
  warn: (message: string) => void,
  options: ConnectionOptions,
  mustExist: boolean,
): Promise<Database> {
  let shown = 'at DATABASE_URL';
  const failure = (what: string, error: unknown) =>
    new DatabaseError(`The database ${shown} cannot be ${what}: ${reasonOf(error)}`);
  let server: PostgresServer;
  try {
    const primary = readUrl(url);
    shown = 'at DATABASE_READ_URL';
    const replica = options.readUrl === undefined ? undefined : readUrl(options.readUrl, 'reads');
    ({ shown } = primary);
    server = new PostgresServer(primary, options, replica, warn);
  } catch (error) {
    throw failure('opened', error);
  }
  let what = 'opened';
  try {
    const schema = await server.open(mustExist);
    what = 'brought up to date';
    await server.migrate(migrate, schema);
  } catch (error) {
    await server.close();
    throw failure(what, error);
  }
  return new OpenDatabase(server);
}

/** What went wrong, in the words of whoever noticed it, in one line. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { message, code, errors } = cause as AggregateError & { code?: string };
  // Where a host has several addresses, Node.js tells of each, and gives no message.
  const reason = (
    message ||
    errors?.map((each) => String(each.message)).join(', ') ||
    code ||
    String(cause)
  ).replaceAll('\n', ' ');
  return code === missingRight
    ? `${reason}. Grant its role the right to create tables there, or start as one that has it`
    : reason;
}

async function openFile(path: string, warn: (message: string) => void, mustExist: boolean): Promise<Database> {
  const failure = (what: string, error: unknown) =>
    new DatabaseError(`The database ${path} cannot be ${what}: ${(error as Error).message}`);
  let file: SqliteFile;
  try {
    file = await SqliteFile.open(path, warn, mustExist);
  } catch (error) {
    throw failure('opened', error);
  }
  try {
    await file.migrate(migrate);
  } catch (error) {
    await file.close();
    throw failure('brought up to date', error);
  }
  if (isOpenToOthers(path))
    warn(`Every user of this machine can read or write the database ${path}: chmod 600 would prevent that.`);
  return new OpenDatabase(file);
}

/** What each kind of database provides. */
interface Backend {
  /** What Kysely needs to use it. */
  readonly dialect: SessionDialect;
  /** The rows of a query that only reads, outside any transaction; at once where the database can do that. */
  read(sql: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>;
  /** The same without keeping others waiting. */
  readLong?(sql: string, parameters: readonly unknown[]): Promise<unknown[]>;
  /** What reserves identifiers in this transaction. */
  idReserver(session: Session): (counts: Record<string, number>) => Promise<Record<string, number[]>>;
  /** Whether a transaction that failed so may be run again. Nothing of it may have been stored. */
  mayRepeat?(error: unknown): boolean;
  readonly hasVersions: boolean;
  version(): unknown;
  referenceVersion(): unknown;
  /** Throws or rejects when the database cannot be read and written at this moment. */
  check(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** How often a transaction is run that collides with others, or whose connection is lost. */
const maxAttempts = 5;
/** About how long to wait before it is run again, in milliseconds; longer each time. */
const repeatPause = 20;

class OpenDatabase implements Database {
  readonly query: Kysely<Tables>;
  readonly readsApart: boolean;
  readonly hasVersions: boolean;
  readonly #backend: Backend;
  readonly #compiled: CompiledQueries;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.readsApart = backend.readLong !== undefined;
    this.hasVersions = backend.hasVersions;
    this.query = new Kysely<Tables>({ dialect: backend.dialect });
    this.#compiled = new CompiledQueries(this.query);
  }

  rows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Row[] | Promise<Row[]> {
    const statement = this.#compiled.one(query);
    const parameters = statement.parameters(values);
    return statement.readsOnly
      ? (this.#backend.read(statement.query.sql, parameters) as Row[] | Promise<Row[]>)
      : run<Row>(this.query, statement, parameters);
  }

  async manyRows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Promise<Row[]> {
    if (this.#backend.readLong === undefined) return this.rows(query, values);
    const statement = this.#compiled.one(query);
    return (await this.#backend.readLong(statement.query.sql, statement.parameters(values))) as Row[];
  }

  async transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work);
      } catch (error) {
        if (attempt === maxAttempts || !this.#backend.mayRepeat?.(error)) throw error;
      }
      // A random time, because transactions that wait equally long would collide again.
      await setTimeout(attempt * repeatPause * Math.random());
    }
  }

  #attempt<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    const { dialect } = this.#backend;
    const session = dialect.session();
    const reserveIds = this.#backend.idReserver(session) as ReserveIds;
    return inTransaction(session, () => work(new OpenTransaction(session, dialect, this.#compiled, reserveIds)));
  }

  async ping(): Promise<void> {
    await this.#backend.check();
  }

  version(): unknown {
    return this.#backend.version();
  }

  referenceVersion(): unknown {
    return this.#backend.referenceVersion();
  }

  async close(): Promise<void> {
    await this.query.destroy();
    // Not left to Kysely: it never starts to use a database to which no query was sent, and would not close it.
    await this.#backend.close();
  }
}
