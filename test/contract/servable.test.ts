/** What the engine refuses to serve stops the start, in one line that names the operation, the feature and the place. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { servedTypes } from '../../src/contract/media.ts';
import { type Feature, ignored, refused } from '../../src/contract/servable.ts';
import { document, echoService, refusalOf } from '../support/echo-service.ts';

const at = '#/paths/~1things/get';
/** A contract whose operation `getThings` has this in it. */
const things = (operation: object, path = '/things', rest = {}) =>
  document({ [path]: { get: { operationId: 'getThings', ...operation } } }, rest);
const parameter = (declared: object) => things({ parameters: [{ name: 'p', in: 'query', ...declared }] });
const ofSchema = (schema: unknown) => parameter({ schema });
const ofContent = (content: object) => things({ responses: { 200: { description: '', content } } });
const idParameter = { name: 'id', in: 'path', required: true, schema: {} };
const token = {
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' }, tls: { type: 'mutualTLS' } } },
};
const pet = { $ref: '#/components/schemas/Pet' };
const inSchema = `${at}/parameters/0/schema`;

/** For each feature that is refused: contracts that have it, and where. */
const contracts: Record<Exclude<Feature, 'operation'>, [contract: object, place: string][]> = {
  'OpenAPI version': [
    [{ ...things({}), openapi: '3.2.0' }, '#/openapi'],
    [{ ...things({}), openapi: '2.0' }, '#/openapi'],
  ],
  'JSON Schema dialect': [
    [things({}, '/things', { jsonSchemaDialect: 'http://json-schema.org/draft-07/schema#' }), '#/jsonSchemaDialect'],
    [ofSchema({ $schema: 'http://json-schema.org/draft-04/schema#' }), `${inSchema}/$schema`],
  ],
  'equal operationIds': [
    [document({ '/things': { get: { operationId: 'getThings' }, put: { operationId: 'getThings' } } }), at],
    [things({ operationId: 'toString' }), at],
  ],
  'missing operationId': [[things({ operationId: undefined }), at]],
  'missing responses': [
    [things({ responses: undefined }), at],
    [things({ responses: {} }), at],
  ],
  'unresolved $ref': [
    [ofSchema({ $ref: '#/components/schemas/Nothing' }), inSchema],
    [ofSchema({ $ref: 'other.yaml#/Thing' }), inSchema],
    [ofSchema({ items: { $ref: '#name' } }), `${inSchema}/items`],
    [things({ parameters: [{ $ref: '#/components/parameters/Nothing' }] }), `${at}/parameters/0`],
    [things({ responses: { 200: { $ref: '#/components/responses/Nothing' } } }), `${at}/responses/200`],
    [
      things({ parameters: [{ $ref: '#/components/parameters/a' }] }, '/things', {
        components: {
          parameters: { a: { $ref: '#/components/parameters/b' }, b: { $ref: '#/components/parameters/a' } },
        },
      }),
      `${at}/parameters/0`,
    ],
    [document({ '/things': { $ref: '#/components/pathItems/Nothing' } }), '#/paths/~1things'],
  ],
  '$ref beside other members': [
    [
      things({ parameters: [{ $ref: '#/components/parameters/P', required: true }] }, '/things', {
        components: { parameters: { P: { name: 'p', in: 'query', schema: {} } } },
      }),
      `${at}/parameters/0`,
    ],
  ],
  malformed: [
    [things({ parameters: {} }), `${at}/parameters`],
    [ofSchema({ allOf: {} }), `${inSchema}/allOf`],
    [ofSchema(7), inSchema],
  ],
  'equal path templates': [
    [
      document({
        '/things/{id}': { get: { operationId: 'getThings', parameters: [idParameter] } },
        '/things/{name}': { put: { operationId: 'putThings', parameters: [{ ...idParameter, name: 'name' }] } },
      }),
      '#/paths/~1things~1{id}/get',
    ],
  ],
  'missing path parameter': [
    [things({}, '/things/{id}'), '#/paths/~1things~1{id}/get'],
    [things({ parameters: [idParameter] }), at],
  ],
  'path syntax': [
    [things({}, '/things/*'), '#/paths/~1things~1*/get'],
    [things({}, 'things'), '#/paths/things/get'],
    [
      things({ parameters: [idParameter, { ...idParameter, name: 'x' }] }, '/things/{id}.{x}'),
      '#/paths/~1things~1{id}.{x}/get',
    ],
    [
      things({ parameters: [{ ...idParameter, schema: { type: 'array' } }] }, '/things/{id}.csv'),
      '#/paths/~1things~1{id}.csv/get',
    ],
  ],
  'server path': [[things({}, '/things', { servers: [{ url: 'https://example.org/{unknown}' }] }), '#/servers']],
  'body of a method without one': [
    [things({ requestBody: { content: { 'application/json': {} } } }), `${at}/requestBody`],
  ],
  'repeated parameter': [
    [
      things({
        parameters: [
          { name: 'p', in: 'header', schema: {} },
          { name: 'P', in: 'header', schema: {} },
        ],
      }),
      `${at}/parameters`,
    ],
    [things({ parameters: [idParameter] }, '/things/{id}/of/{id}'), '#/paths/~1things~1{id}~1of~1{id}/get'],
  ],
  'parameter name': [
    [parameter({ name: '__proto__', schema: {} }), `${at}/parameters/0`],
    [parameter({ name: 'a b', in: 'header', schema: {} }), `${at}/parameters/0`],
  ],
  'parameter place': [[parameter({ in: 'body', schema: {} }), `${at}/parameters/0`]],
  'ignored header parameter': [[parameter({ name: 'Accept', in: 'header', schema: {} }), `${at}/parameters/0`]],
  'optional path parameter': [
    [
      things({ parameters: [{ ...idParameter, required: false }] }, '/things/{id}'),
      '#/paths/~1things~1{id}/get/parameters/0',
    ],
  ],
  'parameter without schema': [
    [parameter({}), `${at}/parameters/0`],
    [parameter({ schema: {}, content: { 'application/json': {} } }), `${at}/parameters/0`],
  ],
  'parameter content': [[parameter({ content: { 'application/xml': {} } }), `${at}/parameters/0`]],
  style: [
    ...[
      { style: 'simple', schema: {} },
      { style: 'deepObject', schema: { type: 'array' } },
      { style: 'deepObject', explode: false, schema: { type: 'object' } },
      { style: 'spaceDelimited', explode: true, schema: { type: 'array' } },
      { style: 'pipeDelimited', schema: { type: 'string' } },
      { style: 'form', in: 'header', schema: {} },
      { in: 'cookie', schema: { type: 'array' } },
    ].map((declared): [object, string] => [parameter(declared), `${at}/parameters/0`]),
  ],
  'nested values in a parameter': [
    [ofSchema({ type: 'array', items: { type: 'array' } }), `${at}/parameters/0`],
    [
      parameter({ style: 'deepObject', schema: { type: 'object', properties: { a: { type: 'object' } } } }),
      `${at}/parameters/0`,
    ],
  ],
  'array or single value': [
    [ofSchema({ oneOf: [{ type: 'string' }, { type: 'array' }] }), `${at}/parameters/0`],
    [ofSchema({ type: ['array', 'object'] }), `${at}/parameters/0`],
  ],
  'overlapping parameters': [
    [
      things({
        parameters: [
          { name: 'x', in: 'query', schema: {} },
          { name: 'p', in: 'query', schema: { type: 'object', properties: { x: {} } } },
        ],
      }),
      `${at}/parameters`,
    ],
  ],
  allowEmptyValue: [[parameter({ allowEmptyValue: true, schema: { type: 'boolean' } }), `${at}/parameters/0`]],
  default: [[ofSchema({ type: 'integer', default: 'many' }), at]],
  nullable: [[ofSchema({ type: 'string', nullable: true }), `${inSchema}/nullable`]],
  'nullable without type': [
    [{ ...ofSchema({ nullable: true, allOf: [{ type: 'string' }] }), openapi: '3.0.3' }, inSchema],
  ],
  'exclusive bound': [
    [ofSchema({ minimum: 1, exclusiveMinimum: true }), `${inSchema}/exclusiveMinimum`],
    [{ ...ofSchema({ exclusiveMaximum: 3 }), openapi: '3.0.3' }, inSchema],
  ],
  'unknown keyword': [
    [ofSchema({ type: 'string', minLenght: 3 }), `${inSchema}/minLenght`],
    [{ ...ofSchema({ const: 3 }), openapi: '3.0.3' }, inSchema],
  ],
  'dynamic reference': [
    [ofSchema({ $dynamicRef: '#x' }), `${inSchema}/$dynamicRef`],
    [ofSchema({ $id: 'https://example.org/x' }), `${inSchema}/$id`],
  ],
  'one-way member required elsewhere': [
    [ofSchema({ allOf: [{ properties: { id: { readOnly: true } } }, { required: ['id'] }], type: 'string' }), inSchema],
  ],
  'schema made of itself': [
    [
      things({ parameters: [{ name: 'p', in: 'query', schema: { $ref: '#/components/schemas/Loop' } }] }, '/things', {
        components: { schemas: { Loop: { type: 'string', anyOf: [{}, { $ref: '#/components/schemas/Loop' }] } } },
      }),
      '#/components/schemas/Loop',
    ],
    [
      things({ responses: { 200: { description: '', content: { 'application/json': { schema: pet } } } } }, '/things', {
        components: {
          schemas: {
            Pet: { discriminator: { propertyName: 'kind' }, oneOf: [{ $ref: '#/components/schemas/Cat' }] },
            Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }], properties: { claws: { type: 'integer' } } },
          },
        },
      }),
      '#/components/schemas/Pet',
    ],
  ],
  discriminator: [
    [
      parameter({
        content: { 'application/json': { schema: { oneOf: [{}], discriminator: { propertyName: 'kind' } } } },
      }),
      `${at}/parameters/0/content/application~1json/schema/discriminator`,
    ],
  ],
  'schema that cannot be compiled': [[ofSchema({ type: 'text' }), at]],
  'media type': [
    [ofContent({ 'application/x-unknown': {} }), `${at}/responses/200/content/application~1x-unknown`],
    [ofContent({ 'text/csv': { schema: { type: 'object' } } }), `${at}/responses/200/content/text~1csv`],
    [
      document({
        '/things': { put: { operationId: 'putThings', requestBody: { content: { 'text/csv; charset=latin1': {} } } } },
      }),
      '#/paths/~1things/put/requestBody/content/text~1csv; charset=latin1',
    ],
  ],
  'response status': [
    [things({ responses: { '20X': { description: '' } } }), `${at}/responses/20X`],
    [things({ responses: { 204: { description: '', content: { 'text/csv': {} } } } }), `${at}/responses/204`],
  ],
  'range among response types': [[ofContent({ 'image/*': {}, 'text/csv': {} }), `${at}/responses`]],
  'unknown security scheme': [[things({ security: [{ nothing: [] }] }), at]],
  'security scheme': [[things({ security: [{ tls: [] }] }, '/things', token), '#/components/securitySchemes/tls']],
  'missing authenticator': [[things({ security: [{ token: [] }] }, '/things', token), at]],
};

