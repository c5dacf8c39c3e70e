/** The Fastify instance before any route: its limits, its errors, its log, and an orderly end. */
import { randomUUID } from 'node:crypto';
import sensible from '@fastify/sensible';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Problem } from '../contract/problem.ts';
import { handleClientError, unsupportedTransferEncoding } from './client-errors.ts';
import { Connections } from './connections.ts';
import { allowOrigin, allowOrigins } from './cors.ts';
import { handleError, sendRefusal } from './errors.ts';
import { FaultLog } from './fault-log.ts';
import { createNodeServer } from './node-server.ts';
import { notFoundHandler } from './not-found.ts';
import { isAuthority } from './public-address.ts';
import { logRequest, logsRequests } from './request-log.ts';
import { endInOrder } from './shutdown.ts';

export interface HttpServerOptions {
  /** The `Link` header of every response, also of what is not HTTP. */
  link: string;
  /** Without one nothing is logged. */
  logger?: FastifyBaseLogger | undefined;
}

/**
 * Creates a server without routes; the caller adds them. It refuses in the contract's shape what is not found, what is
 * not HTTP and what comes too late.
 */
export async function createHttpServer(
  {
    bodyLimit,
    logLevel,
    corsOrigins,
    compression = false,
  }: Pick<Config, 'bodyLimit' | 'logLevel'> & Partial<Pick<Config, 'corsOrigins' | 'compression'>>,
  { link, logger }: HttpServerOptions,
): Promise<FastifyInstance> {
  const headers = {
    link,
    // A response may hold what only its caller may see. What anybody may see replaces this.
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
  /** Sets them one by one, which is faster than with `reply.headers`. */
  const setHeaders = (reply: FastifyReply) =>
    reply
      .header('link', headers.link)
      .header('cache-control', headers['cache-control'])
      .header('x-content-type-options', headers['x-content-type-options']);
  const connections = new Connections();
  const app = fastify({
    ...(logger && { loggerInstance: logger }),
    // request-log.ts writes one line for each request. Fastify would write two, through a logger of its own for each
    // request, which costs more than the line.
    logController: new FaultLog(),
    childLoggerFactory: (shared) => shared,
    genReqId: () => randomUUID(),
    bodyLimit,
    serverFactory: (listener) => createNodeServer(listener, connections),
    // Requests are refused in the contract's shape while the server closes.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    // Fastify calls it for a path that it cannot decode; hooks do not run for those.
    frameworkErrors: (error, request, reply: FastifyReply) => {
      if (corsOrigins !== undefined) allowOrigin(request, reply, corsOrigins);
      handleError(error, request, setHeaders(reply));
      logRequest(request, reply);
    },
    clientErrorHandler: (error, socket) => handleClientError(error, socket, connections.get(socket), headers),
  });
  app.decorate('compresses', compression);
  acceptEveryMethod(app);
  await app.register(sensible);

  app.setErrorHandler(handleError);
  const refuseUnknown = notFoundHandler(app);
  app.setNotFoundHandler(refuseUnknown);
  if (corsOrigins !== undefined) await allowOrigins(app, corsOrigins);
  const whenAdmitted = endInOrder(app, connections);
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply);
    whenAdmitted(request, reply, () => {
      const refusal = refusalOfHeaders(request);
      if (refusal !== undefined) {
        const { status, ...problem } = refusal;
        sendRefusal(reply.header('connection', 'close'), status, [problem]);
      } else if (request.corsPreflightEnabled) {
        // Safari waits for a body that has no length, even with 204.
        reply.code(204).header('content-length', '0').send();
      } else if (request.is404) {
        // Fastify calls the not-found handler only after it has read the body.
        refuseUnknown(request, reply);
      } else {
        done();
      }
    });
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

/** Why a request is refused whatever it asks for: because of headers that say where it is sent to, and where it ends. */
function refusalOfHeaders({ raw }: FastifyRequest): (Problem & { status: number }) | undefined {
  const { headers, httpVersion, rawHeaders } = raw;
  const { host, 'transfer-encoding': coding } = headers;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unsupportedTransferEncoding;
  // HTTP/1.0 allows a request without Host.
  if (host === undefined) return httpVersion === '1.1' ? wrongHost('is missing') : undefined;
  if (!isAuthority(host)) return wrongHost('is not a host name or address, with or without a port');
  return isRepeated('host', rawHeaders) ? wrongHost('is given more than once') : undefined;
}

/** Whether a header is given more than once. Of some, Host among them, Node.js shows only the first in `headers`. */
function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const other = rawHeaders[index]!;
    if (other.length === name.length && other.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

const wrongHost = (what: string) => ({
  status: 400,
  code: 'malformed_request',
  message: `The header Host ${what}.`,
  source: { header: 'host' },
});
