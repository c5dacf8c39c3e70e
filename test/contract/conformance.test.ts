/** Holds the service against the contract, operation by operation: a new operation is covered without a line here. */
import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAjv } from '../../src/contract/validators.ts';
import document from '../../src/generated/openapi.json' with { type: 'json' };
import { handlers } from '../../src/handlers.ts';
import { grantToken } from '../../src/users/store.ts';
import { problems, service, type TestResponse } from '../support/service.ts';
import { wrongValues } from '../support/wrong-values.ts';

const backend = await new OpenAPIBackend({
  definition: document as unknown as Document,
  quick: true,
  validate: false,
}).init();
const operations = backend.router.getOperations() as (Operation & { operationId: string })[];
const ajv = createAjv();

/** A service in which everything has an item 1, because what the contract gives as examples was sent. */
let running: Awaited<ReturnType<typeof service>>;
/** The token of a user with no scope at all. */
let powerless: string;
beforeAll(async () => {
  running = await service();
  powerless = await grantToken(running.db, 'powerless', 'none' as 'user', null);
  for (const operation of operations.filter(({ method }) => method === 'post')) {
    await running.send('POST', url(operation), requestExamples(operation)[0]);
  }
});
afterAll(() => running.close());

function url(operation: Operation, id: string | number = 1, query: Record<string, string> = {}): string {
  return `${operation.path.replace(/\{\w+\}/g, String(id))}?${new URLSearchParams(query)}`;
}

