/**
 * Whatever is sent, the response is sound: no fault, the one shape of errors, what the contract declares, and nothing
 * of a refused request is stored. fast-check prints the seed of a request that shows otherwise. Schemathesis
 * (`npm run fuzz`) tries what the schemas of the contract suggest; this file tries what they do not.
 */

import type { ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, expect, test } from 'vitest';
import { createAjv } from '../../src/contract/ajv.ts';
import document from '../../src/generated/openapi.json' with { type: 'json' };

import { operations } from '../support/operations.ts';
import { service, type TestResponse } from '../support/service.ts';

type Body = OpenAPIV3_1.RequestBodyObject;
const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
/** What takes JSON: bodies of other types have no places in which something else can stand. */
const writes = operations.filter(
  ({ requestBody }) => 'application/json' in ((requestBody as Body | undefined)?.content ?? {}),
);
const { db, send, close } = await service();
afterAll(close);

const [flood, points] = [
  document.components.examples.floodAssessmentInput.value,
  document.components.examples.waterPointInput.value,
];
const surveys = await Promise.all([flood, points].map((input) => send('POST', '/api/v5/surveys', input)));
await send('POST', '/api/v3/hxl/metadata', document.components.examples.hxlMetadataInput.value);

// What a response must be.

const ajv = createAjv();
const validators = new Map<unknown, ValidateFunction>();

/** Why a value does not fit a schema; nothing when it does. */
function misfits(schema: object, value: unknown): unknown {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  return validate(value) ? null : validate.errors;
}

/** What an operation declares for a status. */
function declared({ responses }: Operation, status: number): OpenAPIV3_1.ResponseObject | undefined {
  return (responses as Record<string, OpenAPIV3_1.ResponseObject>)[status];
}

const refusal = declared(writes[0]!, 400)!.content!['application/json']!.schema!;

/** No fault, and an error has the body of errors, which repeats its status. */
function expectSound(method: string, { status, headers, text, json }: TestResponse): void {
  expect(status).toBeLessThan(500);
  if (status < 400 || method === 'HEAD') return;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(misfits(refusal, json), text).toBe(null);
  expect(json.errors.map((error: { status: number }) => error.status)).toEqual(json.errors.map(() => status));
}

/** Sound, and a response that the operation declares. */
function expectDeclared(operation: Operation, response: TestResponse): void {
  expectSound(operation.method.toUpperCase(), response);
  if (response.status === 304) {
    expect([operation.responses, response.text]).toEqual([expect.objectContaining({ 304: expect.anything() }), '']);
    return;
  }
  const found = declared(operation, response.status);
  expect(found, `${operation.operationId} declares ${response.status}`).toBeDefined();
  const type = String(response.headers['content-type']).split(';')[0]!;
  if (found!.content === undefined) expect(response.text).toBe('');
  else expect(found!.content).toHaveProperty([type]);
  const schema = found!.content?.['application/json']?.schema;
  if (type === 'application/json') expect(misfits(schema!, response.json), response.text.slice(0, 1000)).toBe(null);
}

const tables = ['users', 'tokens', 'surveys', 'tasks', 'fields', 'survey_counts', 'hxl_metadata'];

/** Everything that is stored. */
async function stored(): Promise<unknown> {
  return Promise.all(
    tables.map((name) => sql`select * from ${sql.table(name)}`.execute(db.query).then(({ rows }) => rows)),
  );
}

/** Sends a body to an operation; what is refused must leave everything as it is, what is created is removed again. */
async function write(
  operationId: string,
  payload: string | Buffer,
  headers: Record<string, string> = {},
): Promise<void> {
  const operation = byId.get(operationId)!;
  const method = operation.method.toUpperCase();
  const previous = await stored();
  const response = await send(method, operation.path.replaceAll(/\{\w+\}/g, '1'), payload, {
    headers: { 'content-type': 'application/json', ...headers },
  });
  expectDeclared(operation, response);
  if (response.status >= 400) expect(await stored()).toEqual(previous);
  else if (operationId === 'createSurvey') await send('DELETE', `/api/v5/surveys/${response.json.results[0].id}`);
  else if (operationId === 'createHxlMetadata')
    await db.query.deleteFrom('hxl_metadata').where('id', '=', response.json.id).execute();
}

// What is sent.

