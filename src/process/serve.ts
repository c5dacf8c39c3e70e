/** The service as a process: configuration, database, listening, and an orderly end. */
import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { buildApp } from '../app.ts';
import { type Config, ConfigError, connectionOptions, readConfig } from '../config.ts';
import { type Database, DatabaseError, openDatabase } from '../database/database.ts';
import { isLoopback } from '../http/public-address.ts';
import { grantFirstToken } from '../users/store.ts';
import { createLogger } from './logger.ts';
import { endWhenBlocked, endWithParent } from './watchdog.ts';
import { sendHeartbeats, startWorkers, waitNoLonger } from './workers.ts';

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
  const watch = config.environment === 'production';
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
  const db = await openDatabase(config.databaseUrl, (message) => logger.warn(message), connectionOptions(config));
  const app = await buildApp(config, db, logger);
  endInOrder(app, db, logger, config.drainTime);
  let address: string | undefined;
  const listen = async () => {
    address = await app.listen({ host: config.host, port: config.port });
  };
  const token = await grantFirstToken(db, listen);
  if (address === undefined) await listen();
  if (config.publicUrl === undefined && !isLoopback(app.addresses()) && isFirstProcess()) {
    logger.warn('PUBLIC_URL is not set: links lead to whatever address a client names in the header Host');
  }
  // Standard output is for the log, and a token must not be in the log.
  if (token !== undefined) console.error(welcome(config.publicUrl ?? address!, token));
}

/** Whether this process is the only one, or the first of several. */
function isFirstProcess(): boolean {
  return cluster.worker === undefined || cluster.worker.id === 1;
}

/**
 * Makes a signal, or an error outside of any request, end the process in good order: it serves requests until no more
 * arrive, finishes those that it has accepted, and closes the database. A second signal ends the first of these three;
 * after that, one more ends the process at once.
 */
function endInOrder(app: FastifyInstance, db: Database, logger: Logger, drainTime: number): void {
  let phase: 'serving' | 'draining' | 'closing' = 'serving';
  const drain = new AbortController();
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const { close } = closeWithGrace({ delay: forcedEnd, logger, skip: [...signals] }, async ({ err }) => {
    ending = true;
    if (err) logger.fatal({ err }, 'fault outside any request');
    setTimeout(() => app.server.closeAllConnections(), gracePeriod).unref();
    phase = 'draining';
    await app.drain(drainTime, drain.signal);
    phase = 'closing';
    await app.close();
    await db.close();
  });
  if (cluster.isWorker) process.on('message', (message) => void (message === waitNoLonger && drain.abort()));
  for (const signal of signals) {
    process.on(signal, () => {
      // A terminal and some supervisors send signals to the workers too. Only SIGTERM counts, which the primary process
      // sends, and only once: whoever is impatient tells the primary process.
      if (cluster.isWorker && (signal !== 'SIGTERM' || phase !== 'serving')) return;
      if (phase === 'serving') void close();
      // npm passes on a signal that its process has got from the terminal already: two are not meant as more than one.
      else if (phase === 'draining' && !drain.signal.aborted) drain.abort();
      else {
        logger.error(`another ${signal}, exiting`);
        process.exit(1);
      }
    });
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
