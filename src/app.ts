/** The service as a Fastify instance that does not listen yet. */
import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Context, operations } from './api/handler.ts';
import type { Config } from './config.ts';
import { type Caller, contract } from './contract/plugin.ts';
import type { Database } from './database/database.ts';
import { handlers } from './handlers.ts';
import { refuse } from './http/errors.ts';
import { emptyApp } from './http/fastify.ts';
import { baseUrl, pathOf } from './http/public-address.ts';
import { findCaller } from './users/store.ts';
import { bearerToken, hashToken } from './users/token.ts';

/** Who calls. */
type Session = Caller & Pick<Context, 'caller'>;

const document = JSON.parse(readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8')) as object;

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
export async function buildApp(config: Config, db: Database, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const app = await emptyApp(config, logger);
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (request, reply) => {
    try {
      await db.ping();
      return { status: 'ok' };
    } catch (error) {
      request.log.error({ reqId: request.id, err: error }, 'not ready');
      return refuse(reply, 503, [databaseAway]);
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
          const owner = await findCaller(db, hashToken(token));
          if (owner === undefined || owner.expires <= Date.now()) return undefined;
          return { caller: owner.caller, scopes: owner.caller.scopes };
        },
      },
      context: (request, session) => ({ db, ...session!, url: (path) => baseUrl(config.publicUrl, request) + path }),
      // In production a missing handler means that the code was built for another contract: better not to start.
      incomplete: config.checkReplies,
      checkReplies: config.checkReplies,
    }),
  );
  return app;
}

const databaseAway = { code: 'service_unavailable', message: 'The database does not answer.' };
