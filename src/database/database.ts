/** A URL in, a migrated Kysely instance out. SQLite is the only database so far. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from './migrate.ts';
import { readDirectly } from './prepared.ts';
import { keepResults } from './result-cache.ts';
import { SqliteFile } from './sqlite/dialect.ts';
import type { Tables } from './tables.ts';

/** The database, or a transaction on it: functions that take one work in both. */
export type Db = Kysely<Tables>;

/** Why the database cannot be used, in one line for whoever starts the service. */
export class DatabaseError extends Error {}

/**
 * Opens the database at `file:PATH`, creates it when it is not there, and brings it up to date.
 *
 * @throws DatabaseError when it cannot be opened or written, or belongs to a newer version.
 */
export async function connect(url: string): Promise<Db> {
  const path = url.replace(/^file:/, '');
  const writer = open(path);
  try {
    await bringUpToDate(writer);
  } catch (error) {
    writer.close();
    throw new DatabaseError(`The database ${path} cannot be brought up to date: ${(error as Error).message}`);
  }
  // From here on the waiting for others is done without stopping the whole process: see writer.ts.
  writer.pragma('busy_timeout = 0');
  const reader = open(path);
  reader.pragma('query_only = ON');
  const file = new SqliteFile(reader, writer);
  const db = new Kysely<Tables>({ dialect: file });
  readDirectly(db, (sql, parameters) => file.read(sql).all(parameters));
  // Changes whenever another connection has committed, and to the reader all are others.
  const version = file.read('pragma data_version').pluck();
  const generation = file.read('select count(*) from kysely_migration').pluck();
  keepResults(
    db,
    () => version.get(),
    () => generation.get(),
  );
  return db;
}

async function bringUpToDate(sqlite: Database.Database): Promise<void> {
  const alone = { prepare: (sql: string) => sqlite.prepare<unknown[]>(sql), close: () => {} };
  // Kysely takes no lock against other processes here. This one makes them wait, and all migrations one transaction.
  sqlite.exec('BEGIN IMMEDIATE');
  await migrate(new Kysely({ dialect: new SqliteDialect({ database: alone }) }));
  sqlite.exec('COMMIT');
}

/** How long other processes are waited for, in milliseconds. */
const patience = 5000;

function open(path: string): Database.Database {
  try {
    makeFolder(dirname(path));
    const sqlite = new Database(path, { timeout: patience });
    useWal(sqlite);
    sqlite.pragma('synchronous = FULL');
    sqlite.pragma('foreign_keys = ON');
    // 16 MiB: the default of 2 MiB does not hold the index of a large table.
    sqlite.pragma('cache_size = -16384');
    return sqlite;
  } catch (error) {
    throw new DatabaseError(`The database ${path} cannot be opened: ${(error as Error).message}`);
  }
}

/**
 * Write-ahead logging, so that nobody who reads waits for somebody who writes. While another process switches
 * the same new database, SQLite refuses at once, whatever the timeout: so the waiting is done here.
 */
function useWal(sqlite: Database.Database): void {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + patience; ; ) {
    try {
      return void sqlite.pragma('journal_mode = WAL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || Date.now() > end) throw error;
      // Not the same time for all, or they would meet again.
      Atomics.wait(moment, 0, 0, 5 + Math.random() * 20);
    }
  }
}

/** With `recursive`, Node.js tries for ever where a folder exists in which none can be made, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
