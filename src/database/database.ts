/** The database as the rest of the service sees it: one object, and the transactions on it. */
import { type CompiledQuery, type Dialect, Kysely } from 'kysely';
import { migrate } from './migrate.ts';
import type { PreparedQuery, Statement } from './prepared.ts';
import { SqliteFile } from './sqlite/file.ts';
import { isOpenToOthers } from './sqlite/files.ts';
import type { Tables } from './tables.ts';

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
}

/** A transaction. Until it ends, the functions that take part in it use this object and not the database. */
export interface Transaction extends Db {
  /** So many new identifiers for each of these tables, ascending. The rows are to be inserted in this transaction. */
  reserveIds<Table extends keyof Tables>(counts: Record<Table, number>): Promise<Record<Table, number[]>>;
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
  /** Changes with every commit, of this process and of any other. */
  version(): unknown;
  /** Changes with every migration: the reference data changes only then. */
  referenceVersion(): unknown;
  /** Waits for the writes that are under way, and closes the database. */
  close(): Promise<void>;
}

/** Why the database cannot be used, in one line for the person who starts the service. */
export class DatabaseError extends Error {}

/**
 * Opens the database at this URL, creates it when it does not exist, and runs the migrations that it lacks.
 * The scheme of the URL chooses the kind of database; `file:PATH` is SQLite, the only one so far.
 *
 * @param warn is told, in one line, what the operator should know: that the database is locked, or open to everybody.
 * @throws DatabaseError when it cannot be opened or written, or belongs to a newer version of the service.
 */
export async function openDatabase(
  url: string,
  warn: (message: string) => void = (message) => console.error(message),
): Promise<Database> {
  const [, scheme, rest] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  switch (scheme) {
    case 'file':
      return openFile(rest!, warn);
    default:
      // The URL itself is not shown: URLs of other databases hold passwords.
      throw new DatabaseError('The URL of the database must be file: and a path.');
  }
}

async function openFile(path: string, warn: (message: string) => void): Promise<Database> {
  const failure = (what: string, error: unknown) =>
    new DatabaseError(`The database ${path} cannot be ${what}: ${(error as Error).message}`);
  let file: SqliteFile;
  try {
    file = await SqliteFile.open(path, warn);
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
  readonly dialect: Dialect;
  /** The rows of a query that only reads, at once and outside any transaction, where the database can do that. */
  read?(sql: string, parameters: readonly unknown[]): unknown[];
  /** The same without keeping others waiting. */
  readLong?(sql: string, parameters: readonly unknown[]): Promise<unknown[]>;
  /** What reserves identifiers in this transaction. */
  idReserver(trx: Kysely<any>): (counts: Record<string, number>) => Promise<Record<string, number[]>>;
  version(): unknown;
  referenceVersion(): unknown;
  /** Throws or rejects when the database cannot be read and written at this moment. */
  check(): void | Promise<void>;
  close(): void | Promise<void>;
}

class OpenDatabase implements Database {
  readonly query: Kysely<Tables>;
  readonly #backend: Backend;
  /** Each prepared query is compiled once. The entry is dropped together with the query. */
  readonly #statements = new WeakMap<object, Statement>();

  constructor(backend: Backend) {
    this.#backend = backend;
    this.query = new Kysely<Tables>({ dialect: backend.dialect });
  }

  rows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Row[] | Promise<Row[]> {
    const statement = this.#statement(query);
    const parameters = statement.parameters(values);
    return statement.readsOnly && this.#backend.read !== undefined
      ? (this.#backend.read(statement.query.sql, parameters) as Row[])
      : run<Row>(this.query, statement, parameters);
  }

  async manyRows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Promise<Row[]> {
    const statement = this.#statement(query);
    const parameters = statement.parameters(values);
    return this.#backend.readLong === undefined
      ? run<Row>(this.query, statement, parameters)
      : ((await this.#backend.readLong(statement.query.sql, parameters)) as Row[]);
  }

  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.query.transaction().execute((trx) => {
      const rows: Db['manyRows'] = (query, values) => {
        const statement = this.#statement(query);
        return run(trx, statement, statement.parameters(values));
      };
      return work({
        query: trx,
        rows,
        manyRows: rows,
        reserveIds: this.#backend.idReserver(trx),
      });
    });
  }

  #statement(query: PreparedQuery<any, any>): Statement {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = query.compile(this.query);
      this.#statements.set(query, statement);
    }
    return statement;
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

async function run<Row>(db: Kysely<Tables>, { query }: Statement, parameters: unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery({ ...query, parameters } as CompiledQuery<Row>);
  return rows;
}
