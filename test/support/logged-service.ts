/** The service on an empty database, with the lines of its log. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { grantToken } from '../../src/users/store.ts';
import { newDatabase, type TestResponse } from './service.ts';

/** A service that is closed when the running test is over. A test may close its database before. */
export async function loggedService() {
  let log = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      log += chunk;
      done();
    },
  });
  const database = await newDatabase();
  const config = readConfig({ NODE_ENV: 'development', DATABASE_URL: database.url });
  const db = await openDatabase(config.databaseUrl);
  const app = await buildApp(config, db, pino({}, stream));
  onTestFinished(async () => {
    await app.close();
    await db.close().catch(() => {});
    await database.remove();
  });
  const headers = { authorization: `Bearer ${await grantToken(db, 'admin', 'admin', null)}` };

  /** Sends a GET as an administrator. */
  async function get(url: string): Promise<TestResponse> {
    const response = await app.inject({ url, headers });
    return { status: response.statusCode, headers: response.headers, text: response.body, json: response.json() };
  }

  /** What was logged until now. */
  function lines(): Record<string, unknown>[] {
    return log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  return { db, get, lines };
}
