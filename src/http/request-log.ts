/** The log of requests: one line each, written when the response has been sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whether a logger of this level writes the line. */
export function logsRequests(level: string): boolean {
  return ['trace', 'debug', 'info'].includes(level);
}

/** Writes the line. It has no header and no body: those may hold credentials and what people report. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { id: reqId, method, url, routeOptions } = request;
  const { operationId } = routeOptions.config;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  request.log.info({ reqId, operationId, method, url, status: reply.statusCode, ms }, 'responded');
}
