/** `npm run copy`: moves all that is stored from a SQLite file to PostgreSQL, or back. */
import { ConfigError, connectionOptions, readConfig } from '../src/config.ts';
import { checkSource, copyDatabase } from '../src/database/copy.ts';
import { type Database, DatabaseError, openDatabase } from '../src/database/database.ts';
import { commandLine } from './lib/command-line.ts';

const usage = `Usage: npm run copy -- --from URL --to URL
  Copies all that is stored, with identifiers and tokens, from one database to an empty one, and compares both. The URLs
  are as in DATABASE_URL: file:PATH or postgres://…. Stop the service before. When the copy fails or is interrupted, the
  target stays empty: start it again. Both databases are brought up to date first.`;

const text = { type: 'string' } as const;
const { from, to } = commandLine(usage, { options: { from: text, to: text } }).values;
try {
  if (from === undefined || to === undefined) throw new DatabaseError(`--from and --to are needed.\n\n${usage}`);
  await copy(from, to);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DatabaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function copy(fromUrl: string, toUrl: string): Promise<void> {
  await using source = await opened(fromUrl, true);
  await checkSource(source.db);
  await using target = await opened(toUrl);
  const contents = await copyDatabase(source.db, target.db);
  for (const { table, count, digest } of contents)
    console.log(`${table}: ${count} rows, SHA-256 ${digest.slice(0, 16)}… on both sides`);
  console.log('Everything was copied. Start the service with the new DATABASE_URL.');
}

/** A database that is closed when it is no longer used. */
async function opened(DATABASE_URL: string, mustExist = false): Promise<{ db: Database } & AsyncDisposable> {
  // The replica that the environment names is one of the service's own database.
  const config = readConfig({ ...process.env, DATABASE_URL, DATABASE_READ_URL: '' });
  const db = await openDatabase(config.databaseUrl, undefined, { ...connectionOptions(config), mustExist });
  return { db, [Symbol.asyncDispose]: () => db.close() };
}
