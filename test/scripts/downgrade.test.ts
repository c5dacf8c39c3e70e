/** The OpenAPI 3.0 copy: what becomes of each keyword, and that the published one is valid. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { downgrade } from '../../scripts/lib/downgrade.ts';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import copy from '../../src/generated/openapi-3.0.json' with { type: 'json' };

/** What becomes of a schema. */
function schema(schema: unknown): unknown {
  return downgrade({ ...empty, components: { schemas: { It: schema } } }).components.schemas.It;
}

const empty = { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths: {} };
const text = { type: 'string' };
const ref = { $ref: '#/components/schemas/It' };

/** What the meta-schema of OpenAPI 3.0 has against a document. */
async function complaints(document: object): Promise<unknown> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as never);
  expect(validator.version).toBe('3.0');
  return valid ? undefined : errors;
}

test('the published copy is valid by the meta-schema of OpenAPI 3.0', async () => {
  expect(copy.openapi).toBe('3.0.3');
  expect(await complaints(copy)).toBeUndefined();
  const spoilt = structuredClone(copy) as any;
  spoilt.components.schemas.Survey.properties.name.type = ['string', 'null'];
  expect(await complaints(spoilt), 'the meta-schema is looked at').toBeDefined();
});

test('the published copy is a sound document for redocly', async () => {
  const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  const cli = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
  const parameters = [
    'lint',
    path('../../src/generated/openapi-3.0.json'),
    '--config',
    path('../fixtures/redocly-3.0.yaml'),
    '--format=json',
  ];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...parameters], { env });
  expect(JSON.parse(stdout).problems).toEqual([]);
});

test('the copy has the same paths, operations, components and references', () => {
  const names = (document: any) => ({
    operations: Object.entries<object>(document.paths).map(([path, item]) => [path, Object.keys(item)]),
    components: Object.entries<object>(document.components).map(([kind, all]) => [kind, Object.keys(all)]),
    references: JSON.stringify(document).match(/"\$ref":"[^"]+"/g),
  });
  expect(names(copy)).toEqual(names(contract));
});

test('the document that is converted stays as it is', () => {
  const before = structuredClone(contract);
  downgrade(contract);
  expect(contract).toEqual(before);
});

