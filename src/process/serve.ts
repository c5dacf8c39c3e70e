/** The service as a process: configuration, database, listening, and an orderly end. */
import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApp } from '../app.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { connect, DatabaseError, type Db } from '../database/database.ts';
import { grantFirstToken } from '../users/store.ts';
import { createLogger } from './logger.ts';
import { endWhenBlocked, endWithParent } from './watchdog.ts';
import { sendHeartbeats, startWorkers } from './workers.ts';

/**
 * How long accepted requests may take to finish after a signal, in milliseconds. Docker kills a process 10 s after the
 * signal (Kubernetes after 30 s), and the connections and the database need some of that to close.
 */
const gracePeriod = 8000;

/** When the process ends by force, because something does not close: a second before it would be killed. */
const forcedEnd = gracePeriod + 1000;

/** Whether the orderly end has begun. */
let ending = false;

try {
  const config = readConfig(process.env);
  if (cluster.isWorker) endWithParent();
  const { logger, output } = await createLogger(config.logLevel);
  const watch = !config.development;
  if (config.workers > 1 && cluster.isPrimary) {
    startWorkers({ count: config.workers, logger, output, watch, forcedEnd: forcedEnd + 500 });
  } else {
    await start(config, logger);
    if (cluster.isWorker) sendHeartbeats();
    else if (watch) endWhenBlocked();
  }
} catch (error) {
  // A signal came before it listened.
  if (!ending) {
    console.error(explain(error));
    process.exit(1);
  }
}

/** Opens the database, listens, and prints the first token if the database is new. */
async function start(config: Config, logger: Logger): Promise<void> {
  const db = await connect(config.databaseUrl);
  const app = await buildApp(config, db, logger);
  endInOrder(app, db, logger);
  let address: string | undefined;
  const listen = async () => {
    address = await app.listen({ host: config.host, port: config.port });
  };
  const token = await grantFirstToken(db, listen);
  if (address === undefined) await listen();
  // Standard output is for the log, and a token must not be in the log.
  if (token !== undefined) console.error(welcome(config.publicUrl ?? address!, token));
}

/**
 * Makes a signal, or an error outside of any request, end the process in good order: it finishes the requests that were
 * accepted, and closes the database. A second signal ends it at once.
 */
function endInOrder(app: FastifyInstance, db: Db, logger: Logger): void {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const { close } = closeWithGrace(
    { delay: forcedEnd, logger, skip: cluster.isWorker ? [...signals] : [] },
    async ({ err }) => {
      ending = true;
      if (err) logger.fatal({ err }, 'fault outside any request');
      setTimeout(() => app.server.closeAllConnections(), gracePeriod).unref();
      await app.close();
      await db.destroy();
    },
  );
  if (cluster.isWorker) {
    // A terminal and some supervisors send signals to the workers too. Only SIGTERM counts, which the primary process
    // sends, and only once: whoever is impatient tells the primary process.
    for (const signal of signals) process.on(signal, () => {});
    process.once('SIGTERM', close);
  }
}

/** What a person needs who has just started the service for the first time. */
function welcome(url: string, token: string): string {
  return `
This database is new, so here is a token for its first user, the administrator "admin". It is shown only now:

  ${token}

Try it:

  curl -H 'Authorization: Bearer ${token}' '${url}/api/v3/hxl/licenses?limit=3'

The API is described at ${url}/docs
`;
}

/** Why the service could not start: one clear line when the cause is known, otherwise the stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseError) return error.message;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE') return `Port ${port} of ${address} is in use. Set PORT to a free one.`;
  if (code === 'EACCES')
    return `Port ${port} of ${address} needs more rights than this process has. Set PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${address ?? ''} is not an address of this machine.`;
  return (error as Error).stack ?? String(error);
}
