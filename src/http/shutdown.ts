/** The orderly end of a server: each connection is closed as soon as its last accepted request has its response. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../contract/problem.ts';

/** Why a request is refused that arrives on an open connection after the end has begun. */
export const shuttingDown: Problem = {
  code: 'service_unavailable',
  message: 'The service is shutting down. Try again in a moment.',
};

/**
 * Makes `app.close()` close the connections in good order. Node.js alone waits for connections that stay open after
 * their response, and for connections on which no request was ever sent.
 *
 * Returns a function to call with every request: it notes which response the connection has to finish, and tells
 * whether the server is closing.
 */
export function closeInOrder(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => boolean {
  let closing = false;
  /** The open connections, each with the last response that was begun on it. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  app.server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.on('close', () => connections.delete(socket));
  });
  app.addHook('preClose', async () => {
    closing = true;
    for (const [socket, response] of connections) closeAfter(response, socket);
  });
  return ({ raw: { socket } }, { raw: response }) => {
    // Requests of `inject` have no connection.
    if (connections.has(socket)) connections.set(socket, response);
    return closing;
  };
}

/** Closes a connection after its last response, which may be finished already. */
function closeAfter(response: ServerResponse | undefined, socket: Socket): void {
  // Without one of these, Node.js would keep the connection open for a next request.
  if (response?.headersSent === false) response.setHeader('connection', 'close');
  else if (response?.writableFinished === false) response.once('finish', () => socket.end());
  // Node.js takes a connection on which nothing was sent yet for one with a request, and would wait for it.
  if (socket.bytesRead === 0) socket.destroy();
}
