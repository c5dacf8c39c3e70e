/** A URL in, a migrated Kysely instance out. SQLite is the only database so far. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { keepResults } from './kept.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';

/** The database, or a transaction on it: functions that take one work in both. */
export type Db = Kysely<Tables>;

/** Why the database cannot be used, in one line for whoever starts the service. */
export class DatabaseError extends Error {}

/**
 * Opens the database at `file:PATH` (`file::memory:` for one that is gone with the process), creates it
 * when it is not there, and brings it up to date.
 *
 * @throws DatabaseError when it cannot be opened or written, or belongs to a newer version.
 */
export async function connect(url: string): Promise<Db> {
  const path = url.replace(/^file:/, '');
  const sqlite = open(path);
  const statements = cachedStatements(sqlite);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: statements }) });
  try {
    // Kysely takes no lock against other processes here. This one makes them wait, and all migrations one transaction.
    sqlite.exec('BEGIN IMMEDIATE');
    await migrate(db);
    sqlite.exec('COMMIT');
    keepResults(db, versionOf(sqlite, statements));
    return db;
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK');
    await db.destroy();
    sqlite.close();
    throw new DatabaseError(`The database ${path} cannot be brought up to date: ${(error as Error).message}`);
  }
}

/** How long other processes are waited for, in milliseconds. */
const patience = 5000;

function open(path: string): Database.Database {
  try {
    if (path !== ':memory:') makeFolder(dirname(path));
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
  for (const end = Date.now() + patience; ;) {
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

/** How many statements are kept. The program has some dozens, and some more for lists of various lengths. */
const keptStatements = 500;

/**
 * Kysely prepares a statement each time it runs one; here it gets the one it had before. And it begins
 * transactions that take the write lock only at the first write, which fails when another process has
 * written since: here they take it at once, and wait for it.
 */
function cachedStatements(sqlite: Database.Database) {
  const statements = new Map<string, Database.Statement<unknown[]>>();
  return {
    /** How many statements that may change something were run. */
    changes: 0,
    close: () => void sqlite.close(),
    prepare(sql: string) {
      if (!sql.startsWith('select')) this.changes += 1;
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = sqlite.prepare<unknown[]>(sql === 'begin' ? 'begin immediate' : sql);
        if (statements.size === keptStatements) statements.delete(statements.keys().next().value!);
        statements.set(sql, statement);
      }
      return statement;
    },
  };
}

/** The version of the database: SQLite counts what other connections commit, and this one counts for itself. */
function versionOf(sqlite: Database.Database, own: { changes: number }): () => string {
  const foreign = sqlite.prepare('pragma data_version').pluck();
  return () => `${foreign.get()} ${own.changes}`;
}
