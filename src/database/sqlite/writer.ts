/**
 * Writes on one SQLite connection, one transaction after the other; those that come in one turn of the event loop share
 * a commit, because its wait for the disk is what a write takes longest for. Nobody is told before it is over.
 */
import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { type Statements, statementsOf } from './statements.ts';

/** How long a write waits for its turn when another process has the write lock, in milliseconds. */
const patience = 5000;

/** On some errors, a full disk for one, SQLite undoes all that is not committed. https://www.sqlite.org/lang_transaction.html */
const undone = () => new Error('SQLite undid the transactions that were to be committed together.');

/** One transaction among those that are committed together. */
export interface Turn {
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

/** The connection of a file that writes. */
export class Writer {
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
    for (let last; last !== this.#last || this.#group !== undefined; ) {
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
