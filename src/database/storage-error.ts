/** What goes wrong with the storage itself, in words that the rest of the service understands. */

/**
 * `full`: there is no room left. `locked`: another process has held the lock for too long. `unavailable`: the file
 * cannot be read or written, or is no longer the one that was opened. `overloaded`: too much is to be read at once.
 * `exhausted`: all connections are in use. `uncertain`: the connection was lost before the database told whether it has
 * committed. `corrupt`: what is stored is damaged.
 */
export type StorageFault = 'full' | 'locked' | 'unavailable' | 'overloaded' | 'exhausted' | 'uncertain' | 'corrupt';

/** A fault of the storage. Nothing of the transaction in which it occurs is stored, unless that is uncertain. */
export class StorageError extends Error {
  readonly fault: StorageFault;

  constructor(fault: StorageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
