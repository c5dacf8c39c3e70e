/** What the errors of SQLite and of the file system say about the storage. */
import { statfsSync } from 'node:fs';
import { StorageError, type StorageFault } from '../storage-error.ts';

/** With less room than this, in bytes, a write may not be possible: the log grows by more than a body. */
const minFreeSpace = 2 ** 20;

/** By the beginning of the error code. https://www.sqlite.org/rescode.html */
const faults: [code: string, fault: StorageFault, message: string][] = [
  ['SQLITE_FULL', 'full', 'The disk of the database is full.'],
  ['ENOSPC', 'full', 'The disk of the database is full.'],
  ['EDQUOT', 'full', 'The disk of the database is full.'],
  ['SQLITE_BUSY', 'locked', 'Another process has locked the database.'],
  ['SQLITE_LOCKED', 'locked', 'Another process has locked the database.'],
  ['SQLITE_PROTOCOL', 'locked', 'Another process has locked the database.'],
  ['SQLITE_IOERR', 'unavailable', 'The file of the database cannot be read or written.'],
  ['SQLITE_READONLY', 'unavailable', 'The database cannot be written.'],
  ['SQLITE_CANTOPEN', 'unavailable', 'The file of the database cannot be opened.'],
  ['SQLITE_PERM', 'unavailable', 'The file of the database cannot be opened.'],
  ['EROFS', 'unavailable', 'The database cannot be written.'],
  ['EACCES', 'unavailable', 'The file of the database cannot be opened.'],
  ['EPERM', 'unavailable', 'The file of the database cannot be opened.'],
  ['EIO', 'unavailable', 'The file of the database cannot be read or written.'],
  ['ESTALE', 'unavailable', 'The file of the database cannot be read or written.'],
  ['SQLITE_CORRUPT', 'corrupt', 'The database is damaged.'],
  ['SQLITE_NOTADB', 'corrupt', 'The database is damaged.'],
];

/** The error itself, or, when it is one of the storage, a StorageError that has it as its cause. */
export function explain(error: unknown, folder: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (error instanceof StorageError || typeof code !== 'string') return error;
  const known = faults.find(([start]) => code.startsWith(start));
  if (known === undefined) return error;
  const [, fault, message] = known;
  // Where SQLite cannot extend its shared memory or flush a file because the disk is full, it calls that an I/O error.
  if (code.startsWith('SQLITE_IOERR') && !hasFreeSpace(folder)) {
    return new StorageError('full', 'The disk of the database is full.', { cause: error });
  }
  return new StorageError(fault, message, { cause: error });
}

export function isLocked(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY');
}

/** Whether the disk of this folder has room for a write; true when that cannot be found out. */
export function hasFreeSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= minFreeSpace;
  } catch {
    return true;
  }
}
