/**
 * The orderly end of a server. It first drains: requests are still accepted and served, until there are no more. Then
 * each connection is closed as soon as its last accepted request has its response.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../contract/problem.ts';
import { type Connection, type Connections, closeAfterResponse } from './connections.ts';
import { sendRefusal } from './errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Tells every client to come no more, and stops listening when no request has arrived for `quiet` milliseconds. Ten
     * times as long is enough, and five seconds: clients that never stop are refused then. To be called before
     * `close()`; it does nothing when the server does not listen.
     */
    drain: (quiet: number, cancelled: AbortSignal) => Promise<void>;
  }
}

/** The longest time that requests may keep arriving, in milliseconds: the rest of the 10 s is for their responses. */
const longestDrain = 5000;
/** How long a new connection may be silent at the end, in milliseconds: its client is about to send a request. */
const longestSilence = 2000;
/** How long to wait for a moment without new connections, in milliseconds. */
const longestHold = 2000;
/** How many connections can wait to be accepted: what Node.js asks the operating system for. */
const backlog = 511;

const shuttingDown: Problem = {
  code: 'service_unavailable',
  message: 'The service is shutting down. Try again in a moment.',
};

/** What asks whether this server should get requests. */
const readiness = '/health/ready';

/**
 * Makes `app.close()` close the connections in good order, and adds `app.drain()`. Node.js alone waits for connections
 * that stay open after their response, and for connections on which no request was ever sent.
 *
 * Returns a function to call with every request. It calls `admit` when the request may be served, at once or later,
 * and otherwise refuses it.
 */
export function endInOrder(
  app: FastifyInstance,
  connections: Connections,
): (request: FastifyRequest, reply: FastifyReply, admit: () => void) => void {
  let phase: 'serving' | 'draining' | 'closing' = 'serving';
  /** How many requests have arrived since the drain began. */
  let requests = 0;
  /** Requests are served after this. */
  let held: Promise<void> | undefined;
  /** How long a connection may be silent before its first request. */
  let silence = 0;

  app.decorate('drain', async (quiet: number, cancelled: AbortSignal) => {
    if (!app.server.listening) return;
    phase = 'draining';
    silence = quiet > 0 ? longestSilence : 0;
    for (const { response } of connections) {
      if (response?.headersSent === false) response.setHeader('connection', 'close');
    }
    await noRequests(quiet, cancelled);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    await noConnections();
    phase = 'closing';
    app.server.close();
    held = undefined;
    resolve();
  });

  /** Waits until no request has arrived for a time, which is counted in steps: while others work, no step passes. */
  async function noRequests(quiet: number, cancelled: AbortSignal): Promise<void> {
    const end = performance.now() + Math.min(10 * quiet, longestDrain);
    for (let steps = 0; steps < 10 && performance.now() < end && !cancelled.aborted; ) {
      const before = requests;
      await sleep(quiet / 10, undefined, { signal: cancelled }).catch(() => {});
      steps = requests === before ? steps + 1 : 0;
    }
  }

  /**
   * Waits for the best moment to stop listening. The operating system resets the connections that have not been
   * accepted by then, and Node.js accepts one in each turn of the event loop. While requests are held, clients that
   * wait for a response make no new connection, so there comes a turn in which nobody waits to be accepted.
   */
  async function noConnections(): Promise<void> {
    const end = performance.now() + longestHold;
    // More than were waiting at the beginning: they are from clients that wait for no response.
    const last = connections.accepted + backlog;
    for (let steps = 0; steps < 3 && connections.accepted <= last && performance.now() < end; ) {
      const before = connections.accepted;
      await sleep(5);
      // In this phase of the event loop, what has arrived by now has just been accepted and read.
      await setImmediate();
      steps = connections.accepted === before ? steps + 1 : 0;
    }
  }

  /** Closes a connection on which nothing was sent yet: Node.js takes it for one with a request, and would wait. */
  async function closeSilent({ socket, accepted }: Connection): Promise<void> {
    await sleep(Math.max(0, accepted + silence - performance.now()));
    await setImmediate();
    if (socket.bytesRead === 0) socket.destroy();
  }

  app.addHook('preClose', async () => {
    phase = 'closing';
    for (const connection of connections) {
      closeAfterResponse(connection);
      if (connection.socket.bytesRead === 0) void closeSilent(connection);
    }
  });

  return (request, reply, admit) => {
    if (phase === 'serving') {
      admit();
      return;
    }
    reply.header('connection', 'close');
    const isFirst = connections.get(request.raw.socket)?.requests === 1;
    if (request.routeOptions.url === readiness || (phase === 'closing' && !isFirst)) {
      sendRefusal(reply.header('retry-after', '1'), 503, [shuttingDown]);
      return;
    }
    requests += 1;
    if (held === undefined) admit();
    else void held.then(admit);
  };
}
