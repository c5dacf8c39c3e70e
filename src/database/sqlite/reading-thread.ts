/** Reads that take long, in a thread of their own: in the main thread nobody else would be served meanwhile. */
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { StorageError } from '../storage-error.ts';

/** What is sent to a thread: a query, or, without one, that it may send more rows of the read with this identifier. */
export interface Read {
  id: number;
  query?: { sql: string; parameters: readonly unknown[] };
}

/** What comes back: some of the rows, or what SQLite said. */
export type ReadPart = { id: number } & ({ rows: unknown[]; isLast: boolean } | { code: string; message: string });

/** Further reads are refused: the last ones would wait for longer than their clients do. */
const maxWaiting = 100;

/** Reads one file in a thread, which starts with the first read, and again after it has failed. */
export class ReadingThread {
  readonly #path: string;
  #thread: Thread | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The rows of a query that only reads. It sees what is committed.
   *
   * @throws an error of SQLite; an error of the thread, when it has ended; StorageError when too many reads wait.
   */
  async read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#thread === undefined || this.#thread.hasFailed) this.#thread = new Thread(this.#path);
    return this.#thread.read(sql, parameters);
  }

  /** Ends the thread. Reads that wait are rejected. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }
}

interface Waiting {
  rows: unknown[];
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

/** One thread, which reads one after the other, and those who wait for it. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  /** Whether it has thrown or ended, so that another one is needed. */
  hasFailed = false;

  constructor(path: string) {
    this.#worker = new Worker(new URL('./reading-thread-program.ts', import.meta.url), { workerData: path });
    this.#worker.on('message', (part: ReadPart) => this.#receive(part));
    // One that throws ends after that.
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread that reads the database has ended.')));
    // Whoever waits for a read keeps the process alive by other means.
    this.#worker.unref();
  }

  read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#waiting.size === maxWaiting)
      throw new StorageError('overloaded', `${maxWaiting} reads that take long are waiting.`);
    const id = (this.#last += 1);
    this.#send({ id, query: { sql, parameters } });
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    // Only what was sent waits.
    this.#waiting.set(id, { rows: [], resolve, reject });
    return promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(read: Read): void {
    this.#worker.postMessage(read);
  }

  #receive(part: ReadPart): void {
    const waiting = this.#waiting.get(part.id);
    // It was rejected meanwhile.
    if (waiting === undefined) return;
    const { rows, resolve, reject } = waiting;
    if ('code' in part) reject(new Database.SqliteError(part.message, part.code));
    else {
      for (const row of part.rows) rows.push(row);
      if (!part.isLast) return void setImmediate(() => this.#waiting.has(part.id) && this.#send({ id: part.id }));
      resolve(rows);
    }
    this.#waiting.delete(part.id);
  }

  #fail(error: unknown): void {
    this.hasFailed = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
