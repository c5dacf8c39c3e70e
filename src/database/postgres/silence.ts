/** Finds out whether a server is still there: one without power, or without a network, closes no connection. */
import type { Socket } from 'node:net';
import { Client, type ClientConfig, DatabaseError, type PoolClient } from 'pg';

/** How long a server may be silent before it is asked for a sign, and how long it has to give one, in milliseconds. */
export const patience = 2000;

/** Whether a server answers to a new connection, whatever it says. */
export async function answers(config: ClientConfig): Promise<boolean> {
  const client = new Client({ ...config, connectionTimeoutMillis: patience });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof DatabaseError;
  } finally {
    client.end().catch(() => {});
  }
}

/** How many bytes have come on these connections. */
export function received(clients: readonly PoolClient[]): number {
  return clients.reduce((sum, { connection }) => sum + (connection.stream as Socket).bytesRead, 0);
}

/** Closes a connection at once: `end` would wait for the results of what was sent. */
export function cut({ connection }: PoolClient): void {
  connection.stream.destroy();
}
