/** Reads that take long, in a thread of their own: in the main thread nobody else would be served meanwhile. */
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { StorageError } from '../storage-error.ts';

/** What is sent to the thread: a query, or, without one, that it may send more rows of the read with this identifier. */
export interface Read {
  id: number;
  query?: { sql: string; parameters: readonly unknown[] };
}

/** What comes back: some of the rows, or what SQLite said. */
export type ReadPart = { id: number } & ({ rows: unknown[]; isLast: boolean } | { code: string; message: string });

/** More reads than this do not wait for each other: the last ones would wait for longer than their clients do. */
const maxWaiting = 100;

interface Waiting {
  rows: unknown[];
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

/** The thread that reads one file. It starts with the first read, and reads one after the other. */
export class ReadingThread {
  readonly #path: string;
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The rows of a query that only reads. It sees what is committed.
   *
   * @throws an error of SQLite; an error of the thread, when it has ended; StorageError when too many reads wait.
   */
  read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#waiting.size === maxWaiting)
      throw new StorageError('overloaded', `${maxWaiting} reads that take long are waiting.`);
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    const id = (this.#last += 1);
    this.#waiting.set(id, { rows: [], resolve, reject });
    this.#worker ??= this.#start();
    this.#send({ id, query: { sql, parameters } });
    return promise;
  }

  /** Ends the thread. Reads that wait are rejected. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #send(read: Read): void {
    this.#worker!.postMessage(read);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reading-thread-program.ts', import.meta.url), { workerData: this.#path });
    worker.on('message', (part: ReadPart) => this.#receive(part));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('The thread that reads the database has ended.')));
    // Whoever waits for a read keeps the process alive by other means.
    worker.unref();
    return worker;
  }

  #receive(part: ReadPart): void {
    const { rows, resolve, reject } = this.#waiting.get(part.id)!;
    if ('code' in part) reject(new Database.SqliteError(part.message, part.code));
    else {
      for (const row of part.rows) rows.push(row);
      if (!part.isLast) return void setImmediate(() => this.#waiting.has(part.id) && this.#send({ id: part.id }));
      resolve(rows);
    }
    this.#waiting.delete(part.id);
  }

  /** The next read starts another thread. */
  #fail(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
