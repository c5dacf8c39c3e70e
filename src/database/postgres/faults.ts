/** What the errors of PostgreSQL and of the connections to it say about the storage. */
import { DatabaseError } from 'pg';
import { StorageError, type StorageFault } from '../storage-error.ts';

/** By SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const faults: [state: string, fault: StorageFault, message: string][] = [
  ['53100', 'full', 'The disk of the database is full.'],
  ['40001', 'locked', 'Other transactions changed the same records, again and again.'],
  ['40P01', 'locked', 'Other transactions changed the same records, again and again.'],
  ['55P03', 'locked', 'Another session has locked the records.'],
  ['25006', 'unavailable', 'The database only takes reads.'],
  ['57014', 'unavailable', 'The database ended the statement.'],
  ['08', 'unavailable', 'The connection to the database was lost.'],
  ['53', 'unavailable', 'The database has no resources left.'],
  ['57', 'unavailable', 'The database does not serve at the moment.'],
  ['58', 'unavailable', 'The database cannot read or write its files.'],
  ['28', 'unavailable', 'The database refuses this role.'],
  ['3D', 'unavailable', 'The database does not exist.'],
  ['25P03', 'unavailable', 'The database ended the transaction.'],
  ['XX001', 'corrupt', 'The database is damaged.'],
  ['XX002', 'corrupt', 'The database is damaged.'],
];

/** What another transaction that was faster causes, and nothing else: the same work succeeds when it is done again. */
const conflicts = new Set([
  '40001',
  '40P01',
  // It has inserted what this one found missing.
  '23505',
  // It has deleted what this one refers to.
  '23503',
]);

/** A statement took too long, and the server did not say so: its connection was closed. */
export class StatementTimeout extends Error {
  constructor() {
    super('A statement took too long.');
  }
}

/** There is no connection to be had: to ask for one again at once would not help. */
export class NoConnection extends StorageError {
  constructor(error: unknown) {
    const known = explain(error);
    if (isExhausted(error)) super('exhausted', 'All connections to the database are in use.', { cause: error });
    else if (known instanceof StorageError) super(known.fault, known.message, { cause: error });
    else super('unavailable', 'The database cannot be reached.', { cause: error });
  }
}

/**
 * What is thrown of an error of `pg`: the error itself, or, when it is one of the storage, a StorageError that has it as
 * its cause.
 */
export function explain(error: unknown): unknown {
  if (error instanceof StorageError) return error;
  const state = stateOf(error);
  if (state === undefined) {
    return isOfConnection(error)
      ? new StorageError('unavailable', 'The connection to the database was lost.', { cause: error })
      : error;
  }
  const known = faults.find(([start]) => state.startsWith(start));
  return known === undefined ? error : new StorageError(known[1], known[2], { cause: error });
}

/** Whether an error of a transaction is one of the database or of the connection, and not of the work that was done in it. */
export function isOfDatabase(error: unknown): boolean {
  return error instanceof StorageError || stateOf(error) !== undefined;
}

/** The error of a statement whose effect is unknown: the connection was lost before the server told. */
export function uncertain(error: unknown): StorageError {
  return new StorageError('uncertain', 'The connection was lost while the database stored this.', {
    cause: causeOf(error),
  });
}

/**
 * Whether what failed so left nothing behind, and may succeed when it is done again at once. Of a statement outside of a
 * transaction this is so only when it reads, or when the error is not `isCut`.
 */
export function mayRepeat(error: unknown): boolean {
  if (error instanceof NoConnection || (error instanceof StorageError && error.fault === 'uncertain')) return false;
  const cause = causeOf(error);
  if (isCut(cause)) return isLost(cause);
  return isUnsent(cause) || conflicts.has(stateOf(cause) ?? '') || isStale(cause) || isReadOnly(cause);
}

/** Whether the connection was lost before the server told what came of a statement. */
export function isCut(error: unknown): boolean {
  if (isUnsent(error)) return false;
  return stateOf(error) === undefined ? isOfConnection(error) : isTermination(error);
}

/** Whether the connection was lost, other than by giving up a statement that took too long. */
export function isLost(error: unknown): boolean {
  const cause = causeOf(error);
  return isUnsent(cause) || (isCut(cause) && !(cause instanceof StatementTimeout));
}

/** Whether the connection is of no use any more. The error may be a StorageError. */
export function breaksConnection(error: unknown): boolean {
  const cause = causeOf(error);
  return stateOf(cause) === undefined || isTermination(cause) || isStale(cause) || isReadOnly(cause);
}

/** Whether the server takes no writes (any more): after a failover the service may still be connected to it. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(causeOf(error)) === '25006';
}

/** Whether a statement was refused because one before it, in the same transaction, had failed. */
export function isAborted(error: unknown): boolean {
  return stateOf(error) === '25P02';
}

/** Whether a statement that was prepared is not there, or is there although it was not: a pooler is in between. */
export function isUnknownStatement(error: unknown): boolean {
  return ['26000', '42P05'].includes(stateOf(error) ?? '');
}

/** Whether a pooler lets no new connection choose how long the server works on a statement. */
export function refusesTimeout(error: unknown): boolean {
  return stateOf(error) === '08P01' && /startup parameter: statement_timeout/.test((error as Error).message);
}

/** Whether a prepared statement is unknown, or out of date because tables have changed. */
function isStale(error: unknown): boolean {
  return (
    isUnknownStatement(error) ||
    (stateOf(error) === '0A000' && (error as Error).message.startsWith('cached plan must not change'))
  );
}

/** Whether the server ended the session. */
function isTermination(error: unknown): boolean {
  const { severity } = error as DatabaseError;
  return severity === 'FATAL' || severity === 'PANIC';
}

// `pg` tells these by their message only.
const isExhausted = (error: unknown) => (error as Error).message === 'timeout exceeded when trying to connect';
/** Whether a statement was not sent, because its connection was known to be broken. */
const isUnsent = (error: unknown) => error instanceof Error && error.message.endsWith('is not queryable');

function causeOf(error: unknown): unknown {
  return error instanceof StorageError ? error.cause : error;
}

/** What the server says, as its five characters; undefined when it was not the server. */
function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Whether an error is one of the connection: errors of the program itself are not. */
function isOfConnection(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}
