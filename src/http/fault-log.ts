/** The log of faults: errors that are not about a request. */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** Writes the line of a fault. */
export function logFault(error: Error, request: FastifyRequest): void {
  request.log.error({ reqId: request.id, err: error, operationId: request.routeOptions.config.operationId }, 'fault');
}

/** What Fastify logs by itself: no requests, because request-log.ts does that, but faults while a response is sent. */
export class FaultLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  /** A fault after the status was sent: the connection is cut. A client that goes away is no fault. */
  override streamError(error: Error & { code?: string }, request: FastifyRequest, _reply: FastifyReply): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') logFault(error, request);
  }
}