/** All names of members in the contract, and names that often make programs fail. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  'toJSON',
  '$ref',
  '',
  '0',
  '-1',
  '~1',
  'a/b',
  'id',
  'x'.repeat(300),
];
JSON.stringify(document.components.schemas, (name, value) => {
  if (name === 'properties') names.push(...Object.keys(value));
  return value;
});

const literal = (text: string) => JSON.stringify(text);
const oddText = fc.constantFrom(
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ufeff"',
  '"\\u202e"',
  '"interim_id_1"',
  '"1"',
  '" "',
  literal('x'.repeat(70_000)),
);
const oddNumber = fc.constantFrom(
  '-0',
  '1e400',
  '-1e400',
  '1e-400',
  '0.1',
  '1E5',
  '1.0',
  '2147483648',
  '9007199254740993',
  '1'.repeat(400),
  '-1',
);
const scalar = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('null', 'true', 'false', '0', '1', '2', '""') },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }).map(literal) },
  { weight: 1, arbitrary: fc.oneof(oddNumber, oddText, fc.string({ unit: 'binary' }).map(literal)) },
);
const key = fc
  .oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) })
  .map(literal);
const deep = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{"translations":', '}'], ['[{"fields":', '}]']),
    fc.oneof(fc.nat(50), fc.nat(30_000)),
    scalar,
  )
  .map(([[open, shut], depth, inner]) => open!.repeat(depth) + inner + shut!.repeat(depth));
const wide = fc.tuple(fc.oneof(fc.nat(1100), fc.nat(150_000)), scalar, fc.boolean()).map(([count, inner, isArray]) => {
  const members = Array.from({ length: count }, (_, at) =>
    isArray ? (at === 0 ? inner : '0') : `"${at}x":${at === 0 ? inner : '{}'}`,
  );
  return isArray ? `[${members}]` : `{${members}}`;
});
/** JSON as text: with names given twice and numbers that no value in JavaScript is printed as. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items}]`) },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.tuple(key, tie('json')), { maxLength: 6 })
        .map((members) => `{${members.map((pair) => pair.join(':'))}}`),
    },
  ),
}));
const anyJson = fc.oneof(
  { weight: 20, arbitrary: json },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: wide },
);

/** Where something stands in a value. */
function places(value: unknown): string[][] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[], ...members.flatMap(([name, member]) => places(member).map((path) => [name, ...path]))];
}

/** JSON with the value at a place replaced, or given a further member. */
function replaced(value: unknown, [name, ...path]: string[], text: string, extra: string | undefined): string {
  if (name === undefined) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || extra === undefined) return text;
    const others = Object.entries(value).map(([other, member]) => `${literal(other)}:${JSON.stringify(member)}`);
    return `{${[...others, `${extra}:${text}`]}}`;
  }
  const members = Object.entries(value as object).map(([other, member]) => {
    const content = other === name ? replaced(member, path, text, extra) : JSON.stringify(member);
    return Array.isArray(value) ? content : `${literal(other)}:${content}`;
  });
  return Array.isArray(value) ? `[${members}]` : `{${members}}`;
}

const writeId = fc.constantFrom(...writes.map(({ operationId }) => operationId));

/** The contract's examples of bodies, and for surveys what was read, with its identifiers. */
const rightBodies = new Map(
  writes.map(({ operationId, path, requestBody }) => {
    const { examples = {} } = (requestBody as Body).content['application/json']!;
    const read = /\/surveys(\/\{id\})?$/.test(path) ? surveys.map((survey) => survey.json.results[0]) : [];
    return [operationId, [...Object.values(examples).map((example) => (example as { value: unknown }).value), ...read]];
  }),
);

/** An operation, and a body for it with something else at one place. Small numbers may be identifiers. */
const nearlyRight = fc
  .tuple(writeId, fc.nat(), fc.nat(), fc.oneof(anyJson, fc.nat(12).map(String)), fc.option(key, { nil: undefined }))
  .map(([id, which, where, text, extra]) => {
    const bodies = rightBodies.get(id)!;
    const body = bodies[which % bodies.length];
    const all = places(body);
    return [id, replaced(body, all[where % all.length]!, text, extra)] as const;
  });

