/** The HTTP server before any operation: logs, publishes the contract, refuses in its shape, and ends in good order. */
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import sensible from '@fastify/sensible';
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from './config.ts';
import { describedBy, docs } from './docs.ts';
import { answerError, answerGarbage, refuse } from './errors.ts';

/** A server that performs nothing yet: what is not found, not HTTP or too late is refused in the contract's shape. */
export async function emptyApp(config: Config, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const links = describedBy(config.publicUrl);
  const app = fastify({
    ...(logger && { loggerInstance: logger }),
    // One line for each request is written below instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: config.bodyLimit,
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    // A list of all surveys may be long under way.
    handlerTimeout: 300_000,
    // A missing Host is refused below, in the contract's shape.
    http: { headersTimeout: 20_000, requireHostHeader: false },
    // Refused below, in the contract's shape.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    frameworkErrors: (error, request, reply: FastifyReply) => {
      answerError(error, request, reply.header('link', links));
      logAnswer(request, reply);
    },
    clientErrorHandler: (error, socket) => answerGarbage(error, socket, { Link: links }),
  });
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // An expectation that no one knows is ignored; Node.js would refuse it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler(answerError);
  const refuseUnknown = unknownRefuser(app);
  app.setNotFoundHandler(refuseUnknown);
  await app.register(sensible);

  const closing = watchClosing(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('link', links);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return void refuse(reply, 400, [noHost]);
    if (closing()) return void refuse(reply, 503, [shuttingDown]);
    // Before the body is read, which the not-found handler alone would come after.
    if (request.is404) return void refuseUnknown(request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply);
    done();
  });

  await app.register(docs, config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl });
  return app;
}

/** Makes the connections end with the requests on them once the app closes, and tells whether it does. */
function watchClosing(app: FastifyInstance): () => boolean {
  let closing = false;
  const connections = new Set<Socket>();
  app.server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  app.addHook('preClose', async () => {
    closing = true;
    // Node.js takes a connection on which nothing was asked yet for a busy one, and would wait for it.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  });
  // Otherwise a connection whose request ends now would be kept for the next one, and be waited for.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  return () => closing;
}

const noHost = { code: 'malformed_request', message: 'The header Host is missing.', source: { header: 'host' } };
const shuttingDown = { code: 'service_unavailable', message: 'The service is shutting down. Try again in a moment.' };

/** The one line that is logged for each request. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { method, url, routeOptions: { config: { operationId } } } = request;
  request.log.info({ operationId, method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 }, 'answered');
}

/**
 * Answers where there is no route: either nothing is there, or what is there lacks the method. The paths of the
 * contract have routes for the methods they lack; these are the others.
 */
function unknownRefuser(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, new Set([...(methods.get(url) ?? []), ...[method].flat()]));
  });
  return (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const declared = methods.get(path.replace(/(.)\/$/, '$1'));
    if (declared === undefined) return refuse(reply, 404, [{ code: 'not_found', message: `There is nothing at ${path}.` }]);
    const allow = [...declared].toSorted().join(', ');
    const message = `${request.method} is not a method of this path; it has ${allow}.`;
    return refuse(reply.header('allow', allow), 405, [{ code: 'method_not_allowed', message }]);
  };
}
