/** One line is logged for each request. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../../src/http/fastify.ts';
import { loggedService } from '../support/logged-service.ts';

const surveys = '/api/v5/surveys';

test('a refused request is logged with the id that its response has', async () => {
  const { get, lines } = await loggedService();
  for (const url of ['/nothing', `${surveys}/one`, `${surveys}/%ZZ`]) {
    const { json } = await get(url);
    expect({ url, logged: lines().some(({ reqId }) => reqId === json.request_id) }).toEqual({ url, logged: true });
  }
});

test('keys in a query are not logged', async () => {
  let log = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      log += chunk;
      done();
    },
  });
  const app = await createHttpServer(
    { bodyLimit: 100, logLevel: 'info' },
    { link: '</>; rel="up"', logger: pino({}, stream) },
  );
  onTestFinished(() => app.close());
  app.get('/things', { config: { queryCredentials: ['key', 'api[key]'] } }, async () => 'x');
  await app.inject('/things?a=1&key=secret&api[key]=secret&api%5Bkey%5D=secret&k%65y=secret&b=2');
  await app.inject('/things');
  const urls = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).url);
  expect(urls).toEqual(['/things?a=1&key=…&api[key]=…&api%5Bkey%5D=…&k%65y=…&b=2', '/things']);
});
