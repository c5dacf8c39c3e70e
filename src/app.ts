/** The service as a Fastify instance that does not listen yet. */
import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context, operations } from './api/handler.ts';
import type { Config } from './config.ts';
import { type Caller, contract } from './contract/plugin.ts';
import type { Db } from './database/database.ts';
import { keptResults } from './database/result-cache.ts';
import { describedBy, docs } from './docs/routes.ts';
import { handlers } from './handlers.ts';
import { sendRefusal } from './http/errors.ts';
import { createHttpServer } from './http/fastify.ts';
import { baseUrl, pathOf } from './http/public-address.ts';
import { findCaller } from './users/store.ts';
import { bearerToken } from './users/token.ts';

/** Who calls, and what is kept that is right for this request. */
type Session = Caller & Pick<Context, 'caller' | 'kept' | 'reference'>;

const document = JSON.parse(readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8')) as object;

/** What the engine has to know of this service, whoever performs the operations. */
export function engineOptions(config: Config) {
  return {
    document,
    refuse: sendRefusal,
    documentation: (operationId: string) => `${pathOf(config.publicUrl)}/docs#operation/${operationId}`,
    basePath: pathOf(config.publicUrl),
  };
}

/** Creates the HTTP server with the published documents, before any operation. The service and the mock add theirs. */
export async function createServer(config: Config, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const app = await createHttpServer(config, { link: describedBy(config.publicUrl), logger });
  await app.register(docs, { publicUrl: config.publicUrl });
  return app;
}

/**
 * Builds the service on a database that is open and up to date. Closing the service leaves it open.
 *
 * @throws when the contract cannot be served.
 */
export async function buildApp(config: Config, db: Db, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const app = await createServer(config, logger);
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (request, reply) => {
    try {
      await sql`select 1`.execute(db);
      return { status: 'ok' };
    } catch (error) {
      request.log.error({ reqId: request.id, err: error }, 'not ready');
      return sendRefusal(reply, 503, [databaseAway]);
    }
  });
  await app.register(
    contract<operations, Session, Context>({
      ...engineOptions(config),
      handlers,
      authenticate: {
        bearer: async (request) => {
          const token = bearerToken(request.headers.authorization);
          if (token === undefined) return undefined;
          const { kept, reference } = keptResults(db);
          const caller = await findCaller(db, kept, token);
          return caller && { caller, kept, reference, scopes: caller.scopes };
        },
      },
      context: (request, session) => ({ db, ...session!, url: (path) => baseUrl(config.publicUrl, request) + path }),
      // In production a missing handler means that the code was built for another contract: better not to start.
      incomplete: config.development,
      checkReplies: config.development,
    }),
  );
  return app;
}

const databaseAway = { code: 'service_unavailable', message: 'The database does not answer.' };
