/** Runs the service as a process on a new database, for scripts that send requests to it: a file, or, where TEST_DATABASE_URL is set, a schema of that server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Role, roles } from '../../src/api/caller.ts';
import { openDatabase } from '../../src/database/database.ts';
import { grantToken } from '../../src/users/store.ts';
import { newSchema } from '../../test/support/schema.ts';

export interface Service {
  /** Where it listens: a free port of this machine. */
  url: string;
  /** A token for a user of each role; the users have the name of their role. */
  tokens: Record<Role, string>;
  /** The faults of its own that the service has logged, one line each. */
  faults: string[];
}

/**
 * Runs `work` while the service runs. Afterwards the process is ended and the database deleted, also after an error.
 *
 * @throws when the service does not start.
 */
export async function withService<T>(
  work: (service: Service) => Promise<T>,
  env: Record<string, string> = {},
  makeDatabase = newDatabase,
): Promise<T> {
  const database = await makeDatabase();
  const { PATH = '', HOME = '' } = process.env;
  const tokens = await grantTokens(database.url);
  const server = spawn(process.execPath, [join(import.meta.dirname, '../../src/server.ts')], {
    env: { PATH, HOME, PORT: '0', DATABASE_URL: database.url, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(server, 'exit');
  try {
    const faults: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      createInterface(server.stdout).on('line', (line) => {
        const { level, msg } = JSON.parse(line) as { level: number; msg: string };
        if (level >= 50) faults.push(line);
        const [address] = /(?<=listening at )http\S+/.exec(msg) ?? [];
        if (address) resolve(address);
      });
      void ended.then(() => reject(new Error('The service did not start.')));
    });
    return await work({ url, tokens, faults });
  } finally {
    server.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
    await database.remove();
  }
}

/** A database, and how to delete it. */
type NewDatabase = Promise<{ url: string; remove: () => Promise<void> }>;

/** A schema of the server at TEST_DATABASE_URL; where that is not set, a file. */
export async function newDatabase(): NewDatabase {
  return process.env.TEST_DATABASE_URL ? newSchema(process.env.TEST_DATABASE_URL) : newFile();
}

export async function newFile(): NewDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  return { url: `file:${join(folder, 'service.db')}`, remove: async () => rmSync(folder, { recursive: true }) };
}

async function grantTokens(database: string): Promise<Record<Role, string>> {
  const db = await openDatabase(database);
  try {
    const tokens: [Role, string][] = [];
    for (const role of roles) tokens.push([role, await grantToken(db, role, role, null)]);
    return Object.fromEntries(tokens) as Record<Role, string>;
  } finally {
    await db.close();
  }
}
