/** One connection to a SQLite file, with the settings that both connections of the service need. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

/**
 * How long the opening of a database waits for other processes, in milliseconds. They may be running migrations, which
 * take well under a second; a process that holds the lock for longer is stuck, and the start should say so.
 */
const lockTimeout = 5000;

/**
 * Opens the file, and creates it with its folders when it does not exist.
 *
 * @throws when that is not possible, or the file is not a database.
 */
export function openConnection(path: string): Database.Database {
  makeFolder(dirname(path));
  const sqlite = new Database(path, { timeout: lockTimeout });
  useWriteAheadLog(sqlite);
  sqlite.pragma('synchronous = FULL');
  sqlite.pragma('foreign_keys = ON');
  // 16 MiB: the default of 2 MiB does not hold the index of a large table.
  sqlite.pragma('cache_size = -16384');
  return sqlite;
}

/**
 * Turns on write-ahead logging, with which reads do not wait for writes. While another process does the same with a
 * new database, SQLite fails at once, whatever the timeout. So this function waits and tries again.
 */
function useWriteAheadLog(sqlite: Database.Database): void {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + lockTimeout; ; ) {
    try {
      return void sqlite.pragma('journal_mode = WAL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || Date.now() > end) throw error;
      // A random time, because processes that wait equally long would collide again.
      Atomics.wait(moment, 0, 0, 5 + Math.random() * 20);
    }
  }
}

/** With `recursive`, Node.js never returns where a folder exists in which none can be made, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
