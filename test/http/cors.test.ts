/** Which web pages may call the service, as a browser would find out. test/http/cors-browser.test.ts asks a real one. */
import { expect, test } from 'vitest';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import { testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const editor = 'https://editor.example.org';
const stranger = 'https://stranger.example.org';
const asked = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization,if-match' };

const corsHeaders = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));
const allowed = ({ headers }: { headers: Record<string, unknown> }) => [
  headers['access-control-allow-origin'],
  headers.vary,
];

test('without the setting no page of another origin may call the API', async () => {
  const { send } = await testService();
  const preflight = await send('OPTIONS', surveys, undefined, { as: null, headers: { origin: editor, ...asked } });
  expect([preflight.status, preflight.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  for (const { headers } of [preflight, await send('GET', surveys, undefined, { headers: { origin: editor } })]) {
    expect(corsHeaders(headers)).toEqual([]);
    expect(String(headers.vary)).not.toMatch(/origin/i);
  }
});

test('a browser is told what it may send before there is any token', async () => {
  const { send } = await testService({ CORS_ORIGINS: `http://localhost:5173, ${editor}` });
  for (const url of [`${surveys}/1`, '/api/v3/hxl/tags', '/health/ready']) {
    const headers = { origin: editor, ...asked };
    const response = await send('OPTIONS', url, undefined, { as: null, headers });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(allowed(response)).toEqual([editor, 'Origin, Access-Control-Request-Headers']);
    expect(response.headers).toMatchObject({
      'access-control-allow-headers': 'authorization,if-match',
      'access-control-max-age': '7200',
    });
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
  }
});

test('the response to a preflight is one as others are', async () => {
  const { app, send } = await testService({ CORS_ORIGINS: editor });
  const ask = (headers = {}) =>
    send('OPTIONS', surveys, undefined, { as: null, headers: { origin: editor, ...asked, ...headers } });
  const { headers } = await ask();
  expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' });
  expect(headers.link).toContain('rel="service-desc"');
  const refused = await ask({ host: 'a b' });
  expect([refused.status, refused.headers.connection]).toEqual([400, 'close']);

  await app.listen({ host: '127.0.0.1', port: 0 });
  const cancelled = new AbortController();
  const drained = app.drain(1000, cancelled.signal);
  const ending = await ask();
  expect([ending.status, ending.headers.connection]).toEqual([204, 'close']);
  cancelled.abort();
  await drained;
});

test('a browser is told all methods and response headers of the contract', async () => {
  const { send } = await testService({ CORS_ORIGINS: '*' });
  const { headers } = await send('OPTIONS', surveys, undefined, { as: null, headers: { origin: editor, ...asked } });
  const names = (name: string) => String(headers[name]).split(', ');
  const operations = Object.values(contract.paths).flatMap((item) => Object.entries(item));
  const methods = operations.flatMap(([method, { responses }]: [string, any]) => (responses ? [method] : []));
  expect(names('access-control-allow-methods')).toEqual(
    expect.arrayContaining(methods.map((method) => method.toUpperCase())),
  );
  const responses = [
    ...Object.values<any>(contract.components.responses),
    ...operations.flatMap(([, { responses = {} }]: [string, any]) => Object.values<any>(responses)),
  ];
  const declared = responses.flatMap(({ headers = {} }) => Object.keys(headers));
  // Any page may read this one.
  const exposed = declared.filter((name) => name !== 'Last-Modified');
  expect(exposed).toContain('Preference-Applied');
  expect(names('access-control-expose-headers')).toEqual(expect.arrayContaining(exposed));
});

test('only pages of the origins that are listed may read a response', async () => {
  const { send } = await testService({ CORS_ORIGINS: editor });
  await send('POST', surveys, { name: 'Flood' });
  for (const [origin, expected] of [
    [editor, editor],
    [stranger, undefined],
    ['null', undefined],
    [`${editor}:8443`, undefined],
    [undefined, undefined],
  ] as const) {
    const response = await send('GET', `${surveys}/1`, undefined, { headers: { ...(origin && { origin }) } });
    expect(response.status).toBe(200);
    expect(allowed(response)).toEqual([expected, 'Origin, authorization, accept-encoding']);
    const preflight = await send('OPTIONS', surveys, undefined, { headers: { ...(origin && { origin }), ...asked } });
    expect(preflight.headers['access-control-allow-origin']).toBe(expected);
  }
});

test('pages of any origin may read a response when any is allowed', async () => {
  const { send } = await testService({ CORS_ORIGINS: '*' });
  const response = await send('GET', '/api/v3/hxl/tags', undefined, { headers: { origin: stranger } });
  expect([response.status, response.headers['access-control-allow-origin']]).toEqual([200, '*']);
});

test('pages may read why they are refused', async () => {
  const { app, send } = await testService({ CORS_ORIGINS: editor, BODY_LIMIT: '100' });
  const { json } = await send('POST', surveys, { name: 'Flood' });
  const one = `${surveys}/${json.results[0].id}`;
  const requests: [status: number, method: string, url: string, body?: object | undefined, more?: object][] = [
    [304, 'GET', one, undefined, { headers: { 'if-none-match': '*' } }],
    [400, 'GET', `${surveys}?limit=x`],
    [400, 'GET', '/api/v5/%zz'],
    [401, 'GET', surveys, undefined, { as: null }],
    [403, 'POST', surveys, {}, { as: 'user' }],
    [404, 'GET', `${surveys}/999`],
    [404, 'GET', '/nothing'],
    [405, 'PATCH', surveys],
    [412, 'PUT', one, {}, { headers: { 'if-match': '"x"' } }],
    [413, 'POST', surveys, { name: 'x'.repeat(100) }],
    [415, 'POST', surveys, undefined, { payload: 'x', headers: { 'content-type': 'text/plain' } }],
    [422, 'POST', surveys, { name: 1 }],
  ];
  const ask = async (method: string, url: string, body?: object, more: { headers?: object } = {}) =>
    send(method, url, body, { ...more, headers: { origin: editor, ...more.headers } });
  for (const [status, method, url, body, more] of requests) {
    const response = await ask(method, url, body, more);
    expect([response.status, allowed(response)[0]], `${method} ${url}`).toEqual([status, editor]);
    expect(String(response.headers.vary)).toMatch(/^Origin\b/);
    expect(response.headers['cache-control']).toMatch(/^private, no-/);
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  const cancelled = new AbortController();
  const drained = app.drain(1000, cancelled.signal);
  const ending = await ask('GET', '/health/ready');
  expect([ending.status, allowed(ending)[0]]).toEqual([503, editor]);
  cancelled.abort();
  await drained;
});

test('an OPTIONS request that is no preflight is refused as ever', async () => {
  const { send } = await testService({ CORS_ORIGINS: '*' });
  const statuses = async (url: string, headers: Record<string, string>) => {
    const { status, headers: received, json } = await send('OPTIONS', url, undefined, { headers });
    return [status, received.allow, json?.errors[0].code];
  };
  expect(await statuses(surveys, {})).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed']);
  expect(await statuses(surveys, { origin: editor })).toEqual([405, 'GET, HEAD, POST', 'method_not_allowed']);
  expect(await statuses('/health/live', {})).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
  expect(await statuses('/nothing', {})).toEqual([404, undefined, 'not_found']);
});

test('everybody may read the documents, whoever may call the API', async () => {
  const { send } = await testService({ CORS_ORIGINS: editor });
  const headers = { origin: stranger };
  const document = await send('GET', '/openapi.json', undefined, { as: null, headers });
  expect(allowed(document)).toEqual(['*', 'accept, accept-encoding']);
  const preflight = await send('OPTIONS', '/openapi.json', undefined, { as: null, headers: { ...headers, ...asked } });
  expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
});
