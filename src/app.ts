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
import type { Caller } from './access/caller.ts';
import type { Config } from './config.ts';
import { contract } from './contract/plugin.ts';
import type { Db } from './database/connect.ts';
import { docs } from './docs.ts';
import { answerError, errorBody, refuse } from './errors.ts';
import { handlers } from './handlers.ts';

const document = JSON.parse(readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8')) as object;

/**
 * Builds the service on a database that is open and up to date. Closing the service leaves it open.
 *
 * @throws when the contract cannot be served.
 */
export async function buildApp(config: Config, db: Db, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
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
    http: { headersTimeout: 20_000 },
    // Refused below, in the contract's shape.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    frameworkErrors: answerError as never,
    clientErrorHandler: refuseGarbage,
  });
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => refuseUnknown(app, request, reply));
  await app.register(sensible);

  let closing = false;
  app.addHook('preClose', async () => void (closing = true));
  app.addHook('onRequest', (request, reply, done) => {
    if (closing) return void refuse(reply.header('connection', 'close'), 503, [shuttingDown]);
    // Before the body is read, which the not-found handler alone would come after.
    if (request.is404) return void refuseUnknown(app, request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { operationId } = request.routeOptions.config;
    const { method, url } = request;
    request.log.info({ operationId, method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 }, 'answered');
    done();
  });

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
  await app.register(docs, config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl });
  await app.register(contract<operations, Caller, Context>({
    document,
    handlers,
    authenticate: {
      bearer: async (request) => {
        const token = bearerToken(request.headers.authorization);
        return token === undefined ? undefined : findCaller(db, token);
      },
    },
    context: (request, caller) => ({
      db,
      caller: caller!,
      url: (path) => `${config.publicUrl ?? `${request.protocol}://${request.host}`}${path}`,
    }),
    refuse,
    checkReplies: config.checkReplies,
  }));
  return app;
}

const shuttingDown = { code: 'service_unavailable', message: 'The service is shutting down. Try again in a moment.' };
const databaseAway = { code: 'service_unavailable', message: 'The database does not answer.' };

/** No route: either nothing is there, or what is there is only for reading. The contract's own paths have their 405. */
function refuseUnknown(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0]!;
  if (!app.hasRoute({ method: 'GET', url: path })) {
    return refuse(reply, 404, [{ code: 'not_found', message: `There is nothing at ${path}.` }]);
  }
  const message = `${request.method} is not a method of this path; it has GET, HEAD.`;
  return refuse(reply.header('allow', 'GET, HEAD'), 405, [{ code: 'method_not_allowed', message }]);
}

/** Answers what is not HTTP, or not in time, on the bare socket: there is no request yet. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, code, message] = garbage[error.code ?? ''] ?? [400, 'malformed_request', 'This is not an HTTP request that can be read.'];
  const body = JSON.stringify(errorBody(status, [{ code, message }], randomUUID()));
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body);
}

const garbage: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request line and headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
};