function parametersOf(operation: Operation): OpenAPIV3_1.ParameterObject[] {
  return (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[];
}

function requestExamples(operation: Operation): unknown[] {
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
  const { example, examples = {} } = body?.content['application/json'] ?? {};
  return [
    ...Object.values(examples).map((named) => (named as { value: unknown }).value),
    ...(example === undefined ? [] : [example]),
  ];
}

function response(operation: Operation, status: number): OpenAPIV3_1.ResponseObject | undefined {
  return (operation.responses as Record<string, OpenAPIV3_1.ResponseObject>)[status];
}

/** The response is one that the contract declares for the operation: status, headers and body. */
function expectDeclared(operation: Operation, { status, headers, json }: TestResponse): void {
  const declared = response(operation, status);
  expect(declared, `${operation.operationId} declares ${status}`).toBeDefined();
  for (const [name, header] of Object.entries(declared!.headers ?? {})) {
    if ((header as { required?: boolean }).required)
      expect(headers, `${status} has ${name}`).toHaveProperty(name.toLowerCase());
  }
  const schema = declared!.content?.['application/json']?.schema;
  const validate = ajv.compile(schema ?? {});
  expect(validate(json) || validate.errors).toBe(true);
}

test('operations and handlers are the same set', () => {
  expect(Object.keys(handlers).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  const method = operation.method.toUpperCase();
  const scopes = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat());
  const body = requestExamples(operation)[0];

  test('asks for credentials', async () => {
    const { send } = running;
    const response = await send(method, url(operation), body, { as: null });
    expect(response.status).toBe(401);
    expect(problems(response)).toEqual(['unauthorized authorization']);
    expectDeclared(operation, response);
  });

  if (scopes.length > 0)
    test('asks for its scope', async () => {
      const { send } = running;
      const response = await send(method, url(operation), body, {
        as: null,
        headers: { authorization: `Bearer ${powerless}` },
      });
      expect(response.status).toBe(403);
      expect(problems(response)).toEqual(['insufficient_scope']);
      expect(response.headers['www-authenticate']).toContain(scopes[0]);
      expectDeclared(operation, response);
    });

  test('refuses the methods its path lacks', async () => {
    const { send } = running;
    const declared = operations
      .filter(({ path }) => path === operation.path)
      .map((other) => other.method.toUpperCase());
    const allowed = declared.includes('GET') ? [...declared, 'HEAD'] : declared;
    for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (allowed.includes(other)) continue;
      const response = await send(other, url(operation), undefined, { as: null });
      expect(response.status, other).toBe(405);
      expect(String(response.headers.allow).split(', ').toSorted()).toEqual(allowed.toSorted());
      expect(problems(response)).toEqual(['method_not_allowed']);
    }
  });

  const examples = requestExamples(operation);

  test('takes the examples of its parameters, and others that it does not know', async () => {
    const { send } = running;
    // With an identifier that does not exist, because one operation deletes.
    const unknown = await send(method, url(operation, 999_999, { surely_unknown: 'x' }), body);
    expect([200, 201, 404]).toContain(unknown.status);
    for (const { name, in: place, example, examples: named = {} } of parametersOf(operation)) {
      if (place !== 'query') continue;
      const values = [
        ...Object.values(named).map((one) => (one as { value: unknown }).value),
        ...(example === undefined ? [] : [example]),
      ];
      expect(values, `${name} has an example`).not.toEqual([]);
      for (const value of values) {
        const response = await send(method, url(operation, 1, { [name]: String(value), surely_unknown: 'x' }), body);
        expect(response.status, `${name}=${value}`).toBeLessThan(300);
      }
    }
  });

  const queries = parametersOf(operation).filter((parameter) => parameter.in === 'query');
  if (queries.length > 0)
    test('refuses parameters that do not fit', async () => {
      const { send } = running;
      for (const { name, schema } of queries) {
        for (const value of wrongTexts(schema as OpenAPIV3_1.SchemaObject)) {
          const response = await send(method, url(operation, 1, { [name]: value }), body);
          expect(response.status, `${name}=${value.slice(0, 40)}`).toBe(400);
          expect(problems(response)).toEqual([`invalid_parameter ${name}`]);
          expectDeclared(operation, response);
        }
        const twice = await send(method, `${url(operation)}&${name}=1&${name}=1`, body);
        expect(twice.status).toBe(400);
        expect(problems(twice)).toEqual([`repeated_parameter ${name}`]);
      }
    });

  if (operation.path.includes('{id}'))
    test('refuses identifiers that are none, and does not find unknown ones', async () => {
      const { send } = running;
      for (const id of ['x', '0', '-1', '1.0', '0x10', '1e3', '%207', '9007199254740993', '9'.repeat(200)]) {
        const response = await send(method, url(operation, id), body);
        expect(response.status, id).toBe(400);
        expect(problems(response)).toEqual(['invalid_parameter id']);
        expectDeclared(operation, response);
      }
      const unknown = await send(method, url(operation, 987654321), body);
      expect(unknown.status).toBe(404);
      expect(problems(unknown)).toEqual(['not_found']);
      expectDeclared(operation, unknown);
    });

  if (operation.requestBody !== undefined)
    describe('body', () => {
      const send = async (payload: string, type = 'application/json') => {
        const response = await running.send(method, url(operation), payload, { headers: { 'content-type': type } });
        expectDeclared(operation, response);
        return response;
      };

      test('must be JSON, not too large, and an object', async () => {
        expect(problems(await send('name=x', 'application/x-www-form-urlencoded'))).toEqual([
          'unsupported_media_type content-type',
        ]);
        expect(problems(await send('{"name":'))).toEqual(['malformed_json']);
        expect(problems(await send(''))).toEqual(['malformed_json']);
        expect(problems(await send(JSON.stringify('x'.repeat(2 ** 20))))).toEqual(['body_too_large']);
        for (const other of ['[]', '"x"', '1', 'null']) expect(problems(await send(other))).toEqual(['invalid_type ']);
      });

      test('must have what is required', async () => {
        const { schema } = (operation.requestBody as OpenAPIV3_1.RequestBodyObject).content['application/json'] as {
          schema: OpenAPIV3_1.SchemaObject;
        };
        const response = await send('{}');
        const required = schema.required ?? [];
        if (required.length === 0) expect(response.status).toBeLessThan(300);
        else expect(problems(response).toSorted()).toEqual(required.map((name) => `required /${name}`).toSorted());
      });

      test('is refused with the code and the place of each value that does not fit', async () => {
        const { schema } = (operation.requestBody as OpenAPIV3_1.RequestBodyObject).content['application/json'] as {
          schema: OpenAPIV3_1.SchemaObject;
        };
        const wrong = examples.flatMap((example) => wrongValues(schema, example));
        expect(wrong.length).toBeGreaterThan(10);
        for (const { value, code, pointer } of wrong) {
          const response = await send(JSON.stringify(value));
          expect(response.status, `${code} ${pointer}`).toBe(422);
          expect(problems(response)).toContain(`${code} ${pointer}`);
        }
      });
    });

  test.each(examples.length > 0 ? examples : [undefined])('does what it declares (%#)', async (example) => {
    const { send } = running;
    const response = await send(method, url(operation), example);
    expect(response.status).toBeLessThan(300);
    expectDeclared(operation, response);
  });
});

/** Texts that do not fit the schema of a parameter. */
function wrongTexts({ type, enum: values, minimum, maximum, maxLength, pattern }: OpenAPIV3_1.SchemaObject): string[] {
  return [
    ...(type === 'integer' ? ['', 'x', '1.5', '0x10', '1e3', ' 7', '99999999999999999999'] : []),
    ...(minimum === undefined ? [] : [String(minimum - 1)]),
    ...(maximum === undefined ? [] : [String(maximum + 1)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(values === undefined ? [] : ['surely_not_a_member', '']),
    ...(pattern === undefined ? [] : ['\0']),
  ];
}