const type = fc.constantFrom(
  ...Array<string>(10).fill('application/json'),
  'application/json; charset=utf-8',
  'application/json; charset="UTF-8"; x=y',
  'APPLICATION/JSON',
  'application/json;',
  'application/json; charset=utf-16',
  'application/problem+json',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/jsonx',
  ', application/json',
  'json',
  '',
  '\t',
  '*/*',
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '*',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'bearer x',
    '0',
    '-1',
    'W/"x"',
    'code=500',
    'GET',
    'a.test, b.test',
    'http://[',
    'x'.repeat(9000),
  ),
  fc.string({ unit: fc.constantFrom(...' !"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~é') }),
);
const headers = fc.dictionary(
  // Without accept-encoding: what is compressed is not read here.
  fc.constantFrom(
    'accept',
    'accept-language',
    'authorization',
    'content-encoding',
    'cookie',
    'expect',
    'forwarded',
    'host',
    'if-match',
    'if-none-match',
    'origin',
    'prefer',
    'range',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-http-method-override',
    'x-request-id',
    '__proto__',
  ),
  headerValue,
  { maxKeys: 4 },
);

/** At most so many requests, and no more than fit into the time: the machine may be busy. */
const runs = { numRuns: 400, interruptAfterTimeLimit: 2500 };

// What must hold.

test('any bytes as a body get a sound response', async () => {
  await fc.assert(
    fc.asyncProperty(
      writeId,
      fc.uint8Array({ maxLength: 200 }),
      type,
      headers,
      async (id, bytes, contentType, others) => {
        await write(id, Buffer.from(bytes), { ...others, 'content-type': contentType });
      },
    ),
    runs,
  );
});

test('any JSON as a body gets a sound response', async () => {
  await fc.assert(
    fc.asyncProperty(writeId, anyJson, (id, text) => write(id, text)),
    runs,
  );
});

test('a body that is nearly right gets a sound response', async () => {
  await fc.assert(
    fc.asyncProperty(nearlyRight, ([id, text]) => write(id, text)),
    runs,
  );
  expect(({} as { a?: unknown }).a, 'no name reaches the prototype of all objects').toBe(undefined);
});

const part = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    '-1',
    '1.5',
    '0x10',
    '1e3',
    ' 7',
    '%20',
    '%zz',
    '%',
    '%00',
    '%ff',
    '+',
    '%2B',
    '%2F',
    '..',
    '',
    'id',
    'id,name',
    ',,',
    'tasks',
    'DESC',
    'null',
    'true',
    "' or 1=1 --",
    '%27',
    'ı',
    '💧',
    '9'.repeat(30),
  ),
  fc.string({ unit: fc.constantFrom(...'aZ09 -_.~!$\'()*,;:@/?[]{}|\\^`"<>%+é') }),
);
const parameters = [
  'only',
  'hydrate',
  'limit',
  'offset',
  'orderby',
  'order',
  'name',
  'code',
  'organisation_id',
  'id',
  'limit[]',
  'limit[a]',
  '__proto__',
  'constructor',
  '',
];
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...parameters), part), fc.option(part)), { maxLength: 5 })
  .map((pairs) =>
    pairs
      .map(([name, value]) => (value === null ? name : `${name}=${value}`))
      .join('&')
      .replaceAll('#', ''),
  );
const role = fc.constantFrom('admin', 'manager', 'user', null);

test('any query gets a sound response', async () => {
  const reads = operations.filter(({ method }) => method === 'get').map(({ operationId }) => operationId);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...reads), query, headers, role, async (id, text, others, as) => {
      const operation = byId.get(id)!;
      const response = await send('GET', `${operation.path.replaceAll(/\{\w+\}/g, '1')}?${text}`, undefined, {
        as,
        headers: others,
      });
      expectDeclared(operation, response);
    }),
    runs,
  );
});

test('any path and method get a sound response', async () => {
  const method = fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'QUERY',
    'LOCK',
  );
  const known = fc.constantFrom(
    '',
    ...new Set(operations.map(({ path }) => path.slice(1))),
    'docs',
    'docs/page.js',
    'openapi.json',
    '.well-known/api-catalog',
    'health/live',
    'api',
    'api/v5',
  );
  const path = fc
    .tuple(
      known,
      fc.array(
        part.map((text) => text.replaceAll(/[?#]/g, '')),
        { maxLength: 3 },
      ),
    )
    .map(([start, rest]) => `/${[start, ...rest].join('/')}`.replace(/^[/\\]+/, '/'));
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      query,
      headers,
      fc.option(anyJson, { nil: undefined }),
      role,
      async (verb, url, text, others, body, as) => {
        expectSound(verb, await send(verb, `${url}?${text}`, body, { as, headers: others }));
      },
    ),
    runs,
  );
});
