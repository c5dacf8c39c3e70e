/**
 * SQLite behind Kysely, on two connections to one file. Reads run on one of them and see what is committed. Writes take
 * turns on the other: see writer.ts.
 */
import type Database from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type Statements, statementsOf } from './statements.ts';
import { type Turn, Writer } from './writer.ts';

/** What Kysely needs to use a file through these connections; it closes them when it is destroyed. */
export class SqliteFile implements Dialect {
  readonly #reader: Database.Database;
  readonly #writer: Database.Database;
  readonly read: Statements;

  constructor(reader: Database.Database, writer: Database.Database) {
    this.#reader = reader;
    this.#writer = writer;
    this.read = statementsOf(reader);
  }

  createDriver(): Driver {
    const writer = new Writer(this.#writer);
    return {
      init: async () => {},
      acquireConnection: async () => new Connection(this.read, writer),
      releaseConnection: async () => {},
      beginTransaction: async (connection) => (connection as Connection).begin(),
      commitTransaction: async (connection) => (connection as Connection).commit(),
      rollbackTransaction: async (connection) => (connection as Connection).rollback(),
      destroy: async () => {
        await writer.idle();
        this.#reader.close();
        this.#writer.close();
      },
    };
  }

  createAdapter() {
    return new Adapter();
  }

  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<any>) {
    return new SqliteIntrospector(db);
  }
}

class Adapter extends SqliteAdapter {
  // Transactions take their turns in the writer. Kysely would let reads wait for them too.
  override get supportsMultipleConnections() {
    return true;
  }
}

/** What one query or transaction of Kysely's runs on. */
class Connection implements DatabaseConnection {
  readonly #read: Statements;
  readonly #writer: Writer;
  #turn: Turn | undefined;

  constructor(read: Statements, writer: Writer) {
    this.#read = read;
    this.#writer = writer;
  }

  async begin(): Promise<void> {
    this.#turn = await this.#writer.begin();
  }

  async commit(): Promise<void> {
    await this.#writer.commit(this.#turn!);
  }

  rollback(): void {
    this.#writer.rollback(this.#turn!);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#turn !== undefined) return run(this.#writer.within(this.#turn, query.sql), query);
    const reading = this.#read(query.sql);
    if (reading.readonly) return run(reading, query);
    const turn = await this.#writer.begin();
    try {
      const result = run<Row>(this.#writer.within(turn, query.sql), query);
      await this.#writer.commit(turn);
      return result;
    } catch (error) {
      this.#writer.rollback(turn);
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error(
      'Read in pages: a statement that is under way for long keeps the write-ahead log from being reused.',
    );
  }
}

function run<Row>(statement: Database.Statement<unknown[]>, { parameters }: CompiledQuery): QueryResult<Row> {
  if (statement.reader) return { rows: statement.all(parameters as unknown[]) as Row[] };
  const { changes, lastInsertRowid } = statement.run(parameters as unknown[]);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}
