/** One open SQLite file: a connection that reads, a connection that writes, and what Kysely needs to use them. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { CompiledQuery, Kysely, SqliteDialect } from 'kysely';
import type { Session, SessionDialect } from '../session.ts';
import { StorageError } from '../storage-error.ts';
import { openConnection, openReader } from './connection.ts';
import { FileDialect } from './dialect.ts';
import { explain, hasFreeSpace, isLocked } from './faults.ts';
import { checkFile, createFile, OpenFiles } from './files.ts';
import { whenUnlocked } from './lock.ts';
import { ReadingThread } from './reading-thread.ts';
import { type Statements, statementsOf } from './statements.ts';
import { lockTimeout, Writer } from './writer.ts';

/**
 * How long a start waits when another process has the lock, in milliseconds: that process may be running migrations,
 * which take minutes on a large database. A process that holds the lock for longer is stuck.
 */
const startTimeout = 300_000;
/** How long it waits between two attempts, in milliseconds. */
const startPause = 15;
/** After so long it says why it waits, in milliseconds. */
const silence = 1000;

/** A SQLite file that is open until `close` is called. */
export class SqliteFile {
  readonly hasVersions = true;
  readonly dialect: SessionDialect;
  readonly #path: string;
  readonly #writer: Database.Database;
  /** The transactions that write. */
  readonly #queue: Writer;
  readonly #reader: Database.Database;
  readonly #thread: ReadingThread;
  readonly #statements: Statements;
  readonly #dataVersion: Database.Statement;
  readonly #untilUnlocked: WaitForLock;
  readonly #explain = (error: unknown) => explain(error, dirname(this.#path));
  #files: OpenFiles | undefined;
  /** Since when the database was found to be locked, at each look, without any commit. */
  #locked: { since: number; version: unknown } | undefined;

