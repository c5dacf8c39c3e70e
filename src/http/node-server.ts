/** The HTTP server of Node.js below Fastify: what bounds a request in time, and what Node.js would do by itself. */
import type { RequestListener, Server } from 'node:http';
import type { Connections } from './connections.ts';

/**
 * What bounds a request in time. Nothing bounds a handler that works and writes, or a response that is being read:
 * a list of all surveys may take as long as its reader needs.
 */
const timeLimits = {
  /**
   * From the first byte of a request (of the first one: from the connection) to the end of its headers. Headers have at
   * most 16 KiB, which the slowest mobile network carries in a few seconds. A client that sends less holds a connection
   * for nothing; it gets 408. Node.js looks every 30 s, so this and the next limit may take 30 s more.
   */
  headersTimeout: 20_000,
  /**
   * To the end of the body. The largest body of 1 MiB arrives in this time at 280 kbit/s. It must not be shorter than
   * headersTimeout. A client that takes longer gets 408.
   */
  requestTimeout: 30_000,
  /** Between two requests on a connection. */
  keepAliveTimeout: 72_000,
  /**
   * While no byte is received or sent on a connection, whatever the reason. It frees the connection and the rest of the
   * response when a reader has stopped. It is long enough for a phone that changes its network, and longer than
   * requestTimeout with its delay, so that a slow sender gets the 408. This limit closes the connection without a
   * response, also that of a handler that writes nothing for so long; no operation comes near to that. Node.js may need
   * twice this time to see that a reader has stopped. Between two requests keepAliveTimeout counts.
   */
  connectionTimeout: 120_000,
} as const;

/** Creates a server that gives every request it can read to the listener, and has its connections followed. */
export function createNodeServer(listener: RequestListener, connections: Connections): Server {
  const { connectionTimeout, ...options } = timeLimits;
  // An import of node:http would load its client, which the service never uses.
  const { createServer } = process.getBuiltinModule('node:http');
  // A request without Host is refused later, in the contract's shape.
  const server = createServer({ ...options, requireHostHeader: false }, (request, response) => {
    connections.begin(request, response);
    listener(request, response);
  });
  connections.follow(server);
  server.setTimeout(connectionTimeout);
  // A client may close its side of the connection after its last request, and wait for the response. Node.js would
  // close the other side at once, and lose a response that is not written yet.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node.js would refuse an unknown expectation without a body. Here it is ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Node.js would ask for the body before anybody has decided whether the client may send it. Here it is asked for when
  // it begins to be read: nothing is read of a body that is refused or ignored.
  server.on('checkContinue', (request, response) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
  return server;
}