const conversions: [what: string, from: unknown, to: unknown][] = [
  [
    'null among the types',
    { type: ['string', 'null'], maxLength: 9 },
    { type: 'string', nullable: true, maxLength: 9 },
  ],
  ['a list of one type', { type: ['string'] }, text],
  [
    'null in an enum',
    { type: ['string', 'null'], enum: ['a', null] },
    { type: 'string', nullable: true, enum: ['a', null] },
  ],
  [
    'null or a reference',
    { oneOf: [ref, { type: 'null' }] },
    { oneOf: [ref, { type: 'string', nullable: true, enum: [null] }] },
  ],
  [
    'null or one of several',
    { anyOf: [{ type: 'null' }, ref, text] },
    { anyOf: [ref, { type: 'string', nullable: true }] },
  ],
  ['alternatives without null', { oneOf: [ref, text] }, { oneOf: [ref, text] }],
  ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
  ['an example that is false', { type: 'boolean', examples: [false] }, { type: 'boolean', example: false }],
  ['const', { const: 'a' }, { type: 'string', enum: ['a'] }],
  ['const beside a type', { type: 'number', const: 1 }, { type: 'number', enum: [1] }],
  [
    'exclusive bounds',
    { exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  ],
  [
    'bounds and narrower exclusive ones',
    { minimum: 0, exclusiveMinimum: 5, exclusiveMaximum: 7, maximum: 9 },
    { minimum: 5, exclusiveMinimum: true, maximum: 7, exclusiveMaximum: true },
  ],
  [
    'bounds and wider exclusive ones',
    { exclusiveMinimum: 0, minimum: 5, maximum: 7, exclusiveMaximum: 9 },
    { minimum: 5, maximum: 7 },
  ],
  [
    'rules for names',
    { type: 'object', propertyNames: { maxLength: 3 }, additionalProperties: text },
    { type: 'object', 'x-property-names': { maxLength: 3 }, additionalProperties: text },
  ],
  [
    'one pattern of names',
    { type: 'object', patternProperties: { '^a': { type: ['string', 'null'] } }, additionalProperties: false },
    {
      type: 'object',
      additionalProperties: { type: 'string', nullable: true },
      'x-pattern-properties': { '^a': { type: ['string', 'null'] } },
    },
  ],
  [
    'a pattern beside other names',
    { patternProperties: { '^a': text } },
    { additionalProperties: true, 'x-pattern-properties': { '^a': text } },
  ],
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
  ['conditions', { if: text, then: { maxLength: 3 } }, { 'x-if': text, 'x-then': { maxLength: 3 } }],
  ['binary content', { contentMediaType: 'application/octet-stream' }, { type: 'string', format: 'binary' }],
  [
    'encoded content',
    { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
    { type: 'string', format: 'byte', 'x-content-media-type': 'image/png' },
  ],
  ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
  ['any value', { type: 'array', items: {} }, { type: 'array', items: {} }],
  ['true and false', { properties: { a: true, b: false } }, { properties: { a: {}, b: { not: {} } } }],
  ['an empty list of required members', { required: [] }, {}],
  [
    'a property that is named like a keyword',
    { properties: { const: text, 'x-y': { type: ['string', 'null'] } } },
    { properties: { const: text, 'x-y': { type: 'string', nullable: true } } },
  ],
  ['extensions', { 'x-max-depth': 3 }, { 'x-max-depth': 3 }],
  [
    'schemas in schemas',
    { allOf: [{ not: { items: { additionalProperties: { const: 1 } } } }] },
    { allOf: [{ not: { items: { additionalProperties: { type: 'integer', enum: [1] } } } }] },
  ],
];

test.each(conversions)('%s', (_, from, to) => {
  expect(schema(from)).toEqual(to);
});

test('what comes out is valid', async () => {
  const schemas = Object.fromEntries(conversions.map(([, from], index) => [`Schema${index}`, from]));
  expect(await complaints(downgrade({ ...empty, components: { schemas: { ...schemas, It: text } } }))).toBeUndefined();
});

test.each<[what: string, schema: unknown, place: string]>([
  [
    'an unknown keyword',
    { properties: { 'a/b': { prefixItems: [] } } },
    '/properties/a~1b/prefixItems has no counterpart',
  ],
  ['a keyword named like a member of every object', { constructor: 1 }, '/constructor has no counterpart'],
  ['several types', { type: ['string', 'integer'] }, '/type must name one type'],
  ['null alone', { type: 'null' }, '/type must name one type'],
  ['null as a constant', { const: null }, '/const has no counterpart'],
  ['something beside a reference', { items: { ...ref, description: 'x' } }, '/items has something beside its $ref'],
  [
    'two keywords that need the same one',
    { type: 'integer', contentEncoding: 'base64' },
    '/contentEncoding needs a second type',
  ],
])('%s stops the conversion', (_, from, place) => {
  expect(() => schema(from)).toThrow(`openapi.json#/components/schemas/It${place}`);
});

test('what stands around the schemas is converted, and what is new in 3.1 is left out or refused', async () => {
  const operation = (more: object) => ({ get: { responses: { 200: { description: 'x', ...more } } } });
  const nullable = { type: ['string', 'null'] };
  const converted = downgrade({
    ...empty,
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { ...empty.info, summary: 'x', license: { name: 'MIT', identifier: 'MIT' } },
    paths: {
      '/a': operation({ headers: { 'x-y': { schema: nullable } }, content: { 'text/plain': { schema: nullable } } }),
    },
  });
  expect(converted.info).toEqual({ title: 'Test', version: '1', license: { name: 'MIT' } });
  expect(JSON.stringify(converted.paths['/a']).match(/"nullable":true/g)).toHaveLength(2);
  expect(await complaints(converted)).toBeUndefined();
  expect(() => downgrade({ ...empty, webhooks: {} })).toThrow('#/webhooks has no counterpart');
  expect(() => downgrade({ ...empty, paths: { '/a': { query: {} } } })).toThrow('#/paths/~1a/query has no counterpart');
  expect(() => downgrade({ ...empty, components: { securitySchemes: { tls: { type: 'mutualTLS' } } } })).toThrow(
    '#/components/securitySchemes/tls',
  );
});

test('scopes stay where 3.0 has them and are kept as an extension elsewhere', async () => {
  const converted = downgrade({
    ...empty,
    security: [{ bearer: [] }],
    paths: {
      '/a': {
        get: { security: [{ bearer: ['read'] }, { login: ['write'] }], responses: { 200: { description: 'x' } } },
      },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        login: { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' },
      },
    },
  });
  expect(converted).not.toHaveProperty('x-scopes');
  expect(converted.paths['/a'].get).toMatchObject({
    security: [{ bearer: [] }, { login: ['write'] }],
    'x-scopes': ['read'],
  });
  expect(await complaints(converted)).toBeUndefined();
});