describe.each(Object.entries(contracts))('%s', (feature, refusedContracts) => {
  test.each(refusedContracts)('%j', async (contract, place) => {
    const lines = await refusalOf(contract);
    expect(lines.filter((line) => line.includes(`: ${feature}`) && line.endsWith(` (${place})`))).toHaveLength(1);
    for (const line of lines)
      expect(line).toMatch(/^(?:getThings|putThings|toString|get \/things|GET \S+|the document)[,:]/i);
  });
});

test('everything that is wrong is said at once, and what is wrong in one place in one line', async () => {
  const bad = { $ref: '#/components/schemas/Bad' };
  const get = (operationId: string) => ({
    get: {
      operationId,
      parameters: [
        { name: 'p', in: 'query', schema: bad },
        { name: 'q', in: 'query' },
      ],
    },
  });
  const contract = document(Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`/${name}`, get(name)])), {
    components: { schemas: { Bad: { nullable: true } } },
  });
  const lines = await refusalOf(contract);
  expect(lines).toHaveLength(6);
  expect(lines).toContain(
    "a, b, c and 2 more: nullable: OpenAPI 3.1 has no such keyword: add 'null' to `type` (#/components/schemas/Bad/nullable)",
  );
});

test('schemas that are nested too deep are one line', async () => {
  let schema: object = { type: 'string' };
  for (let depth = 0; depth < 5000; depth += 1) schema = { properties: { a: schema } };
  expect(await refusalOf(ofSchema(schema))).toEqual([
    'the document: schema that cannot be compiled (a schema is nested too deep): Ajv cannot compile it (#/paths/~1things)',
  ]);
});

