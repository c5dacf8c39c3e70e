/** The open connections of a server and what is under way on them. Whoever closes one, or writes to one, asks here. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connection {
  socket: Socket;
  /** When it was accepted, on the clock of performance.now(). */
  accepted: number;
  /** How many requests were begun on it. */
  requests: number;
  /** The last response that was begun on it. Responses are sent in the order of their requests. */
  response: ServerResponse | undefined;
  /** Whether it will be closed after that response. */
  closing: boolean;
}

export class Connections {
  readonly #open = new Map<Socket, Connection>();
  /** How many connections have been accepted. */
  accepted = 0;

  /** Follows the connections of a server. */
  follow(server: Server): void {
    server.on('connection', (socket) => {
      this.accepted += 1;
      this.#open.set(socket, { socket, accepted: performance.now(), requests: 0, response: undefined, closing: false });
      socket.on('close', () => this.#open.delete(socket));
    });
  }

  /** To be called first with every request of that server. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    connection.response = response;
  }

  /** The connection of this socket; undefined when it is closed, or is none: `inject` makes requests without one. */
  get(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }
}

/** Closes a connection when its last response has been sent, if one is under way. */
export function closeAfterResponse(connection: Connection): void {
  const { socket, response, closing } = connection;
  if (closing || response === undefined || response.writableFinished) return;
  connection.closing = true;
  // Without one of these, Node.js would keep the connection open for a next request.
  if (!response.headersSent) response.setHeader('connection', 'close');
  else response.once('finish', () => socket.destroySoon());
}
