/** The service as a process: configuration, database, listening, and an orderly end. */
import cluster from 'node:cluster';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { DatabaseError, openDatabase } from '../database/database.ts';
import { grantFirstToken } from '../users/store.ts';
import { startWorkers } from './workers.ts';

/** How long requests that were accepted may take to end once a signal came; the process is gone by 10 s. */
const grace = 8000;

try {
  const config = readConfig(process.env);
  if (config.workers > 1 && cluster.isPrimary) startWorkers(config.workers);
  else await start(config);
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  const logger = pino({ level: config.logLevel }, process.stdout.isTTY ? await prettyPrinter() : pino.destination(1));
  const db = await openDatabase(config.databaseUrl);
  const app = await buildApp(config, db, logger);
  // A terminal sends SIGINT to workers too; theirs comes from the process that started them, as SIGTERM.
  if (cluster.isWorker) process.on('SIGINT', () => {});
  closeWithGrace({ delay: grace + 1000, logger, skip: cluster.isWorker ? ['SIGINT'] : [] }, async ({ err }) => {
    if (err) logger.fatal({ err }, 'fault outside any request');
    setTimeout(() => app.server.closeAllConnections(), grace).unref();
    await app.close();
    await db.close();
  });
  const address = await app.listen({ host: config.host, port: config.port });
  const url = config.publicUrl ?? address;
  const token = await grantFirstToken(db);
  // Not on standard output: that is for the log, and a token has no place in it.
  if (token !== undefined) console.error(welcome(url, token));
}

/** Loaded only where somebody looks. */
async function prettyPrinter() {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname' });
}

function welcome(url: string, token: string): string {
  return `
This database is new, so here is a token for its first user, the administrator "admin". It is shown only now:

  ${token}

Try it:

  curl -H 'Authorization: Bearer ${token}' '${url}/api/v3/hxl/licenses?limit=3'

The API is described at ${url}/docs
`;
}

/** What stopped the start, as one clear line where the cause is known. */
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
