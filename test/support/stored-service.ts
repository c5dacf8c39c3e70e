/** The service on a database in a folder of its own, with the lines of its log: for faults of the storage. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { grantToken } from '../../src/users/store.ts';
import type { TestResponse } from './service.ts';

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stored-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The service as in production, on the file `service.db` in this folder. It is closed when the test is over. */
export async function storedService(folder = newFolder()) {
  const path = join(folder, 'service.db');
  let log = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      log += chunk;
      done();
    },
  });
  const config = readConfig({ NODE_ENV: 'production', DATABASE_URL: `file:${path}` });
  const db = await openDatabase(config.databaseUrl, () => {});
  const app = await buildApp(config, db, pino({}, stream));
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  const tokens = {
    admin: await grantToken(db, 'admin', 'admin', null),
    user: await grantToken(db, 'user', 'user', null),
  };

  const credentials = (as: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[as]}` });

  /** Sends a request. `json` is undefined when the response is no JSON. */
  async function send(
    method: string,
    url: string,
    body?: object,
    as: keyof typeof tokens = 'admin',
  ): Promise<TestResponse> {
    const headers = credentials(as);
    const response = await app.inject({ method: method as 'GET', url, headers, ...(body && { payload: body }) });
    const { statusCode: status, body: text } = response;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {}
    return { status, headers: response.headers, text, json };
  }

  /** The faults that were logged until now. */
  const faults = (): Record<string, any>[] =>
    log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level >= 40);

  return { app, db, path, send, faults, credentials };
}

/** The same when it is ready: it listens, and its schemas are compiled. */
export async function readyService(folder?: string) {
  const service = await storedService(folder);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  await expect.poll(async () => (await service.app.inject('/health/ready')).statusCode).toBe(200);
  return service;
}
