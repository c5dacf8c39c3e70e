/**
 * SQLite behind Kysely, on two connections to one file. Reads run on one of them and see what is committed.
 * Writes run on the other, one transaction after the other; those that come in one turn of the event loop share
 * a commit, because its wait for the disk is what a write takes longest for. Nobody is told before it is over.
 */
import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import {
  SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler,
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, type Kysely, type QueryResult,
} from 'kysely';

/** How long a write waits for its turn when another process has the write lock, in milliseconds. */
const patience = 5000;

/** How many statements are kept. The program has some dozens, and some more for lists of various lengths. */
const keptStatements = 500;

type Statements = (sql: string) => Database.Statement<unknown[]>;

/** Prepares each statement once for as long as it is in use. */
export function statementsOf(sqlite: Database.Database): Statements {
  const statements = new Map<string, Database.Statement<unknown[]>>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = sqlite.prepare<unknown[]>(sql);
      if (statements.size === keptStatements) statements.delete(statements.keys().next().value!);
      statements.set(sql, statement);
    }
    return statement;
  };
}

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
    throw new Error('Read in pages: a statement that is under way for long keeps the write-ahead log from being reused.');
  }
}

function run<Row>(statement: Database.Statement<unknown[]>, { parameters }: CompiledQuery): QueryResult<Row> {
  if (statement.reader) return { rows: statement.all(parameters as unknown[]) as Row[] };
  const { changes, lastInsertRowid } = statement.run(parameters as unknown[]);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

/** On some errors, a full disk for one, SQLite undoes all that is not committed. https://www.sqlite.org/lang_transaction.html */
const undone = () => new Error('SQLite undid the transactions that were to be committed together.');

/** One transaction among those that are committed together. */
interface Turn {
  group: Group;
  /** Lets the next one begin. */
  end: () => void;
  over: boolean;
}

/** Transactions that are committed together. */
interface Group {
  /** Settled when they are committed, or lost. */
  settled: Promise<void>;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

class Writer {
  readonly #statement: Statements;
  readonly #sqlite: Database.Database;
  /** Resolved when everyone who asked for a turn so far has had it. */
  #last: Promise<void> = Promise.resolve();
  /** Whose transactions wait for the commit, if there are any. */
  #group: Group | undefined;

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite;
    this.#statement = statementsOf(sqlite);
  }

  /** Waits for its turn, and begins a transaction that the others neither see nor undo. */
  async begin(): Promise<Turn> {
    const latest = Date.now() + patience;
    const end = await this.#queue();
    try {
      const group = (this.#group ??= await this.#open(latest));
      this.#statement('savepoint one').run();
      return { group, end, over: false };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** A statement in a transaction that has its turn. */
  within(turn: Turn, sql: string): Database.Statement<unknown[]> {
    // It would be one of the transaction that comes after.
    if (turn.over) throw new Error('This transaction has ended.');
    // Alone it would be committed at once.
    if (!this.#sqlite.inTransaction) throw undone();
    return this.#statement(sql);
  }

  /** Ends a turn, and resolves when what was written in it will outlive a power cut. */
  async commit(turn: Turn): Promise<void> {
    this.#statement('release one').run();
    this.#end(turn);
    await turn.group.settled;
  }

  /** Ends a turn as if it had not been. Does nothing when it has ended: then it was the common commit that failed. */
  rollback(turn: Turn): void {
    if (turn.over) return;
    try {
      if (!this.#sqlite.inTransaction) throw undone();
      this.#statement('rollback to one').run();
      this.#statement('release one').run();
    } catch (error) {
      this.#lose(turn.group, error);
    } finally {
      this.#end(turn);
    }
  }

  /** Resolves when nothing is left to be committed. */
  async idle(): Promise<void> {
    for (let last; last !== this.#last || this.#group !== undefined;) {
      last = this.#last;
      await last;
      await this.#group?.settled.catch(() => {});
    }
  }

  /** Waits until it is one's turn, and returns what ends it. */
  async #queue(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  #end(turn: Turn): void {
    turn.over = true;
    turn.end();
  }

  /** Takes the write lock, and sees to it that it is given back once all requests that are there were looked at. */
  async #open(latest: number): Promise<Group> {
    for (;;) {
      try {
        this.#statement('begin immediate').run();
        break;
      } catch (error) {
        if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY') || Date.now() > latest) throw error;
        // SQLite's own waiting would keep everybody else of this process waiting too.
        await setTimeout(1 + Math.random() * 2);
      }
    }
    const { promise: settled, resolve, reject } = Promise.withResolvers<void>();
    settled.catch(() => {});
    const group = { settled, resolve, reject };
    setImmediate(() => void this.#settle(group));
    return group;
  }

  /** Commits a group after those who wait for their turn by now: they are part of it. */
  async #settle(group: Group): Promise<void> {
    const end = await this.#queue();
    try {
      if (this.#group !== group) return;
      this.#statement('commit').run();
      this.#group = undefined;
      group.resolve();
    } catch (error) {
      this.#lose(group, error);
    } finally {
      end();
    }
  }

  #lose(group: Group, reason: unknown): void {
    group.reject(reason);
    if (this.#group === group) this.#group = undefined;
    if (this.#sqlite.inTransaction) this.#statement('rollback').run();
  }
}
