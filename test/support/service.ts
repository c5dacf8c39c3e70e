/** The real app on a database of its own, and requests to it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { afterAll, onTestFinished } from 'vitest';
import type { Role } from '../../src/api/caller.ts';
import { buildApp } from '../../src/app.ts';
import { connectionOptions, readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { grantToken } from '../../src/users/store.ts';
import { newSchema } from './schema.ts';

/** What came back: `json` is the parsed body, undefined when there is none. */
export interface TestResponse {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // Tests look into bodies of every kind.
  json: any;
}

// In memory where the system has such a place: tests are about what is kept, not about the disk.
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'service-'));
// Not when the process ends: vitest kills it before.
afterAll(() => rmSync(folder, { recursive: true }));
let databases = 0;

/** Where a database may be that is gone with the tests. */
export function emptyDatabase(): string {
  return `file:${join(folder, `${(databases += 1)}.db`)}`;
}

/** An empty database of the kind that the tests run on: a file, or a schema of the server at TEST_DATABASE_URL. */
export async function newDatabase(): Promise<{ url: string; remove: () => Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  return server ? newSchema(server) : { url: emptyDatabase(), remove: async () => {} };
}

/**
 * The service on an empty database, with every reply held against the contract, and a token for
 * a user of each role. It is gone when the test is over.
 */
export async function service(env: Record<string, string> = {}) {
  const database = env.DATABASE_URL ? undefined : await newDatabase();
  const config = readConfig({
    NODE_ENV: 'test',
    PUBLIC_URL: 'http://service.test',
    ...(database && { DATABASE_URL: database.url }),
    ...env,
  });
  const db = await openDatabase(config.databaseUrl, undefined, connectionOptions(config));
  const app = await buildApp(config, db);
  await app.ready();
  const close = async () => {
    await app.close();
    await db.close();
    await database?.remove();
  };
  const tokens = {
    admin: await grantToken(db, 'admin', 'admin', null),
    manager: await grantToken(db, 'manager', 'manager', null),
    user: await grantToken(db, 'user', 'user', null),
  } satisfies Record<Role, string>;

  /** Sends a request as a user of this role, or as nobody when the role is null. */
  async function send(
    method: string,
    url: string,
    body?: unknown,
    { as = 'admin', ...options }: { as?: Role | null } & InjectOptions = {},
  ): Promise<TestResponse> {
    const response = await app.inject({
      method: method as 'GET',
      url,
      ...options,
      headers: { ...(as && { authorization: `Bearer ${tokens[as]}` }), ...options.headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const { statusCode: status, headers, body: text } = response;
    return {
      status,
      headers,
      text,
      json: /json/.test(String(headers['content-type'])) && text !== '' ? JSON.parse(text) : undefined,
    };
  }
  return { app, db, tokens, send, close };
}

/** Like `service`, closed by itself when the running test has finished. */
export async function testService(env?: Record<string, string>) {
  const running = await service(env);
  onTestFinished(running.close);
  return running;
}

/** The codes of the problems in a response, with where they are: `too_short /name`. */
export function problems({ json }: TestResponse): string[] {
  return json.errors.map(({ code, source }: { code: string; source?: object }) =>
    source ? `${code} ${Object.values(source)[0]}` : code,
  );
}
