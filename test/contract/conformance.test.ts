/** Holds the service against the contract, operation by operation: a new operation is covered without a line here. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAjv } from '../../src/contract/ajv.ts';
import document from '../../src/generated/openapi.json' with { type: 'json' };
import { handlers } from '../../src/handlers.ts';
import { grantToken } from '../../src/users/store.ts';
import { credentials, type Encoded, exampleBodies, examplesOf, queryText } from '../support/example-requests.ts';
import { isOpen, operations } from '../support/operations.ts';
import { problems, service, type TestResponse } from '../support/service.ts';
import { wrongValues } from '../support/wrong-values.ts';

type Operation = (typeof operations)[0];

const schemes = document.components.securitySchemes as Record<string, OpenAPIV3_1.SecuritySchemeObject>;
const ajv = createAjv();

let running: Awaited<ReturnType<typeof service>>;
/** The token of a user with no scope at all. */
let powerless: string;
beforeAll(async () => {
  running = await service();
  powerless = await grantToken(running.db, 'powerless', 'none' as 'user', null);
  // A service in which every collection has an item, because what the contract gives as examples was sent.
  for (const operation of operations.filter(({ method, path }) => method === 'post' && !path.includes('{')))
    await send(operation, operation.path, { body: exampleBodies(operation)[0] });
});
afterAll(() => running.close());

interface Sent {
  query?: string;
  body?: Pick<Encoded, 'contentType' | 'payload'> | undefined;
  headers?: Record<string, string>;
  /** Whose token is sent; nobody's when it is null. */
  token?: string | null;
}

/** Sends a request for an operation, with the credentials that it asks for. */
function send(
  operation: Operation,
  path: string,
  { query = '', body, headers = {}, token = running.tokens.admin }: Sent = {},
): Promise<TestResponse> {
  const sent = token === null ? { headers: {}, query: {} } : credentials(operation, schemes, token);
  const search = [query, String(new URLSearchParams(sent.query))].filter(Boolean).join('&');
  return running.send(operation.method.toUpperCase(), `${path}?${search}`, body?.payload, {
    as: null,
    headers: { ...sent.headers, ...(body && { 'content-type': body.contentType }), ...headers },
  });
}

/**
 * The path to a record of its own for one request: an operation may delete it. What `POST /things` creates is found by
 * its `Location`; where nothing can be created, the record 1 has to be there.
 */
async function freshPath(operation: Operation): Promise<string> {
  let [path = '', ...segments] = operation.path.split('/');
  let template = path;
  for (const segment of segments) {
    const create = operations.find((other) => other.method === 'post' && other.path === template);
    template += `/${segment}`;
    if (!/^\{.*\}$/.test(segment)) path += `/${segment}`;
    else if (create === undefined) path += '/1';
    else {
      const { headers, status } = await send(create, path, { body: exampleBodies(create)[0] });
      expect(status, `${create.operationId} creates what ${operation.operationId} needs`).toBe(201);
      const id = String(headers.location).split(/[/?]/).at(-1);
      path += `/${id}`;
    }
  }
  return path;
}

/** The path with this in place of the last parameter. */
const pathWith = (operation: Operation, value: string): string =>
  operation.path.replace(/\{[^}]+\}(?!.*\{)/, value).replace(/\{[^}]+\}/g, '1');

