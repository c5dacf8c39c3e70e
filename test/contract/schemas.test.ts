/** Schemas in bodies and replies: those that are recursive, go one way only, or name their alternatives. */
import { describe, expect, test } from 'vitest';
import { readContract } from '../../src/contract/document.ts';
import { document, echoService } from '../support/echo-service.ts';

/** A contract that takes bodies of the schema `Body` and returns the request. */
function taking(schemas: Record<string, object>, rest: object = {}) {
  const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } } };
  return { ...document({ '/things': { post: { requestBody } } }, { components: { schemas } }), ...rest };
}

/** Sends bodies; returns what the handler got of each, or the codes and places of the problems. */
async function sending(contract: object, development = true) {
  const { send } = await echoService(contract, { development });
  return async (payload: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json, problems } = await send({
      method: 'POST',
      url: '/things',
      payload: JSON.stringify(payload),
      headers,
    });
    return status === 200 ? json.body : problems.map(({ code, source }) => `${code} ${Object.values(source ?? {})}`);
  };
}

test('a schema may contain itself, and be used again', async () => {
  const send = await sending(
    taking({
      Body: {
        type: 'object',
        properties: {
          'child/of': { $ref: '#/components/schemas/Body' },
          others: { type: 'array', items: { $ref: '#/components/schemas/Body' } },
          size: { $ref: '#/components/schemas/Size' },
          width: { $ref: '#/components/schemas/Size' },
        },
      },
      Size: { type: 'integer', minimum: 1 },
    }),
  );
  const good = { 'child/of': { others: [{ size: 1 }] }, width: 2 };
  expect(await send(good)).toEqual(good);
  expect(await send({ 'child/of': { others: [{ size: 'x' }, { width: 0 }] } })).toEqual([
    'invalid_type /child~1of/others/0/size',
    'too_small /child~1of/others/1/width',
  ]);
});

test('what stands beside $ref counts in OpenAPI 3.1, and not in 3.0', async () => {
  const schemas = {
    Body: { type: 'object', properties: { name: { $ref: '#/components/schemas/Name', maxLength: 3 } } },
    Name: { type: 'string', minLength: 2 },
  };
  const now = await sending(taking(schemas));
  expect(await now({ name: 'abcd' })).toEqual(['too_long /name']);
  expect(await now({ name: 'a' })).toEqual(['too_short /name']);
  const before = await sending(taking(schemas, { openapi: '3.0.3' }));
  expect(await before({ name: 'abcd' })).toEqual({ name: 'abcd' });
  expect(await before({ name: 'a' })).toEqual(['too_short /name']);
});

test('data that looks like a reference is data', async () => {
  const send = await sending(
    taking({
      Body: {
        type: 'object',
        properties: { $ref: { type: 'string' }, default: { const: { $ref: '#/nowhere' } }, enum: { type: 'integer' } },
        example: { $ref: '#/nowhere' },
      },
    }),
  );
  const good = { $ref: 'x', default: { $ref: '#/nowhere' }, enum: 1 };
  expect(await send(good)).toEqual(good);
  expect(await send({ $ref: 1, enum: 'x' })).toEqual(['invalid_type /$ref', 'invalid_type /enum']);
});

describe('a member that goes one way only', () => {
  const user = {
    type: 'object',
    required: ['id', 'name', 'password'],
    properties: {
      id: { $ref: '#/components/schemas/Id' },
      name: { type: 'string' },
      password: { type: 'string', writeOnly: true },
    },
  };
  const schemas = { Body: user, Id: { type: 'integer', readOnly: true } };

  test('is not required in a request where it is readOnly, but checked', async () => {
    const send = await sending(taking(schemas));
    expect(await send({ name: 'Ann', password: 'x' })).toEqual({ name: 'Ann', password: 'x' });
    expect(await send({ name: 'Ann', id: 'x' })).toEqual(['required /password', 'invalid_type /id']);
  });

  test('is none in a response where it is writeOnly', () => {
    const responses = {
      200: { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } } },
    };
    const [operation] = readContract(
      document({ '/things': { get: { responses } } }, { components: { schemas } }),
    ).operations;
    const { schema } = (operation!.responses as any)[200].content['application/json'];
    expect(schema).toMatchObject({ required: ['id', 'name'], properties: { id: {}, name: {} } });
    expect(schema.properties).not.toHaveProperty('password');
  });
});

describe('a discriminator', () => {
  const schemas = (mapping?: object) => ({
    Body: {
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }],
      discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
    },
    Cat: { type: 'object', properties: { kind: { type: 'string' }, lives: { type: 'integer' } } },
    Dog: { type: 'object', properties: { kind: { type: 'string' }, barks: { type: 'boolean' } } },
  });

  test('tells by the names of schemas which alternative a value is', async () => {
    const send = await sending(taking(schemas()));
    expect(await send({ kind: 'Cat', lives: 9 })).toEqual({ kind: 'Cat', lives: 9 });
    expect(await send({ kind: 'Dog', lives: 'any' })).toEqual({ kind: 'Dog', lives: 'any' });
    for (const wrong of [{ kind: 'Cat', lives: 'x' }, { kind: 'Fish' }, { lives: 9 }])
      expect(await send(wrong)).not.toHaveProperty('kind');
  });

  test('tells it by its mapping', async () => {
    const send = await sending(taking(schemas({ c: '#/components/schemas/Cat', kitten: 'Cat', d: 'Dog' })));
    for (const kind of ['c', 'kitten', 'd']) expect(await send({ kind })).toEqual({ kind });
    for (const kind of ['Cat', 'Dog', '']) expect(await send({ kind })).not.toHaveProperty('kind');
  });
});

test('in OpenAPI 3.0 null is a value of what is nullable, wherever it stands', async () => {
  const send = await sending(
    taking(
      {
        Body: {
          type: 'object',
          properties: {
            name: { type: 'string', nullable: true, minLength: 2 },
            list: { type: 'array', nullable: true, items: { type: 'integer', nullable: false } },
            size: { type: 'number', minimum: 1, exclusiveMinimum: true },
          },
        },
      },
      { openapi: '3.0.0' },
    ),
  );
  expect(await send({ name: null, list: null, size: 1.5 })).toEqual({ name: null, list: null, size: 1.5 });
  expect(await send({ list: [null], size: 1 })).toEqual(['invalid_type /list/0', 'too_small /size']);
});
