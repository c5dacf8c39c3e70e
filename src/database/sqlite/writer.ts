/**
 * Writes on one SQLite connection, one transaction after the other. Transactions that begin in one turn of the event
 * loop share a commit, because waiting for the disk takes most of the time of a write. A transaction resolves only
 * after the common commit.
 */
import type Database from 'better-sqlite3';
import { StorageError } from '../storage-error.ts';
import { whenUnlocked } from './lock.ts';
import { type Statements, statementsOf } from './statements.ts';

/**
 * How long a write waits when another process has the write lock, in milliseconds. A commit takes some milliseconds, so
 * this is enough for hundreds of them; a client does not wait much longer than that for a response.
 */
export const lockTimeout = 5000;

/** How long it waits between two attempts to take the lock, in milliseconds: less than a commit takes. */
const lockPause = 2;

/**
 * After some errors, such as a full disk, SQLite rolls back all that is not committed:
 * https://www.sqlite.org/lang_transaction.html
 */
function rolledBack(cause: unknown): Error {
  const message = 'SQLite rolled back the transactions that were to be committed together.';
  return cause instanceof StorageError
    ? new StorageError(cause.fault, message, { cause })
    : new Error(message, { cause });
}

/** A transaction that has begun. */
export interface WriteTransaction {
  group: CommitGroup;
  /** Lets the next transaction begin. */
  release: () => void;
  ended: boolean;
}

/** Transactions that are committed together. */
interface CommitGroup {
  /** Settles when they are committed, or when that has failed. */
  settled: Promise<void>;
  resolve: () => void;
  reject: (reason: unknown) => void;
  /** Why SQLite has rolled them back by itself, if it has. */
  failure?: unknown;
}

/** What the writer has to know of its file. */
export interface WriterOptions {
  /** Is called before each commit, which it prevents when it throws. */
  beforeCommit: () => void;
  /** Makes what is thrown of an error of SQLite. */
  explain: (error: unknown) => unknown;
}

/** The connection of a file that writes. */
export class Writer {
  readonly #statement: Statements;
  readonly #sqlite: Database.Database;
  /** Resolves when every transaction in the queue has ended. */
  #last: Promise<void> = Promise.resolve();
  /** The transactions that wait for the next commit, if there are any. */
  #group: CommitGroup | undefined;

  readonly #options: WriterOptions;

  constructor(sqlite: Database.Database, options: WriterOptions) {
    this.#sqlite = sqlite;
    this.#options = options;
    this.#statement = statementsOf(sqlite);
  }

  /** Waits in the queue, and begins a transaction that the others neither see nor undo. */
  async begin(): Promise<WriteTransaction> {
    const deadline = performance.now() + lockTimeout;
    const release = await this.#queue();
    try {
      const group = (this.#group ??= await this.#open(deadline));
      this.#statement('savepoint one').run();
      return { group, release, ended: false };
    } catch (error) {
      release();
      throw this.#options.explain(error);
    }
  }

  /** Runs a statement in this transaction. */
  run<T>({ ended, group }: WriteTransaction, sql: string, run: (statement: Database.Statement<unknown[]>) => T): T {
    // It would become part of the transaction that comes after.
    if (ended) throw new Error('This transaction has ended.');
    // Outside of any transaction SQLite would commit it at once.
    if (!this.#sqlite.inTransaction) throw rolledBack(group.failure);
    try {
      return run(this.#statement(sql));
    } catch (error) {
      const explained = this.#options.explain(error);
      if (!this.#sqlite.inTransaction) group.failure = explained;
      throw explained;
    }
  }

  /** Ends the transaction, and resolves when a power cut can no longer undo it. */
  async commit(transaction: WriteTransaction): Promise<void> {
    if (!this.#sqlite.inTransaction) throw rolledBack(transaction.group.failure);
    this.#statement('release one').run();
    this.#end(transaction);
    await transaction.group.settled;
  }

  /** Undoes the transaction. Does nothing when it has ended: then the common commit has failed. */
  rollback(transaction: WriteTransaction): void {
    if (transaction.ended) return;
    try {
      if (!this.#sqlite.inTransaction) throw rolledBack(transaction.group.failure);
      this.#statement('rollback to one').run();
      this.#statement('release one').run();
    } catch (error) {
      this.#failGroup(transaction.group, error);
    } finally {
      this.#end(transaction);
    }
  }

  /** Resolves when nothing is left to be committed. */
  async idle(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#last || this.#group !== undefined; ) {
      last = this.#last;
      await last;
      await this.#group?.settled.catch(() => {});
    }
  }

  /** Waits for all who are in the queue, and returns the function that lets the next one go on. */
  async #queue(): Promise<() => void> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await previous;
    return resolve;
  }

  #end(transaction: WriteTransaction): void {
    transaction.ended = true;
    transaction.release();
  }

  /** Takes the write lock for a new group, and schedules its commit for after the requests that have arrived so far. */
  async #open(deadline: number): Promise<CommitGroup> {
    // Only after a rollback that failed.
    if (this.#sqlite.inTransaction) this.#statement('rollback').run();
    await whenUnlocked(() => this.#statement('begin immediate').run(), deadline, lockPause);
    const { promise: settled, resolve, reject } = Promise.withResolvers<void>();
    settled.catch(() => {});
    const group: CommitGroup = { settled, resolve, reject };
    setImmediate(() => void this.#settle(group));
    return group;
  }

  /** Commits a group after the transactions that are in the queue by now: they belong to it. */
  async #settle(group: CommitGroup): Promise<void> {
    const release = await this.#queue();
    try {
      if (this.#group !== group) return;
      if (!this.#sqlite.inTransaction) throw rolledBack(group.failure);
      this.#options.beforeCommit();
      this.#statement('commit').run();
      this.#group = undefined;
      group.resolve();
    } catch (error) {
      this.#failGroup(group, this.#options.explain(error));
    } finally {
      release();
    }
  }

  #failGroup(group: CommitGroup, reason: unknown): void {
    group.reject(reason);
    if (this.#group === group) this.#group = undefined;
    try {
      if (this.#sqlite.inTransaction) this.#statement('rollback').run();
    } catch {
      // The reason is told already. The next transaction tries again.
    }
  }
}