  /**
   * Opens the file, and creates it with its folders when it does not exist.
   *
   * @param warn is told, in one line, what the operator should know.
   * @param mustExist whether it is refused, and left as it is, when it is no database of the service.
   * @throws when it cannot be opened.
   */
  static async open(path: string, warn: (message: string) => void, mustExist: boolean): Promise<SqliteFile> {
    if (mustExist) checkFile(path);
    else createFile(path);
    const untilUnlocked = waitForLock(path, warn);
    const writer = await untilUnlocked(() => openConnection(path));
    try {
      const reader = await untilUnlocked(() => openReader(path));
      return new SqliteFile(path, writer, reader, untilUnlocked);
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  private constructor(path: string, writer: Database.Database, reader: Database.Database, untilUnlocked: WaitForLock) {
    this.#path = path;
    this.#writer = writer;
    this.#reader = reader;
    this.#thread = new ReadingThread(path);
    this.#untilUnlocked = untilUnlocked;
    this.#statements = statementsOf(this.#reader);
    this.#dataVersion = this.#reader.prepare('pragma data_version').pluck();
    this.#queue = new Writer(this.#writer, { beforeCommit: () => this.#files?.check(), explain: this.#explain });
    this.dialect = new FileDialect(this.#statements, this.#queue, this.#explain);
  }

  /**
   * Runs the migrations, all of them in one transaction. Kysely takes no lock against other processes on SQLite; the
   * transaction makes them wait. Foreign keys are checked at its end: a table that is replaced is dropped before, and
   * would take with it what refers to it.
   *
   * @param run runs the migrations; resolves to whether there were any.
   */
  async migrate(run: (db: Kysely<any>) => Promise<boolean>): Promise<void> {
    const connection = { prepare: (sql: string) => this.#writer.prepare<unknown[]>(sql), close: () => {} };
    // Not possible inside of a transaction: https://www.sqlite.org/lang_altertable.html#otheralter
    this.#writer.pragma('foreign_keys = OFF');
    await this.#untilUnlocked(() => this.#writer.exec('BEGIN IMMEDIATE'));
    const migrated = await run(new Kysely({ dialect: new SqliteDialect({ database: connection }) }));
    if (migrated && (this.#writer.pragma('foreign_key_check') as unknown[]).length > 0)
      throw new Error('it has records that refer to others that do not exist.');
    this.#writer.exec('COMMIT');
    this.#writer.pragma('foreign_keys = ON');
    this.#files = new OpenFiles(this.#path);
  }

  /** The rows of a query that only reads, and may take long. It sees what is committed. */
  async readLong(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    try {
      // The thread opens the file by its path when it starts.
      this.#files?.check();
      return await this.#thread.read(sql, parameters);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** The rows of a query that only reads. It sees what is committed. */
  read(sql: string, parameters: readonly unknown[]): unknown[] {
    try {
      return this.#statements(sql).all(parameters);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /**
   * Looks whether the database can be read and written, without writing and without waiting. A new connection reads
   * what the open ones have in memory. The lock may be taken for a moment, but not for as long as a write waits for it.
   *
   * @throws StorageError when it cannot.
   */
  check(): void {
    try {
      this.#files?.check();
      // SQLite would open a file that cannot be written just for reading, and begin a transaction that only reads.
      accessSync(this.#path, constants.R_OK | constants.W_OK);
      const connection = new Database(this.#path, { timeout: 0, fileMustExist: true });
      try {
        connection.prepare('select count(*) from kysely_migration').get();
        this.#checkLock(connection);
      } finally {
        connection.close();
      }
    } catch (error) {
      throw this.#explain(error);
    }
    if (!hasFreeSpace(dirname(this.#path))) throw new StorageError('full', 'The disk of the database is full.');
  }

  #checkLock(connection: Database.Database): void {
    try {
      connection.exec('begin immediate; rollback');
      this.#locked = undefined;
    } catch (error) {
      if (!isLocked(error)) throw error;
      const version = this.version();
      // Whoever has committed since the last look is not stuck.
      if (this.#locked === undefined || this.#locked.version !== version)
        this.#locked = { since: performance.now(), version };
      if (performance.now() - this.#locked.since > lockTimeout) throw error;
    }
  }

  /**
   * Makes what reserves identifiers in a transaction, for tables whose identifiers are AUTOINCREMENT: those after the
   * largest that the table has ever had, as SQLite would choose them. The transaction holds the write lock, so nobody
   * else can take them.
   */
  idReserver(session: Session): (counts: Record<string, number>) => Promise<Record<string, number[]>> {
    const reserved = new Map<string, number>();
    return async (counts) => {
      const tables = Object.entries(counts).filter(([, count]) => count > 0);
      const { rows } = tables.length > 0 ? await session.executeQuery<Sequence>(selectSequences) : { rows: [] };
      const used = new Map(rows.map(({ name, seq }) => [name, seq]));
      const ids = Object.fromEntries(Object.keys(counts).map((table) => [table, [] as number[]]));
      for (const [table, count] of tables) {
        // Rows for what was reserved before may not be inserted yet.
        const last = Math.max(used.get(table) ?? 0, reserved.get(table) ?? 0);
        ids[table] = Array.from({ length: count }, (_, at) => last + 1 + at);
        reserved.set(table, last + count);
      }
      return ids;
    };
  }

  /** Changes when another connection has committed; to the reader all writes are those of others. */
  version(): unknown {
    try {
      return this.#dataVersion.get();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** How many migrations the file has seen. Kysely keeps this table. */
  referenceVersion(): unknown {
    try {
      return this.#statements('select count(*) from kysely_migration').pluck().get();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Waits for the writes that are under way, and closes the file. */
  async close(): Promise<void> {
    await this.#queue.idle();
    this.#reader.close();
    this.#writer.close();
    await this.#thread.close();
  }
}

/** Does what fails while another process has the lock, until that is no longer so. */
type WaitForLock = <T>(attempt: () => T) => Promise<T>;

/** Waits for the lock as long as a start may take, and says once that it waits. */
function waitForLock(path: string, warn: (message: string) => void): WaitForLock {
  const begin = performance.now();
  let told = false;
  return (attempt) =>
    whenUnlocked(attempt, begin + startTimeout, startPause, () => {
      if (told || performance.now() - begin < silence) return;
      told = true;
      warn(
        `The database ${path} is locked by another process. Waiting for it, up to ${startTimeout / 60_000} minutes.`,
      );
    });
}

/** The largest identifier that a table has ever had. SQLite has no entry for a table that never had a row. */
interface Sequence {
  name: string;
  seq: number;
}

const selectSequences = CompiledQuery.raw('select name, seq from sqlite_sequence');
