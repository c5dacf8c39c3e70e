/** What clients are told about deprecated operations, by a small contract of its own. */
import sensible from '@fastify/sensible';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import type { DeprecationOptions } from '../../src/contract/deprecation.ts';
import { contract } from '../../src/contract/plugin.ts';

/** Serves GET /things/{id}, which is as deprecated as `extensions` say, and GET /others. */
async function service(extensions: object, options: DeprecationOptions = {}): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(sensible);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('link', '</openapi.json>; rel="service-desc"');
    if (request.headers['x-closing']) return reply.code(503).send();
  });
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 9 } }];
  const responses = {
    200: { description: 'The thing.', content: { 'text/plain': { schema: { type: 'string' } } } },
    404: { description: 'None.' },
  };
  await app.register(
    contract({
      document: {
        openapi: '3.1.0',
        info: { title: 'Test', version: '1' },
        paths: {
          '/things/{id}': {
            get: { operationId: 'getThing', parameters, responses, security: [{ key: [] }], ...extensions },
          },
          '/others': { get: { operationId: 'listOthers', responses } },
        },
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
      },
      handlers: {
        getThing: async ({ path }: { path: { id: string } }) => {
          if (path.id === 'bad') throw new Error('fault');
          return path.id === 'none' ? { status: 404, problems: [] } : { status: 200, body: 'thing' };
        },
        listOthers: async () => ({ status: 200, body: 'others' }),
      } as never,
      authenticators: {
        key: {
          digest: (key) => key,
          identify: async () => ({ id: 1, role: 'any', scopes: new Set<string>() }),
        },
      },
      context: () => undefined,
      address: () => '',
      sendRefusal: (reply, status) => reply.code(status).send(),
      development: true,
      ...options,
    }),
  );
  return app;
}

const deprecated = {
  deprecated: true,
  'x-deprecated-since': '2026-12-01',
  'x-sunset': '2027-06-30',
  'x-successor': '/v2/things/{id}',
};
const documentation = (operationId: string) => `/docs#operation/${operationId}`;
const authorization = 'Bearer x';

test('every response of a deprecated operation says since when, until when, where to read about it and what comes instead', async () => {
  const app = await service(deprecated, { documentation });
  const requests: [status: number, method: 'GET' | 'HEAD', id: string, headers: object][] = [
    [200, 'GET', 'a', { authorization }],
    [200, 'HEAD', 'a', { authorization }],
    [400, 'GET', 'much-too-long', { authorization }],
    [401, 'GET', 'a', {}],
    [404, 'GET', 'none', { authorization }],
    [500, 'GET', 'bad', { authorization }],
    [503, 'GET', 'a', { 'x-closing': '1' }],
  ];
  for (const [status, method, id, headers] of requests) {
    const response = await app.inject({ method, url: `/things/${id}`, headers: { ...headers } });
    expect(response.statusCode).toBe(status);
    expect(response.headers).toMatchObject({ deprecation: '@1796083200', sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' });
    expect(response.headers.link).toBe(
      [
        '</openapi.json>; rel="service-desc"',
        '</docs#operation/getThing>; rel="deprecation"; type="text/html"',
        '</docs#operation/getThing>; rel="sunset"; type="text/html"',
        `</v2/things/${id}>; rel="successor-version"`,
      ].join(', '),
    );
  }
});

test('other operations and other methods say nothing of it', async () => {
  const app = await service(deprecated, { documentation });
  for (const [method, url] of [
    ['GET', '/others'],
    ['POST', '/things/a'],
  ] as const) {
    const { headers } = await app.inject({ method, url });
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('sunset');
    expect(headers.link).toBe('</openapi.json>; rel="service-desc"');
  }
});

test('only what the contract says is announced', async () => {
  const get = async (extensions: object) =>
    (await (await service(extensions)).inject({ url: '/things/a', headers: { authorization } })).headers;
  expect(await get({ deprecated: true, 'x-sunset': '2027-06-30' })).toMatchObject({
    sunset: 'Wed, 30 Jun 2027 00:00:00 GMT',
    link: '</openapi.json>; rel="service-desc"',
  });
  expect(await get({ deprecated: true })).not.toHaveProperty('deprecation');
  expect(await get({ deprecated: false, 'x-deprecated-since': '2026-12-01' })).not.toHaveProperty('deprecation');
});

test('the successor has the parameters of the request, and the address under which clients come', async () => {
  const link = async (extensions: object, url: string) =>
    (await (await service({ ...deprecated, ...extensions }, { basePath: '/base' })).inject({ url })).headers.link;
  expect(await link({}, '/things/a%2F%3E%20%E2%82%AC')).toContain(
    '</base/v2/things/a%2F%3E%20%E2%82%AC>; rel="successor-version"',
  );
  expect(await link({ 'x-successor': 'https://example.org/{id}' }, '/things/a')).toContain(
    '<https://example.org/a>; rel="successor-version"',
  );
});

test.each([
  [{ 'x-sunset': '2027-02-30' }, 'x-sunset of getThing is not a date'],
  [{ 'x-sunset': 'soon' }, 'x-sunset of getThing is not a date'],
  [{ 'x-deprecated-since': '2026-12-01T00:00:00Z' }, 'x-deprecated-since of getThing is not a date'],
  [{ 'x-successor': '/v2/{name}' }, 'x-successor of getThing has {name}'],
])('%j stops the start', async (extensions, message) => {
  await expect(service({ ...deprecated, ...extensions })).rejects.toThrow(message);
});
