/** Finds out whether a server is still there: one without power, or without a network, closes no connection. */
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { PoolClient } from 'pg';

/** How long a server may be silent before it is asked for a sign, and how long it has to give one, in milliseconds. */
export const patience = 2000;

/** Asks whether the server speaks TLS: https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SSLREQUEST */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Where the server of a connection is: where a name led to when it was made. */
export function addressOf({ host, port, connection }: PoolClient): NetConnectOpts {
  const { remoteAddress, remotePort } = connection.stream as Socket;
  return remoteAddress === undefined
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: remoteAddress, port: remotePort as number };
}

/**
 * Whether a server answers to a new connection. It is asked what it answers to anybody, before any login: that could take long
 * at a server that is well.
 */
export async function answers(address: NetConnectOpts): Promise<boolean> {
  const socket = connect(address);
  try {
    socket.write(sslRequest);
    await once(socket, 'data', { signal: AbortSignal.timeout(patience) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
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
