/** The Fastify instance before any route: its limits, its errors, its log, and an orderly end. */
import { randomUUID } from 'node:crypto';
import sensible from '@fastify/sensible';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import type { Problem } from '../contract/problem.ts';
import { handleClientError } from './client-errors.ts';
import { handleError, sendRefusal } from './errors.ts';
import { FaultLog } from './fault-log.ts';
import { notFoundHandler } from './not-found.ts';
import { logRequest, logsRequests } from './request-log.ts';
import { closeInOrder, shuttingDown } from './shutdown.ts';

export interface HttpServerOptions {
  /** The `Link` header of every response, also of what is not HTTP. */
  link: string;
  /** Without one nothing is logged. */
  logger?: FastifyBaseLogger | undefined;
}

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
  /**
   * While no byte is received or sent on a connection, whatever the reason. It frees the connection and the rest of the
   * response when a reader has stopped. It is long enough for a phone that changes its network, and longer than
   * requestTimeout with its delay, so that a slow sender gets the 408. This limit closes the connection without a
   * response, also that of a handler that writes nothing for so long; no operation comes near to that. Node.js may need
   * twice this time to see that a reader has stopped. Between two requests Fastify's keepAliveTimeout of 72 s counts.
   */
  connectionTimeout: 120_000,
} as const;

/**
 * Creates a server without routes; the caller adds them. It refuses in the contract's shape what is not found, what is
 * not HTTP and what comes too late.
 */
export async function createHttpServer(
  { bodyLimit, logLevel }: Pick<Config, 'bodyLimit' | 'logLevel'>,
  { link, logger }: HttpServerOptions,
): Promise<FastifyInstance> {
  const { headersTimeout, requestTimeout, connectionTimeout } = timeLimits;
  const app = fastify({
    ...(logger && { loggerInstance: logger }),
    // request-log.ts writes one line for each request. Fastify would write two, through a logger of its own for each
    // request, which costs more than the line.
    logController: new FaultLog(),
    childLoggerFactory: (shared) => shared,
    genReqId: () => randomUUID(),
    bodyLimit,
    requestTimeout,
    connectionTimeout,
    // A missing Host is refused below, in the contract's shape.
    http: { headersTimeout, requireHostHeader: false },
    // So is a request while the server closes.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    // Fastify calls it for a path that it cannot decode; hooks do not run for those.
    frameworkErrors: (error, request, reply: FastifyReply) => {
      handleError(error, request, reply.header('link', link));
      logRequest(request, reply);
    },
    clientErrorHandler: (error, socket) => handleClientError(error, socket, { Link: link }),
  });
  acceptEveryMethod(app);
  // Node.js would refuse an unknown expectation without a body. Here it is ignored.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  await app.register(sensible);

  app.setErrorHandler(handleError);
  const refuseUnknown = notFoundHandler(app);
  app.setNotFoundHandler(refuseUnknown);
  const isClosing = closeInOrder(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('link', link);
    if (isClosing(request, reply)) {
      sendRefusal(reply.header('connection', 'close'), 503, [shuttingDown]);
    } else if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      sendRefusal(reply, 400, [missingHost]);
    } else if (request.is404) {
      // Fastify calls the not-found handler only after it has read the body.
      refuseUnknown(request, reply);
    } else {
      done();
    }
  });
  if (logsRequests(logLevel)) {
    app.addHook('onResponse', (request, reply, done) => {
      logRequest(request, reply);
      done();
    });
  }
  return app;
}

/** Lets routes, and the responses with status 405, have every method that Node.js can read. */
function acceptEveryMethod(app: FastifyInstance): void {
  // An import of node:http would load its client, which the service never uses.
  for (const method of process.getBuiltinModule('node:http').METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

const missingHost: Problem = {
  code: 'malformed_request',
  message: 'The header Host is missing.',
  source: { header: 'host' },
};
