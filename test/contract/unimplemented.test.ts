/** Operations that the contract has and the code does not, yet. */
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type Handlers, notImplemented } from '../../src/api/handler.ts';
import { createServer, engineOptions } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { contract } from '../../src/contract/plugin.ts';
import { handlers } from '../../src/handlers.ts';

const { getSurvey: _, getUser: __, ...some } = handlers;

const headers = { authorization: 'Bearer any' };

/** A service that has these handlers, and what it logged while starting. */
async function service(handlers: Partial<Handlers>, development: boolean) {
  const logged: { level: number; msg: string; operations?: string[] }[] = [];
  const config = readConfig({});
  const app = await createServer(
    config,
    pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) }),
  );
  onTestFinished(() => app.close());
  await app.register(
    contract({
      ...engineOptions(config),
      handlers: handlers as object,
      authenticators: {
        bearer: {
          digest: (token) => token,
          identify: async () => ({ id: 1, role: 'any', scopes: new Set(['surveys:read']) }),
        },
      },
      context: () => undefined,
      development,
    }),
  );
  await app.ready();
  return { app, logged };
}

test('in development an operation without a handler responds 501, and the start says which they are', async () => {
  const { app, logged } = await service(some, true);
  expect(logged).toMatchObject([
    { level: 40, operations: ['getSurvey', 'getUser'], msg: 'not implemented, responds 501: getSurvey, getUser' },
  ]);
  const response = await app.inject({ url: '/api/v5/surveys/1', headers });
  expect(response.statusCode).toBe(501);
  expect(response.json()).toEqual({
    errors: [{ status: 501, code: 'not_implemented', message: expect.stringContaining('not available yet') }],
    request_id: expect.any(String),
  });
  expect((await app.inject({ url: '/api/v5/surveys/x', headers })).statusCode, 'refusals come first').toBe(400);
});

test('in production the start refuses, and says which they are', async () => {
  await expect(service(some, false)).rejects.toThrow(
    'The contract has operations without a handler: getSurvey, getUser.',
  );
});

test('an operation that is announced as not implemented responds 501 in production too', async () => {
  const { app, logged } = await service({ ...handlers, getUser: notImplemented }, false);
  expect(logged).toMatchObject([{ level: 40, operations: ['getUser'] }]);
  expect((await app.inject({ url: '/api/v3/users/1', headers })).json().errors).toMatchObject([
    { status: 501, code: 'not_implemented' },
  ]);
});

test('when every operation has its handler, nothing is said', async () => {
  expect((await service(handlers, false)).logged).toEqual([]);
});
