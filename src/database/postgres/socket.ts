/** The socket of a connection to a PostgreSQL server: it sends together what is written together. */
import { Socket } from 'node:net';

/**
 * Statements that are sent in one turn of the event loop go in one system call; `pg` would make one for each. Where the
 * connection is encrypted, they go one by one.
 */
export class BatchingSocket extends Socket {
  #isBatching = false;

  override write(...chunk: unknown[]): boolean {
    if (!this.#isBatching) {
      this.#isBatching = true;
      this.cork();
      process.nextTick(() => {
        this.#isBatching = false;
        this.uncork();
      });
    }
    return super.write(...(chunk as [string]));
  }
}
