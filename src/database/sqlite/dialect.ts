/** How Kysely uses a SQLite file: reads on one connection, which see what is committed, writes on another. */
import type Database from 'better-sqlite3';
import {
  type CompiledQuery,
  type Driver,
  type Kysely,
  type QueryResult,
  type SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Session, SessionDialect } from '../session.ts';
import type { Statements } from './statements.ts';
import type { Writer, WriteTransaction } from './writer.ts';

/** Makes what is thrown of an error of SQLite. */
type Explain = (error: unknown) => unknown;

/** A dialect for Kysely on these connections. Destroying Kysely leaves the file open. */
export class FileDialect implements SessionDialect {
  readonly #read: Statements;
  readonly #writer: Writer;
  readonly #explain: Explain;

  constructor(read: Statements, writer: Writer, explain: Explain) {
    this.#read = read;
    this.#writer = writer;
    this.#explain = explain;
  }

  createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: async () => this.session(),
      releaseConnection: async () => {},
      beginTransaction: async (connection) => (connection as Connection).begin(),
      commitTransaction: async (connection) => (connection as Connection).commit(),
      rollbackTransaction: async (connection) => (connection as Connection).rollback(),
      destroy: async () => {},
    };
  }

  session(): Session {
    return new Connection(this.#read, this.#writer, this.#explain);
  }

  createAdapter() {
    return new Adapter();
  }

  createQueryCompiler() {
    return new QueryCompiler();
  }

  createIntrospector(db: Kysely<any>) {
    return new SqliteIntrospector(db);
  }
}

class QueryCompiler extends SqliteQueryCompiler {
  // `for update` says what is always so: whoever writes has the lock of the whole file.
  protected override visitSelectQuery({ endModifiers: _, ...node }: SelectQueryNode): void {
    super.visitSelectQuery(node);
  }
}

class Adapter extends SqliteAdapter {
  // The writer puts transactions in a queue. With its own adapter, Kysely would make reads wait for them too.
  override get supportsMultipleConnections() {
    return true;
  }
}

/** What one query or one transaction of Kysely runs on. */
class Connection implements Session {
  readonly #read: Statements;
  readonly #writer: Writer;
  readonly #explain: Explain;
  #transaction: WriteTransaction | undefined;

  constructor(read: Statements, writer: Writer, explain: Explain) {
    this.#read = read;
    this.#writer = writer;
    this.#explain = explain;
  }

  async begin(): Promise<void> {
    this.#transaction = await this.#writer.begin();
  }

  async commit(): Promise<void> {
    await this.#writer.commit(this.#transaction!);
  }

  rollback(): void {
    this.#writer.rollback(this.#transaction!);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const runThis = (statement: Database.Statement<unknown[]>) => run<Row>(statement, query);
    if (this.#transaction !== undefined) return this.#writer.run(this.#transaction, query.sql, runThis);
    try {
      const reading = this.#read(query.sql);
      if (reading.readonly) return runThis(reading);
    } catch (error) {
      throw this.#explain(error);
    }
    const transaction = await this.#writer.begin();
    try {
      const result = this.#writer.run(transaction, query.sql, runThis);
      await this.#writer.commit(transaction);
      return result;
    } catch (error) {
      this.#writer.rollback(transaction);
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error('Read in chunks: while a statement is open, the write-ahead log cannot be reset and grows.');
  }
}

function run<Row>(statement: Database.Statement<unknown[]>, { parameters }: CompiledQuery): QueryResult<Row> {
  if (statement.reader) return { rows: statement.all(parameters as unknown[]) as Row[] };
  const { changes, lastInsertRowid } = statement.run(parameters as unknown[]);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}
