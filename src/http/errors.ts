/** Every refusal and fault in the one shape of the contract, whoever raised it. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Schema } from '../api/handler.ts';
import { maxReportedProblems, type Problem } from '../contract/problem.ts';

/** The body of every error. */
export function errorBody(status: number, problems: readonly Problem[], requestId: string): Schema<'ErrorBody'> {
  return {
    errors: problems
      .slice(0, maxReportedProblems)
      .map(({ message, code, source }) => ({ status, message, code, ...(source && { source }) })),
    request_id: requestId,
  };
}

/** Answers a request that is refused. */
export function refuse(reply: FastifyReply, status: number, problems: readonly Problem[]): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(status, problems, reply.request.id)));
}

/** What Fastify refuses by itself, in this service's words. */
const refusals: Record<string, Problem> = {
  FST_ERR_BAD_URL: {
    code: 'malformed_url',
    message: 'The path is not a valid URL: percent signs must begin an escape such as %20.',
  },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'url_too_long', message: 'A part of the path is too long.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'Send the body as application/json.',
    source: { header: 'content-type' },
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'malformed_request',
    message: 'The body is not as long as its Content-Length says.',
  },
  FST_ERR_HANDLER_TIMEOUT: { code: 'service_unavailable', message: 'The service took too long. Try again later.' },
};

const bodyTooLarge = (limit: number | undefined): Problem => ({
  code: 'body_too_large',
  message: `The body is larger than ${limit} bytes.`,
});

const fault: Problem = {
  code: 'internal_error',
  message: 'Something went wrong in the service. Try again later, or report the request_id.',
};

/**
 * Fastify's error handler, also for errors before routing. An error that carries problems or that Fastify
 * raised about the request is a refusal; anything else is a fault: logged, and answered without detail.
 */
export function answerError(
  error: FastifyError & { problems?: Problem[] },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const status = error.statusCode ?? 500;
  if (error.problems) return void refuse(reply, status, error.problems);
  const refusal =
    error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? bodyTooLarge(request.routeOptions.bodyLimit) : refusals[error.code];
  if (refusal) return void refuse(reply, status, [refusal]);
  if (status < 500) return void refuse(reply, status, [{ code: 'malformed_request', message: error.message }]);
  request.log.error({ reqId: request.id, err: error, operationId: request.routeOptions.config.operationId }, 'fault');
  refuse(reply, 500, [fault]);
}

/** Answers what is not HTTP, or not in time, on the bare socket: there is no request yet. */
export function answerGarbage(error: NodeJS.ErrnoException, socket: Socket, headers: Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, code, message] = garbage[error.code ?? ''] ?? [
    400,
    'malformed_request',
    'This is not an HTTP request that can be read.',
  ];
  const body = JSON.stringify(errorBody(status, [{ code, message }], randomUUID()));
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

const garbage: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request line and headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
};
