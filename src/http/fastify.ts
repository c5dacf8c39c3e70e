/** The HTTP server before any operation: logs, publishes the contract, refuses in its shape, and ends in good order. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import sensible from '@fastify/sensible';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config.ts';
import { describedBy, docs } from '../docs/routes.ts';
import { answerError, answerGarbage, refuse } from './errors.ts';

/** A server that performs nothing yet: what is not found, not HTTP or too late is refused in the contract's shape. */
export async function emptyApp(config: Config, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const links = describedBy(config.publicUrl);
  const app = fastify({
    ...(logger && { loggerInstance: logger }),
    // One line for each request is written below instead of two, and names it: a logger for each costs more than the line.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (shared) => shared,
    genReqId: () => randomUUID(),
    bodyLimit: config.bodyLimit,
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
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
  // Imported, node:http would load a client that nobody needs.
  for (const method of process.getBuiltinModule('node:http').METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // An expectation that no one knows is ignored; Node.js would refuse it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler(answerError);
  const refuseUnknown = unknownRefuser(app);
  app.setNotFoundHandler(refuseUnknown);
  await app.register(sensible);

  // A list of all surveys may be long under way. What has no route has no handler that could take long.
  app.addHook('onRoute', (route) => void (route.handlerTimeout ??= 300_000));
  const closing = watchClosing(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('link', links);
    if (closing(request, reply)) return void refuse(reply.header('connection', 'close'), 503, [shuttingDown]);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return void refuse(reply, 400, [noHost]);
    // Before the body is read, which the not-found handler alone would come after.
    if (request.is404) return void refuseUnknown(request, reply);
    done();
  });
  if (['trace', 'debug', 'info'].includes(config.logLevel)) {
    app.addHook('onResponse', (request, reply, done) => {
      logAnswer(request, reply);
      done();
    });
  }

  await app.register(docs, config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl });
  return app;
}

/** Makes the connections end with the requests on them once the app closes, and tells of each request whether it does. */
function watchClosing(app: FastifyInstance): (request: FastifyRequest, reply: FastifyReply) => boolean {
  let closing = false;
  /** The connections, and what was last begun to be answered on each. */
  const answers = new Map<Socket, ServerResponse | undefined>();
  app.server.on('connection', (socket) => {
    answers.set(socket, undefined);
    socket.on('close', () => answers.delete(socket));
  });
  app.addHook('preClose', async () => {
    closing = true;
    for (const [socket, answer] of answers) {
      // Otherwise a connection whose request ends now would be kept for the next one, and be waited for.
      if (answer?.headersSent === false) answer.setHeader('connection', 'close');
      else if (answer?.writableFinished === false) answer.once('finish', () => socket.end());
      // Node.js takes a connection on which nothing was asked yet for a busy one, and would wait for it.
      if (socket.bytesRead === 0) socket.destroy();
    }
  });
  return ({ raw: { socket } }, { raw }) => {
    if (answers.has(socket)) answers.set(socket, raw);
    return closing;
  };
}

const noHost = { code: 'malformed_request', message: 'The header Host is missing.', source: { header: 'host' } };
const shuttingDown = { code: 'service_unavailable', message: 'The service is shutting down. Try again in a moment.' };

/** The one line that is logged for each request. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const {
    id: reqId,
    method,
    url,
    routeOptions: {
      config: { operationId },
    },
  } = request;
  request.log.info(
    { reqId, operationId, method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 },
    'answered',
  );
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
    const declared = methods.get(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    if (declared === undefined)
      return refuse(reply, 404, [{ code: 'not_found', message: `There is nothing at ${path}.` }]);
    const allow = [...declared].toSorted().join(', ');
    const message = `${request.method} is not a method of this path; it has ${allow}.`;
    return refuse(reply.header('allow', allow), 405, [{ code: 'method_not_allowed', message }]);
  };
}
