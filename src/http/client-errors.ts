/** What arrives on a connection and is not a request: no HTTP, headers that are too large, or a request too late. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorText } from './errors.ts';

type ClientError = [status: number, code: string, message: string];

const malformedRequest: ClientError = [400, 'malformed_request', 'This is not an HTTP request that can be read.'];

/** By the error codes of Node.js. HPE is its HTTP parser. */
const clientErrors: Record<string, ClientError> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request line and headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
};

/**
 * Refuses what Node.js cannot read as a request, and closes the connection. Fastify has no request and no reply for it,
 * so the response is written to the socket.
 *
 * @param headers what every response carries.
 */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket, headers: Record<string, string>): void {
  // The client is gone, or a response was sent already.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, message] = clientErrors[error.code ?? ''] ?? malformedRequest;
  const body = errorText(status, [{ code, message }], randomUUID());
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  // An import of node:http would load its client, which the service never uses.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
