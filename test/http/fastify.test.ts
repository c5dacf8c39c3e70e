/** What the server does with every request, whatever its route: HEAD, trailing slashes, queries, headers. */
import { expect, test } from 'vitest';
import { contractPaths, otherPaths } from '../support/paths.ts';
import { testService } from '../support/service.ts';
import { jsonType, listeningService, refusal } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { inject, raw, send } = await listeningService();

// The paths with an identifier need a record.
await inject('POST', surveys, {});
test.each([
  ...contractPaths.filter(([, methods]) => methods.includes('GET')).map(([path]) => path),
  ...otherPaths.map(([path]) => path),
  `${surveys}/999999`,
  `${surveys}/one`,
  '/nothing',
])('HEAD %s has the headers of GET and no body', async (path) => {
  for (const as of ['admin', null] as const) {
    const get = await send('GET', path, { as });
    const head = await send('HEAD', path, { as });
    const { date: _, ...expected } = get.headers;
    const { date: __, ...headers } = head.headers;
    expect([head.status, headers, head.text]).toEqual([get.status, expected, '']);
  }
});

test('HEAD of a long list has no body either', async () => {
  for (let count = 0; count < 150; count += 1) await inject('POST', surveys, {});
  const get = await send('GET', surveys);
  const head = await send('HEAD', surveys);
  expect([head.status, head.headers['content-type'], head.text]).toEqual([200, get.headers['content-type'], '']);
});

test.each([
  surveys,
  `${surveys}/1`,
  '/api/v3/hxl',
  '/api/v3/hxl/tags',
  '/api/v3/hxl/tags/1',
  '/api/v3/users/1',
  '/docs',
  '/health/live',
  '/openapi.json',
])('%s is the same path with a slash at its end', async (path) => {
  const plain = await send('GET', path);
  const slashed = await send('GET', `${path}/`);
  expect([slashed.status, slashed.text]).toEqual([plain.status, plain.text]);
  expect(plain.status).toBe(200);
  expect((await send('GET', `${path}/?only=id`)).status).toBe(200);
});

test('a slash at the end makes no difference when something is created, changed or deleted', async () => {
  const made = await send('POST', `${surveys}/`, { body: '{}', headers: { 'Content-Type': jsonType } });
  expect([made.status, made.headers.location]).toEqual([
    201,
    `http://service.test${surveys}/${made.json.results[0].id}`,
  ]);
  const path = `${surveys}/${made.json.results[0].id}/`;
  expect(
    (await send('PUT', path, { body: '{"name":"Changed"}', headers: { 'Content-Type': jsonType } })).json.results[0]
      .name,
  ).toBe('Changed');
  expect((await send('DELETE', path)).status).toBe(200);
});

test('unknown query parameters are ignored', async () => {
  const { status, json } = await send(
    'GET',
    '/api/v3/hxl/licenses?limit=2&page=7&_=1700000000&a&=b&&limit[]=x&LIMIT=9&%00=1&x=%25ZZ',
  );
  expect([status, json.limit, json.curr]).toEqual([
    200,
    '2',
    'http://service.test/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0',
  ]);
  expect(
    (await send('POST', `${surveys}?limit=abc&only=1`, { body: '{}', headers: { 'Content-Type': jsonType } })).status,
  ).toBe(201);
});

test('an escaped character in a path is that character', async () => {
  expect((await send('GET', `${surveys}/%31?only=id`)).json.results).toEqual([{ id: 1 }]);
  expect((await send('GET', `${surveys}%2F1`)).status).toBe(404);
});

test('an unknown expectation is ignored', async () => {
  const { status } = await send('GET', `${surveys}?only=id`, { headers: { Expect: 'miracles' } });
  expect(status).toBe(200);
});

test('a request without the header Host is refused', async () => {
  const response = await raw(`GET ${surveys} HTTP/1.1\r\nConnection: close\r\n\r\n`);
  expect(refusal(response)).toEqual([400, 'malformed_request host']);
  expect(response.headers.connection).toBe('close');
});

test('no response names the software that the service runs on', async () => {
  const { send } = await testService();
  for (const url of [surveys, '/docs', '/nothing', '/health/live', `${surveys}/%ZZ`]) {
    const { headers, text } = await send('GET', url);
    expect(Object.keys(headers)).not.toContain('x-powered-by');
    expect(Object.keys(headers)).not.toContain('server');
    if (url !== '/docs') expect(text).not.toMatch(/fastify|node_modules|\.ts:\d+/i);
  }
});
