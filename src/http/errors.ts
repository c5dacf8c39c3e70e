/** Errors in the one shape of the contract: its body, the function that sends it, and Fastify's error handler. */
import { Readable } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Schema } from '../api/handler.ts';
import { acceptedCoding, compressedStream, minCompressedSize } from '../contract/codings.ts';
import { maxReportedProblems, type Problem } from '../contract/problem.ts';
import { logFault } from './fault-log.ts';
import { storageRefusal } from './storage-refusals.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether responses are compressed for the clients that ask for it. */
    compresses: boolean;
  }
}

/** How large an error response may be, in bytes: however large a body is, what is said of it stays readable. */
const maxErrorSize = 2 ** 16;

/** The JSON text of every error response. It reports as many problems as the contract says, or as fit its size. */
export function errorText(status: number, problems: readonly Problem[], requestId: string): string {
  for (let count = maxReportedProblems; ; count = Math.ceil(count / 2)) {
    const body: Schema<'ErrorBody'> = {
      errors: problems
        .slice(0, count)
        .map(({ message, code, source }) => ({ status, message, code, ...(source && { source }) })),
      request_id: requestId,
    };
    const text = JSON.stringify(body);
    if (count === 1 || Buffer.byteLength(text) <= maxErrorSize) return text;
  }
}

/** Sends the response that refuses a request. Headers that were set before stay. */
export function sendRefusal(reply: FastifyReply, status: number, problems: readonly Problem[]): FastifyReply {
  const { id, headers } = reply.request;
  const text = errorText(status, problems, id);
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
  if (text.length <= minCompressedSize || !reply.server.compresses) return reply.send(text);
  const coding = acceptedCoding(headers['accept-encoding'] as string | undefined);
  reply.vary('accept-encoding');
  if (coding === undefined) return reply.send(text);
  return reply.header('content-encoding', coding).send(compressedStream(Readable.from([Buffer.from(text)]), coding));
}

/** The requests that Fastify itself refuses, by its error code. Its own messages do not say what to send instead. */
const fastifyRefusals: Record<string, Problem> = {
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
};

const bodyTooLarge = (limit: number | undefined): Problem => ({
  code: 'body_too_large',
  message: `The body is larger than ${limit} bytes.`,
});

const internalError: Problem = {
  code: 'internal_error',
  message: 'Something went wrong in the service. Try again later, or report the request_id.',
};

/**
 * Fastify's error handler, also for errors before routing. An error is a refusal when it carries problems (the engine
 * throws those) or when Fastify raised it about the request. Any other error is a fault: it is logged, and the response
 * is 500 without detail, or says what is wrong with the storage.
 */
export function handleError(
  error: FastifyError & { problems?: Problem[] },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // It may be of a stream of which nothing was sent yet: the response to the error takes its place.
  reply.removeHeader('content-encoding');
  const status = error.statusCode ?? 500;
  const problems = error.problems ?? problemsOf(error, status, request);
  if (problems !== undefined) {
    // Only in development a fault says what is wrong: a reply that does not fit the contract.
    if (status === 500) logFault(error, request);
    sendRefusal(reply, status, problems);
    return;
  }
  logFault(error, request);
  const storage = storageRefusal(error);
  if (storage === undefined) sendRefusal(reply, 500, [internalError]);
  else sendRefusal(reply.headers(storage.headers), storage.status, [storage.problem]);
}

/** What an error of Fastify says about the request; undefined when it is not about the request. */
function problemsOf({ code, message }: FastifyError, status: number, request: FastifyRequest): Problem[] | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return [bodyTooLarge(request.routeOptions.bodyLimit)];
  const refusal = fastifyRefusals[code];
  if (refusal) return [refusal];
  return status < 500 ? [{ code: 'malformed_request', message }] : undefined;
}