test('a part of the engine that cannot prepare an operation is named with it', async () => {
  expect(await refusalOf(things({ deprecated: true, 'x-sunset': 'soon' }))).toEqual([
    'getThings: operation (x-sunset of getThings is not a date such as 2027-06-30.): it cannot be served as it is declared (#/paths/~1things/get)',
  ]);
});

test('path items, parameters, responses and schemas are found behind references, in any order', async () => {
  const { send } = await echoService({
    ...document({ '/a~b/{id}': { $ref: '#/components/pathItems/Things' } }),
    components: {
      pathItems: {
        Things: {
          parameters: [{ $ref: '#/components/parameters/Id' }],
          get: { operationId: 'getThings', responses: { 200: { $ref: '#/components/responses/Ok' } } },
        },
      },
      parameters: {
        Id: { $ref: '#/components/parameters/RealId' },
        RealId: { ...idParameter, schema: { $ref: '#/components/schemas/a~1b%20c/items', maximum: 5 } },
      },
      responses: { Ok: { description: 'Ok', content: { 'application/json': { schema: {} } } } },
      schemas: { 'a/b c': { items: { type: 'integer' } } },
    },
  });
  // Nothing was given for the operation behind the reference, which responds 501.
  expect((await send('/a~b/6')).status).toBe(400);
  expect((await send('/a~b/x')).status).toBe(400);
  expect((await send('/a~b/5')).status).toBe(501);
});

