/** The service as a Fastify instance that does not listen yet. */
import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, nobody } from './api/caller.ts';
import type { Context, operations, securitySchemes } from './api/handler.ts';
import type { Config } from './config.ts';
import { Cache } from './contract/cache.ts';
import { contract } from './contract/plugin.ts';
import type { Database } from './database/database.ts';
import { describedBy, docs } from './docs/routes.ts';
import { handlers, normalized, sharing, validators } from './handlers.ts';
import { sendRefusal } from './http/errors.ts';
import { createHttpServer } from './http/fastify.ts';
import { baseUrl, pathOf } from './http/public-address.ts';
import { findCaller } from './users/store.ts';
import { hashToken } from './users/token.ts';

const document = JSON.parse(readFileSync(new URL('generated/openapi.json', import.meta.url), 'utf8')) as object;

/** What the engine has to know of this service, whoever performs the operations. */
export function engineOptions(config: Config) {
  return {
    document,
    sendRefusal,
    documentation: (operationId: string) => `${pathOf(config.publicUrl)}/docs#operation/${operationId}`,
    compresses: config.compression,
    basePath: pathOf(config.publicUrl),
    address: (request: FastifyRequest) => baseUrl(config.publicUrl, request),
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
export async function buildApp(config: Config, db: Database, logger?: FastifyBaseLogger): Promise<FastifyInstance> {
  const { surveySizeLimit, ifMatchRequired } = config;
  const app = await createServer(config, logger);
  app.get('/health/live', async () => ({ status: 'ok' }));
  let compiled = false;
  app.get('/health/ready', async (request, reply) => {
    if (!compiled) return sendRefusal(reply, 503, [starting]);
    try {
      await db.ping();
      return { status: 'ok' };
    } catch (error) {
      request.log.error({ reqId: request.id, err: error }, 'not ready');
      return sendRefusal(reply, 503, [databaseAway]);
    }
  });
  await app.register(
    contract<operations, Caller, Context, securitySchemes>({
      ...engineOptions(config),
      handlers,
      normalized,
      validators,
      authenticators: {
        bearer: {
          digest: hashToken,
          identify: (tokenHash, _token, setVersion) => findCaller(db, tokenHash, setVersion),
        },
      },
      // Without versions, nothing that is kept could be known to be up to date.
      ...(db.hasVersions && {
        responseCache: {
          cache: new Cache(config.cacheSize, {
            current: () => db.version(),
            reference: () => db.referenceVersion(),
          }),
          sharing,
        },
      }),
      context: (_request, caller, address) => ({
        db,
        surveySizeLimit,
        ifMatchRequired,
        caller: caller ?? nobody,
        url: (path) => address() + path,
      }),
      development: config.environment !== 'production',
      compileFirst: config.environment === 'development',
      onCompiled: () => {
        compiled = true;
      },
    }),
  );
  return app;
}

const starting = { code: 'service_unavailable', message: 'The service is starting: its contract is being compiled.' };
const databaseAway = { code: 'service_unavailable', message: 'The database cannot be read or written.' };
