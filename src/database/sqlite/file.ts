/** One open SQLite file: a connection that reads, a connection that writes, and what Kysely needs to use them. */
import type Database from 'better-sqlite3';
import { CompiledQuery, type Dialect, Kysely, SqliteDialect } from 'kysely';
import { openConnection } from './connection.ts';
import { FileDialect } from './dialect.ts';
import { type Statements, statementsOf } from './statements.ts';
import { Writer } from './writer.ts';

/** A SQLite file that is open until `close` is called. Kysely has to be destroyed before: that waits for the writes. */
export class SqliteFile {
  readonly dialect: Dialect;
  readonly #writer: Database.Database;
  readonly #reader: Database.Database;
  readonly #statements: Statements;
  readonly #dataVersion: Database.Statement;

  /** @throws when the file cannot be opened. */
  constructor(path: string) {
    this.#writer = openConnection(path);
    this.#reader = openConnection(path);
    this.#reader.pragma('query_only = ON');
    this.#statements = statementsOf(this.#reader);
    this.#dataVersion = this.#reader.prepare('pragma data_version').pluck();
    this.dialect = new FileDialect(this.#statements, new Writer(this.#writer));
  }

  /**
   * Runs the migrations, all of them in one transaction. Kysely takes no lock against other processes on SQLite; the
   * transaction makes them wait.
   */
  async migrate(run: (db: Kysely<any>) => Promise<void>): Promise<void> {
    const connection = { prepare: (sql: string) => this.#writer.prepare<unknown[]>(sql), close: () => {} };
    this.#writer.exec('BEGIN IMMEDIATE');
    await run(new Kysely({ dialect: new SqliteDialect({ database: connection }) }));
    this.#writer.exec('COMMIT');
    // From here on writer.ts waits for other processes: the waiting of SQLite stops the whole process.
    this.#writer.pragma('busy_timeout = 0');
  }

  /** The rows of a query that only reads. It sees what is committed. */
  read(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.#statements(sql).all(parameters);
  }

  /**
   * Makes what reserves identifiers in a transaction, for tables whose identifiers are AUTOINCREMENT: those after the
   * largest that the table has ever had, as SQLite would choose them. The transaction holds the write lock, so nobody
   * else can take them.
   */
  idReserver(trx: Kysely<any>): (counts: Record<string, number>) => Promise<Record<string, number[]>> {
    const reserved = new Map<string, number>();
    return async (counts) => {
      const tables = Object.entries(counts).filter(([, count]) => count > 0);
      const { rows } = tables.length > 0 ? await trx.executeQuery<Sequence>(selectSequences) : { rows: [] };
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
    return this.#dataVersion.get();
  }

  /** How many migrations the file has seen. Kysely keeps this table. */
  referenceVersion(): unknown {
    return this.#statements('select count(*) from kysely_migration').pluck().get();
  }

  close(): void {
    this.#reader.close();
    this.#writer.close();
  }
}

/** The largest identifier that a table has ever had. SQLite has no entry for a table that never had a row. */
interface Sequence {
  name: string;
  seq: number;
}

const selectSequences = CompiledQuery.raw('select name, seq from sqlite_sequence');
