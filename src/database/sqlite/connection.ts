/** Connections to a SQLite file, with the settings that they need. */
import Database from 'better-sqlite3';

/**
 * Opens a file that exists, and turns on write-ahead logging, with which reads do not wait for writes. It never waits
 * for other processes: `whenUnlocked` does.
 *
 * @throws when that is not possible, the file is locked, or is not a database.
 */
export function openConnection(path: string): Database.Database {
  const sqlite = new Database(path, { timeout: 0, fileMustExist: true });
  try {
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // 16 MiB: the default of 2 MiB does not hold the index of a large table.
    sqlite.pragma('cache_size = -16384');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/**
 * Opens a connection that only reads. A read waits only for the process that repairs the log after another one was
 * killed. That takes milliseconds.
 *
 * @throws as `openConnection` does.
 */
export function openReader(path: string): Database.Database {
  const sqlite = openConnection(path);
  sqlite.pragma('query_only = ON');
  sqlite.pragma('busy_timeout = 5000');
  return sqlite;
}