test('operations are served under the paths of the servers', async () => {
  const { send } = await echoService(
    document(
      {
        '/things': {
          get: {},
          servers: [
            { url: 'https://example.org/{version}/x', variables: { version: { default: 'v1', enum: ['v1', 'v2'] } } },
          ],
        },
        '/others': { get: { servers: [{ url: '/' }] }, post: {} },
      },
      { servers: [{ url: 'https://example.org/base/' }, { url: 'https://example.com/base' }] },
    ),
  );
  for (const url of ['/v1/x/things', '/v2/x/things', '/others']) expect((await send(url)).status, url).toBe(200);
  for (const url of ['/things', '/base/things', '/base/others'])
    expect((await send(url)).status, url).toBe(url === '/base/others' ? 405 : 404);
  expect((await send({ method: 'POST', url: '/base/others' })).status).toBe(200);
});

test('paths that are the same with the paths of their servers are refused', async () => {
  const contract = document({
    '/things': { get: { operationId: 'getThings', servers: [{ url: '/v1' }] } },
    '/v1/things': { get: { operationId: 'getOthers' } },
  });
  expect(await refusalOf(contract)).toEqual([
    expect.stringMatching(/^getOthers: equal path templates \/v1\/things, with the path of a server: /),
  ]);
});

test('a path may have HEAD and OPTIONS of its own', async () => {
  const { send } = await echoService(document({ '/things': { get: {}, head: {}, options: {} } }));
  for (const method of ['GET', 'HEAD', 'OPTIONS'] as const)
    expect((await send({ method, url: '/things' })).status).toBe(200);
  expect((await send({ method: 'POST', url: '/things' })).headers.allow).toBe('GET, HEAD, OPTIONS');
});

test('docs/engine.md lists the media types that are served', () => {
  const text = readFileSync(new URL('../../docs/engine.md', import.meta.url), 'utf8');
  const [, table = ''] = /^\| Media type \|.*\n\|---.*\n((?:\|.*\n)+)/m.exec(text)!;
  const rows = table.trim().split('\n');
  const names = rows.map((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(names).toEqual(servedTypes);
});

test('docs/engine.md lists everything that is refused or ignored, and nothing else', () => {
  const text = readFileSync(new URL('../../docs/engine.md', import.meta.url), 'utf8');
  const rows = (title: string) =>
    [
      ...text
        .split(`## ${title}\n`)[1]!
        .split('\n## ')[0]!
        .matchAll(/^\| (.+?) \| (.+?) \|$/gm),
    ]
      .map(([, name, why]) => [name!.replaceAll('\\|', '|'), why!])
      .slice(1)
      .filter(([name]) => name !== '---');
  expect(rows('Refused')).toEqual(Object.entries(refused));
  expect(rows('Ignored')).toEqual(Object.entries(ignored));
});
