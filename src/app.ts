/** The service as a Fastify instance that does not listen yet. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { METHODS, STATUS_CODES } from 'node:http';
import sensible from '@fastify/sensible';
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { findCaller } from './access/store.ts';
import { bearerToken } from './access/token.ts';
import type { Context, operations } from './api.ts';
import type { Config } from './config.ts';
import { contract, type Caller } from './contract/plugin.ts';
import type { Db } from './database/connect.ts';
import { keptResults } from './database/kept.ts';
import { describedBy, docs, pathOf } from './docs.ts';
import { answerError, errorBody, refuse } from './errors.ts';
import { handlers } from './handlers.ts';

/** Who calls, and what is kept that is right for this request. */
type Session = Caller & Pick<Context, 'caller' | 'kept'>;

const document = JSON.parse(readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8')) as object;

/**
 * A server that performs nothing yet: it logs, publishes the contract, and refuses in the contract's shape what is
 * not found, not HTTP or too late.
 */
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
    clientErrorHandler: (error, socket) => refuseGarbage(error, socket, links),
  });
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  // An expectation that no one knows is ignored; Node.js would refuse it without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => refuseUnknown(app, request, reply));
  await app.register(sensible);

  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('link', links);
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return void refuse(reply, 400, [noHost]);
    if (closing) return void refuse(reply.header('connection', 'close'), 503, [shuttingDown]);
    // Before the body is read, which the not-found handler alone would come after.
    if (request.is404) return void refuseUnknown(app, request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply);
    done();
  });

  await app.register(docs, config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl });
  return app;
}

/** What the engine has to know of this service, whoever performs the operations. */
export function engineOptions(config: Config) {
  return {
    document,
    refuse,
    documentation: (operationId: string) => `${pathOf(config.publicUrl)}/docs#operation/${operationId}`,
    basePath: pathOf(config.publicUrl),
  };
}

/**
 * Builds the service on a database that is open and up to date. Closing the service leaves it open.
 *
 * @throws when the contract cannot be served.
 */
export async function buildApp(config: Config, db: Db, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const app = await emptyApp(config, logger);
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (request, reply) => {
    try {
      await sql`select 1`.execute(db);
      return { status: 'ok' };
    } catch (error) {
      request.log.error({ err: error }, 'not ready');
      return refuse(reply, 503, [databaseAway]);
    }
  });
  await app.register(contract<operations, Session, Context>({
    ...engineOptions(config),
    handlers,
    authenticate: {
      bearer: async (request) => {
        const token = bearerToken(request.headers.authorization);
        if (token === undefined) return undefined;
        const kept = keptResults(db);
        const caller = await findCaller(db, kept, token);
        return caller && { caller, kept, scopes: caller.scopes };
      },
    },
    context: (request, session) => ({
      db,
      ...session!,
      url: (path) => `${config.publicUrl ?? `${request.protocol}://${request.host}`}${path}`,
    }),
    // In production a missing handler means that the code was built for another contract: better not to start.
    incomplete: config.checkReplies,
    checkReplies: config.checkReplies,
  }));
  return app;
}

const noHost = { code: 'malformed_request', message: 'The header Host is missing.', source: { header: 'host' } };
const shuttingDown = { code: 'service_unavailable', message: 'The service is shutting down. Try again in a moment.' };
const databaseAway = { code: 'service_unavailable', message: 'The database does not answer.' };

/** The one line that is logged for each request. */
function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { method, url, routeOptions: { config: { operationId } } } = request;
  request.log.info({ operationId, method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 }, 'answered');
}

/** No route: either nothing is there, or what is there is only for reading. The contract's own paths have their 405. */
function refuseUnknown(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0]!;
  const url = path.replace(/(.)\/$/, '$1');
  if (!app.hasRoute({ method: 'GET', url })) {
    return refuse(reply, 404, [{ code: 'not_found', message: `There is nothing at ${path}.` }]);
  }
  const allow = ['GET', 'HEAD', 'OPTIONS'].filter((method) => app.hasRoute({ method, url })).join(', ');
  const message = `${request.method} is not a method of this path; it has ${allow}.`;
  return refuse(reply.header('allow', allow), 405, [{ code: 'method_not_allowed', message }]);
}

/** Answers what is not HTTP, or not in time, on the bare socket: there is no request yet. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: import('node:net').Socket, links: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, code, message] = garbage[error.code ?? ''] ?? [400, 'malformed_request', 'This is not an HTTP request that can be read.'];
  const body = JSON.stringify(errorBody(status, [{ code, message }], randomUUID()));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\nLink: ${links}\r\n\r\n`;
  socket.end(head + body);
}

const garbage: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request line and headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
};