function parametersOf(operation: Operation): OpenAPIV3_1.ParameterObject[] {
  return (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[];
}

function declaredResponse({ operationId, responses }: Operation, status: number): OpenAPIV3_1.ResponseObject {
  const declared = responses as Record<string, OpenAPIV3_1.ResponseObject>;
  const response = declared[status] ?? declared[`${Math.trunc(status / 100)}XX`] ?? declared.default;
  expect(response, `${operationId} declares ${status}`).toBeDefined();
  return response!;
}

/** The response is one that the contract declares for the operation: status, headers and body. */
function expectDeclared(operation: Operation, { status, headers, text, json }: TestResponse): void {
  const declared = declaredResponse(operation, status);
  for (const [name, header] of Object.entries(declared.headers ?? {})) {
    if ((header as { required?: boolean }).required)
      expect(headers, `${status} has ${name}`).toHaveProperty(name.toLowerCase());
  }
  if (declared.content === undefined) {
    expect(text).toBe('');
    return;
  }
  const sent = String(headers['content-type']).split(';')[0]!;
  const type = Object.keys(declared.content).find((key) => key.split(';')[0]!.toLowerCase() === sent);
  const schema = declared.content[type ?? '']?.schema;
  expect(type ?? sent, `${operation.operationId} ${status}`).toBe(type);
  const validate = ajv.compile(schema ?? {});
  const isBytes = (schema as OpenAPIV3_1.SchemaObject | undefined)?.format === 'binary';
  if (json !== undefined || !/json|jsonl/.test(sent))
    expect(isBytes || validate(json ?? text) || validate.errors).toBe(true);
}

test('operations and handlers are the same set', () => {
  expect(Object.keys(handlers).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  const scopes = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat());
  const bodies = exampleBodies(operation);
  const [body] = bodies;

  if (!isOpen(operation))
    test('asks for credentials', async () => {
      const response = await send(operation, await freshPath(operation), { body, token: null });
      expect(response.status).toBe(401);
      expect(response.json.errors).toMatchObject([{ code: 'unauthorized' }]);
      expectDeclared(operation, response);
    });
  else
    test('is open to everybody', async () => {
      const response = await send(operation, await freshPath(operation), { body, token: null });
      expect(response.status).toBeLessThan(300);
      expectDeclared(operation, response);
    });

  if (scopes.length > 0 && !isOpen(operation))
    test('asks for its scope', async () => {
      const response = await send(operation, await freshPath(operation), { body, token: powerless });
      expect(response.status).toBe(403);
      expect(problems(response)).toEqual(['insufficient_scope']);
      expect(response.headers['www-authenticate']).toContain(scopes[0]);
      expectDeclared(operation, response);
    });

  test('refuses the methods its path lacks', async () => {
    const declared = operations
      .filter(({ path }) => path === operation.path)
      .map((other) => other.method.toUpperCase());
    const allowed = declared.includes('GET') ? [...declared, 'HEAD'] : declared;
    for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (allowed.includes(other)) continue;
      const response = await running.send(other, pathWith(operation, '1'), undefined, { as: null });
      expect(response.status, other).toBe(405);
      expect(String(response.headers.allow).split(', ').toSorted()).toEqual([...new Set(allowed)].toSorted());
      // A response to HEAD has no body.
      if (other !== 'HEAD') expect(problems(response)).toEqual(['method_not_allowed']);
    }
  });

  const queries = parametersOf(operation).filter((parameter) => parameter.in === 'query');

  test('takes the examples of its parameters, and others that it does not know', async () => {
    const needed = queries
      .filter(({ required }) => required)
      .map((parameter) => queryText(parameter, exampleOf(parameter)));
    const ask = async (parameter?: OpenAPIV3_1.ParameterObject, value?: unknown) => {
      const others = needed.filter((text) => !parameter || !text.startsWith(`${parameter.name}=`));
      const query = [...others, ...(parameter ? [queryText(parameter, value)] : []), 'surely_unknown=x'].join('&');
      const response = await send(operation, await freshPath(operation), { query, body });
      expect(response.status, query).toBeLessThan(300);
      expectDeclared(operation, response);
    };
    await ask();
    for (const parameter of queries) {
      const values = examplesOf(parameter);
      expect(values, `Add an example to the parameter ${parameter.name} in openapi/components/parameters`).not.toEqual(
        [],
      );
      for (const value of values) await ask(parameter, value);
    }
  });

  const single = queries.filter(
    ({ schema }) => !/array|object/.test(String((schema as OpenAPIV3_1.SchemaObject)?.type)),
  );
  if (single.length > 0)
    test('refuses parameters that do not fit', async () => {
      const path = await freshPath(operation);
      for (const { name, schema } of single) {
        for (const value of wrongTexts(schema as OpenAPIV3_1.SchemaObject)) {
          const response = await send(operation, path, { query: String(new URLSearchParams([[name, value]])), body });
          expect(response.status, `${name}=${value.slice(0, 40)}`).toBe(400);
          expect(problems(response)).toContain(`invalid_parameter ${name}`);
          expectDeclared(operation, response);
        }
        const twice = await send(operation, path, { query: `${name}=1&${name}=1`, body });
        expect(twice.status).toBe(400);
        expect(problems(twice)).toContain(`repeated_parameter ${name}`);
      }
    });

  const last = parametersOf(operation).filter(
    ({ in: place, name }) => place === 'path' && operation.path.includes(`{${name}}`),
  );
  const identifier = last.toSorted((one, two) => position(operation, two) - position(operation, one))[0];
  if (identifier !== undefined && (identifier.schema as OpenAPIV3_1.SchemaObject).type === 'integer')
    test('refuses identifiers that are none, and does not find unknown ones', async () => {
      for (const id of ['x', '0', '-1', '1.0', '0x10', '1e3', '%207', '9007199254740993', '9'.repeat(200)]) {
        const response = await send(operation, pathWith(operation, id), { body });
        expect(response.status, id).toBe(400);
        expect(problems(response)).toEqual([`invalid_parameter ${identifier.name}`]);
        expectDeclared(operation, response);
      }
      const unknown = await send(operation, pathWith(operation, '987654321'), { body });
      expect(unknown.status).toBe(404);
      expect(problems(unknown)).toEqual(['not_found']);
      expectDeclared(operation, unknown);
    });

  if (operation.requestBody !== undefined)
    test('takes bodies of its media types, up to a size', async () => {
      expect(bodies, `Add an example to the body of ${operation.operationId} in openapi/paths`).not.toEqual([]);
      const path = await freshPath(operation);
      const other = { contentType: 'application/x-surely-unknown', payload: 'x' };
      const unknown = await send(operation, path, { body: other });
      expect(problems(unknown)).toEqual(['unsupported_media_type content-type']);
      expectDeclared(operation, unknown);
      const payload = Buffer.alloc(2 ** 20 + 1, ' ');
      const type = body!.contentType;
      if (type.startsWith('multipart/')) return;
      const large = await send(operation, path, { body: { contentType: type, payload } });
      expect(problems(large)).toEqual(['body_too_large']);
      expectDeclared(operation, large);
    });

  const json = bodies.filter(
    ({ contentType, schema }) => /^application\/(.*\+)?json\b/.test(contentType) && schema.type === 'object',
  );
  if (json.length > 0)
    describe('body', () => {
      const { contentType, schema } = json[0]!;
      let path: string;
      beforeAll(async () => void (path = await freshPath(operation)));
      const post = async (payload: string) => {
        const response = await send(operation, path, { body: { contentType, payload } });
        expectDeclared(operation, response);
        return response;
      };

      test('must be JSON and an object', async () => {
        expect(problems(await post('{"name":'))).toEqual(['malformed_json']);
        expect(problems(await post(''))).toEqual(['malformed_json']);
        for (const other of ['[]', '"x"', '1', 'null']) expect(problems(await post(other))).toEqual(['invalid_type ']);
      });

      test('must have what is required', async () => {
        const response = await post('{}');
        const required = schema.required ?? [];
        if (required.length === 0) expect(response.status).toBeLessThan(300);
        else expect(problems(response).toSorted()).toEqual(required.map((name) => `required /${name}`).toSorted());
      });

      test('is refused with the code and the place of each value that does not fit', async () => {
        const wrong = json.flatMap((example) => wrongValues(example.schema, example.value));
        expect(wrong.length).toBeGreaterThan(0);
        for (const { value, code, pointer } of wrong) {
          const response = await post(JSON.stringify(value));
          expect(response.status, `${code} ${pointer}`).toBe(422);
          expect(problems(response)).toContain(`${code} ${pointer}`);
        }
      });
    });

  const needed = queries
    .filter(({ required }) => required)
    .map((parameter) => queryText(parameter, exampleOf(parameter)));
  test.each(bodies.length > 0 ? bodies : [undefined])('does what it declares (%#)', async (example) => {
    const response = await send(operation, await freshPath(operation), { query: needed.join('&'), body: example });
    expect(response.status).toBeLessThan(300);
    expectDeclared(operation, response);
  });

  const types = successTypes(operation);
  if (types.length > 1)
    test.each(types)('responds with %s to who asks for it', async (accept) => {
      const path = await freshPath(operation);
      const response = await send(operation, path, { query: needed.join('&'), body, headers: { accept } });
      expect(response.status).toBeLessThan(300);
      expect(response.headers['content-type']).toMatch(accept.split(';')[0]!);
      expectDeclared(operation, response);
      const none = await send(operation, path, { query: needed.join('&'), body, headers: { accept: 'x/none' } });
      expect(problems(none)).toEqual(['not_acceptable accept']);
      expectDeclared(operation, none);
    });
});

/** The media types of all successes of an operation. */
function successTypes({ responses }: Operation): string[] {
  const successes = Object.entries(responses as Record<string, OpenAPIV3_1.ResponseObject>);
  const types = successes.flatMap(([status, { content = {} }]) => (/^2/.test(status) ? Object.keys(content) : []));
  return [...new Set(types)];
}

function exampleOf(parameter: OpenAPIV3_1.ParameterObject): unknown {
  return examplesOf(parameter)[0];
}

/** Where a parameter stands in the path. */
function position({ path }: Operation, { name }: OpenAPIV3_1.ParameterObject): number {
  return path.indexOf(`{${name}}`);
}

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
