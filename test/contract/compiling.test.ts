/** When the schemas of a contract are compiled, and what happens to one that cannot be. */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { contract } from '../../src/contract/plugin.ts';
import { openDatabase } from '../../src/database/database.ts';
import { document, refusalOf } from '../support/echo-service.ts';
import { emptyDatabase } from '../support/service.ts';

/** A contract whose second operation has this schema. */
const withSchema = (schema: object) => {
  const parameters = [{ name: 'p', in: 'query', schema }];
  return document({
    '/good': { get: { operationId: 'getGood' } },
    '/odd': { get: { operationId: 'getOdd', parameters } },
  });
};

/** Serves it in production, and returns whether everything was compiled and what was logged. */
async function started(schema: object) {
  const logged: { level: number; msg: string }[] = [];
  const app = Fastify({
    loggerInstance: pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) }),
  });
  onTestFinished(() => app.close());
  let compiled = false;
  const handler = async () => ({ status: 200, body: {} });
  await app.register(
    contract({
      document: withSchema(schema),
      handlers: { getGood: handler, getOdd: handler } as never,
      authenticators: {},
      context: () => undefined,
      address: () => '',
      sendRefusal: (reply, status) => reply.code(status).send(),
      development: false,
      onCompiled: () => {
        compiled = true;
      },
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, logged, isCompiled: () => compiled };
}

test('in production they are compiled after the server listens', async () => {
  const { logged, isCompiled } = await started({ type: 'integer' });
  await expect.poll(isCompiled).toBe(true);
  expect(logged).toEqual([]);
});

test('in production one that cannot be compiled is said in one line, and the service is never ready', async () => {
  const { app, logged, isCompiled } = await started({ type: 'integer', default: 'many' });
  await expect.poll(() => logged).toHaveLength(1);
  expect(logged).toMatchObject([
    { level: 60, msg: 'never ready: getOdd: default "many" of p: it does not fit its own schema (#/paths/~1odd/get)' },
  ]);
  expect(isCompiled()).toBe(false);
  expect((await app.inject('/good')).statusCode).toBe(200);
});

test('in development it stops the start', async () => {
  expect(await refusalOf(withSchema({ type: 'integer', default: 'many' }))).toEqual([
    'getOdd: default "many" of p: it does not fit its own schema (#/paths/~1odd/get)',
  ]);
});

test('/health/ready is 503 until they are compiled', async () => {
  const config = readConfig({ NODE_ENV: 'production', LOG_LEVEL: 'silent', DATABASE_URL: emptyDatabase() });
  const db = await openDatabase(config.databaseUrl);
  const app = await buildApp(config, db);
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  const response = await app.inject('/health/ready');
  expect([response.statusCode, response.json().errors[0].code]).toEqual([503, 'service_unavailable']);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
});
