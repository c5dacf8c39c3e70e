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
   * New identifiers for a table whose identifiers are AUTOINCREMENT. SQLite keeps the largest one that it has given out
   * in `sqlite_sequence`, and an ordinary insert goes on from there.
   */
  async reserveIds(trx: Kysely<any>, table: string, count: number): Promise<number[]> {
    if (count === 0) return [];
    const raised = await trx.executeQuery<{ seq: number }>(CompiledQuery.raw(raiseSequence, [count, table]));
    // The table has no entry until it gets its first row.
    if (raised.rows.length === 0) await trx.executeQuery(CompiledQuery.raw(startSequence, [count, table]));
    const last = raised.rows[0]?.seq ?? count;
    return Array.from({ length: count }, (_, at) => last - count + 1 + at);
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

const raiseSequence = 'update sqlite_sequence set seq = seq + ? where name = ? returning seq';
const startSequence = 'insert into sqlite_sequence (seq, name) values (?, ?)';
