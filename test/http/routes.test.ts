/** The server serves what the contract declares and a few other routes. Every response says where it is described. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import document from '../../src/generated/openapi.json' with { type: 'json' };
import { service, testService } from '../support/service.ts';

/** The routes that are not in the contract. A new one must be in the contract or in this list. */
const besides = [
  'GET /',
  'GET /health/live',
  'GET /health/ready',
  'GET /openapi.json',
  'OPTIONS /openapi.json',
  'GET /openapi.yaml',
  'OPTIONS /openapi.yaml',
  'GET /openapi-3.0.json',
  'OPTIONS /openapi-3.0.json',
  ...['survey', 'hxl', 'translation'].flatMap((name) => [
    `GET /workflows/${name}.arazzo.yaml`,
    `OPTIONS /workflows/${name}.arazzo.yaml`,
  ]),
  'GET /.well-known/api-catalog',
  'OPTIONS /.well-known/api-catalog',
  'GET /docs',
  'GET /docs/try',
  ...[
    'changelog.md',
    'code-samples.json',
    'document.js',
    'page.css',
    'page.js',
    'print.js',
    'redoc.js',
    'redoc.svg',
  ].map((name) => `GET /docs/${name}`),
  ...['search.js', 'swagger-ui.css', 'swagger-ui.js', 'try.css', 'try.js'].map((name) => `GET /docs/${name}`),
];

const operations = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter((member) => member !== 'parameters')
    .map((method) => `${method.toUpperCase()} ${path}`),
);

/** GET also responses HEAD. */
const withHead = (routes: string[]) =>
  routes.flatMap((route) => (route.startsWith('GET ') ? [route, route.replace('GET', 'HEAD')] : [route]));

let running: Awaited<ReturnType<typeof service>>;
const routes: RouteOptions[] = [];

beforeAll(async () => {
  // Fastify publishes each new instance on this channel before it has any routes.
  const collect = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route));
  subscribe('fastify.initialization', collect);
  running = await service();
  unsubscribe('fastify.initialization', collect);
});
afterAll(() => running.close());

/** A route as the contract writes it, once for each method: `GET /surveys/{id}`. */
const routeNames = ({ method, url }: RouteOptions) =>
  [method].flat().map((one) => `${one} ${url.replace(/:(\w+)/g, '{$1}')}`);

test('every route is an operation of the contract or listed here, and each of those has a route', async () => {
  const [served, refused]: [string[], string[]] = [[], []];
  for (const route of routes) {
    for (const name of routeNames(route)) {
      const [method, path] = name.split(' ') as [string, string];
      const known = route.config?.operationId !== undefined || !(path in document.paths);
      // The engine has a route for the methods that a path of the contract lacks; it only refuses them.
      (known ? served : refused).push(name);
      if (!known) expect((await running.send(method, path.replace(/\{\w+\}/, '1'))).status, name).toBe(405);
    }
  }
  expect(served.toSorted()).toEqual(withHead([...operations, ...besides]).toSorted());
  expect(refused.length).toBeGreaterThan(0);
});

test('a path that can only be read says so, and whether it takes OPTIONS', async () => {
  for (const [url, allow] of [
    ['/docs', 'GET, HEAD'],
    ['/openapi-3.0.json', 'GET, HEAD, OPTIONS'],
    ['/.well-known/api-catalog', 'GET, HEAD, OPTIONS'],
  ]) {
    const response = await running.send('POST', url!, undefined, { as: null });
    expect([response.status, response.headers.allow], url).toEqual([405, allow]);
  }
});

const links = '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"';

/** Requests of every kind. */
const requests: [status: number, method: string, url: string, as: 'user' | null][] = [
  [200, 'GET', '/api/v5/surveys', 'user'],
  [200, 'HEAD', '/api/v3/hxl/tags', 'user'],
  [200, 'GET', '/health/live', null],
  [200, 'GET', '/docs', null],
  [204, 'OPTIONS', '/openapi.json', null],
  [302, 'GET', '/', null],
  [400, 'GET', '/api/v5/surveys/x', 'user'],
  [400, 'GET', '/%zz', null],
  [401, 'GET', '/api/v5/surveys', null],
  [403, 'POST', '/api/v5/surveys', 'user'],
  [404, 'GET', '/nothing', null],
  [404, 'GET', '/api/v5/surveys/404', 'user'],
  [405, 'PATCH', '/api/v5/surveys', null],
  [405, 'POST', '/docs', null],
  [414, 'GET', `/api/v5/surveys/${'1'.repeat(2000)}`, 'user'],
];

test('every response names the contract and its documentation', async () => {
  for (const [status, method, url, as] of requests) {
    const response = await running.send(method, url, undefined, { as });
    expect(response.status, `${method} ${url}`).toBe(status);
    expect(response.headers.link, `${method} ${url}`).toBe(links);
  }
});

const published = ['/openapi.json', '/openapi-3.0.json', '/docs', '/docs/page.js', '/.well-known/api-catalog'];

test('no cache stores a response, except what is published and what can be asked for again', async () => {
  for (const [status, method, url, as] of requests.filter((request) => request[2] !== '/docs')) {
    const { headers } = await running.send(method, url, undefined, { as });
    const expected = status === 200 && headers.etag ? 'private, no-cache' : 'private, no-store';
    expect([status, url, headers['cache-control']]).toEqual([status, url, expected]);
  }
  for (const url of published) {
    const { headers } = await running.send('GET', url, undefined, { as: null });
    expect([url, headers['cache-control']]).toEqual([url, 'public, no-cache']);
  }
});

test('no browser guesses the type of a response', async () => {
  for (const [, method, url, as] of requests) {
    const { headers } = await running.send(method, url, undefined, { as });
    expect([url, headers['x-content-type-options']]).toEqual([url, 'nosniff']);
  }
});

test('the Link header has the path of the public URL', async () => {
  const { send } = await testService({ PUBLIC_URL: 'https://example.org/base/' });
  const response = await send('GET', '/nothing');
  expect(response.headers.link).toBe('</base/openapi.json>; rel="service-desc", </base/docs>; rel="service-doc"');
});
