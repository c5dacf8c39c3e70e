/** What arrives on a connection and is not a request: no HTTP, headers that are too large, or a request too late. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { EngineProblem } from '../contract/problem.ts';
import { problemError } from '../contract/problem-error.ts';
import { type Connection, closeAfterResponse } from './connections.ts';
import { errorText } from './errors.ts';

/** An error of Node.js, which may have the reason of its HTTP parser. */
export type ClientError = NodeJS.ErrnoException & { reason?: string };

type Refusal = EngineProblem & { status: number };

const malformedRequest: Refusal = {
  status: 400,
  code: 'malformed_request',
  message: 'This is not an HTTP request that can be read.',
};

export const unsupportedTransferEncoding: Refusal = {
  status: 501,
  code: 'unsupported_transfer_encoding',
  message: 'The only transfer coding that is supported is chunked.',
  source: { header: 'transfer-encoding' },
};

/** By the error codes of Node.js. HPE is its HTTP parser. */
const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: 'The request line and headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
  },
};

/** What to respond to an error. The parser has one code for all that is wrong with the header Transfer-Encoding. */
function refusalOf({ code = '', reason = '' }: ClientError): Refusal {
  if (reason.startsWith('Invalid `Transfer-Encoding`')) return unsupportedTransferEncoding;
  return refusals[code] ?? malformedRequest;
}

/**
 * Handles what Node.js cannot read as a request, or not in time, and closes the connection.
 *
 * - A request whose body cannot be read to its end is refused by whoever reads it.
 * - A request that has a response, or is about to have one, gets no second one. What is under way is finished.
 * - Otherwise the error is in what should be the next request. Fastify has no request and no reply for it, so the
 *   response is written to the socket.
 *
 * @param connection undefined when the connection is closed already.
 * @param headers what every response carries.
 */
export function handleClientError(
  error: ClientError,
  socket: Socket,
  connection: Connection | undefined,
  headers: Record<string, string>,
): void {
  // The client is gone, it has sent nothing that asks for a response, or it has got one to such an error already.
  if (error.code === 'ECONNRESET' || socket.bytesRead === 0 || !socket.writable || connection === undefined) {
    socket.destroy();
    return;
  }
  const { status, ...problem } = refusalOf(error);
  const { response } = connection;
  if (response === undefined || (response.req.complete && response.writableFinished)) {
    refuse(socket, status, problem, headers);
  } else if (response.writableFinished) {
    socket.destroy();
  } else {
    closeAfterResponse(connection);
    if (!response.req.complete && !response.headersSent) failReading(response.req, problemError(status, problem));
  }
}

/** Gives an error to whoever reads the body of a request, or begins to read it later; nobody may do so. */
function failReading(request: IncomingMessage, error: Error): void {
  // Without a listener it would be thrown.
  const fail = () => request.listenerCount('error') > 0 && request.emit('error', error);
  if (!fail()) request.once('resume', fail);
}

/** Writes a response to the socket. */
function refuse(socket: Socket, status: number, problem: EngineProblem, headers: Record<string, string>): void {
  const body = errorText(status, [problem], randomUUID());
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  // An import of node:http would load its client, which the service never uses.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
