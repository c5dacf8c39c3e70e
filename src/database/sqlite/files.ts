/** The files of a database on the disk: who may read them, and whether they are still those that were opened. */
import { type BigIntStats, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { foreign } from '../migrate.ts';
import { StorageError } from '../storage-error.ts';

/** The bits of a mode that let users read or write who are neither the owner nor in the group of a file. */
const forOthers = 0o006;

/**
 * Makes an empty file, with its folders, when there is none. Only its owner may read it; SQLite gives its other files
 * the mode of this one. Nothing may be open on the file: to close it would release the locks of SQLite.
 */
export function createFile(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** With `recursive`, Node.js never returns where a folder exists in which none can be made, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Looks whether a file is a database of the service, and changes nothing in it.
 *
 * @throws when it is not.
 */
export function checkFile(path: string): void {
  const sqlite = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const table = sqlite.prepare("select name from sqlite_master where name = 'kysely_migration'").get();
    if (table === undefined) throw new Error(foreign);
  } finally {
    sqlite.close();
  }
}

/** Whether users can read or write this file who have nothing to do with it. Windows has no such mode. */
export function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & forOthers) !== 0;
}

/** The files of an open database, as they were when it was opened. */
export class OpenFiles {
  readonly #files: { path: string; opened: BigIntStats | undefined }[];

  /** The database has to be in WAL mode and read once: then all its files exist as long as it is open. */
  constructor(path: string) {
    // SQLite puts the other files beside the file to which a link leads.
    const real = realpathSync(path);
    this.#files = [path, `${real}-wal`, `${real}-shm`].map((file) => ({ path: file, opened: identify(file) }));
  }

  /**
   * What is written to a file that was deleted or replaced is gone with this process.
   *
   * @throws StorageError when a file is no longer there, or is another one.
   */
  check(): void {
    for (const { path, opened } of this.#files) {
      const now = identify(path);
      if (now === undefined || now.ino !== opened?.ino || now.dev !== opened.dev)
        throw new StorageError('unavailable', `The file ${path} was deleted or replaced. Start the service again.`);
    }
  }
}

function identify(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
