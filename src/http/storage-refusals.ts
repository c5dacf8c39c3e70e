/** The responses to faults of the storage. They are no fault of the service itself, so each says what it is. */
import type { Problem } from '../contract/problem.ts';
import { StorageError, type StorageFault } from '../database/storage-error.ts';

/** After how many seconds a client may try again: a lock or a full disk lasts for seconds at least. */
const retryAfter = { 'retry-after': '5' };

export interface StorageRefusal {
  status: number;
  problem: Problem;
  headers: Record<string, string>;
}

const refusals: Record<StorageFault, StorageRefusal> = {
  full: {
    status: 507,
    problem: { code: 'storage_full', message: 'There is no room left to store this. Nothing was changed.' },
    headers: {},
  },
  locked: {
    status: 503,
    problem: {
      code: 'service_unavailable',
      message: 'Another program has locked the database. Nothing was changed. Try again in a moment.',
    },
    headers: retryAfter,
  },
  unavailable: {
    status: 503,
    problem: {
      code: 'service_unavailable',
      message: 'The database cannot be used at the moment. Nothing was changed. Try again later.',
    },
    headers: retryAfter,
  },
  overloaded: {
    status: 503,
    problem: {
      code: 'service_unavailable',
      message: 'Too many long lists are being read at the moment. Try again in a moment.',
    },
    headers: retryAfter,
  },
  exhausted: {
    status: 503,
    problem: {
      code: 'service_unavailable',
      message: 'Too many requests wait for the database at the moment. Nothing was changed. Try again in a moment.',
    },
    headers: retryAfter,
  },
  uncertain: {
    status: 503,
    problem: {
      code: 'service_unavailable',
      message:
        'The connection to the database was lost while this was being stored, so it may be stored or not. ' +
        'Read what is there before you send it again.',
    },
    headers: retryAfter,
  },
  corrupt: {
    status: 500,
    problem: {
      code: 'content_corrupt',
      message: 'What is stored is damaged, so it is not returned. Report the request_id.',
    },
    headers: {},
  },
};

/** The response to an error of the storage; undefined for any other error. */
export function storageRefusal(error: unknown): StorageRefusal | undefined {
  return error instanceof StorageError ? refusals[error.fault] : undefined;
}
