/** Sends one query on a connection, and gives it up when it takes too long. */
import type { CompiledQuery } from 'kysely';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { StatementTimeout } from './faults.ts';
import { cut, patience } from './silence.ts';

/** What is sent to a server. */
export type Query = Pick<CompiledQuery, 'sql' | 'parameters'>;

/** Sends a query on a connection. */
export type Send = (client: PoolClient, query: Query) => Promise<QueryResult>;

/** The event of a client that has waited for a result for `patience`, once more. */
export const waiting = 'waiting';

/**
 * Sends a query. When its result does not come in time, the connection is closed: nobody knows what it would get next.
 *
 * Not with promises of `pg`, nor with its `query_timeout`: both keep what a query has sent and received in memory until all
 * memory is looked through. Without them a PUT takes a tenth less of CPU time.
 *
 * @param timeout in milliseconds, up to 2 ** 31 - 1.
 * @throws StatementTimeout, and what `pg` or the server says.
 */
export function sendOn(client: PoolClient, query: QueryConfig, timeout: number): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      timer = setTimeout(
        () => {
          if (left > patience) {
            client.emit(waiting);
            wait(left - patience);
          } else {
            reject(new StatementTimeout());
            cut(client);
          }
        },
        Math.min(left, patience),
      );
    };
    wait(timeout);
    client.query(query, (error: Error | null, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });
}
