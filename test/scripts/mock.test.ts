/** `npm run mock` as a process: every example of the contract can be had from it, and what is wrong is refused as the service does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAjv } from '../../src/contract/ajv.ts';
import document from '../../src/generated/openapi.json' with { type: 'json' };
import { exampleBodies } from '../support/example-requests.ts';
import { isOpen, operations } from '../support/operations.ts';
import { freePort } from '../support/server-process.ts';

const ajv = createAjv();

let mock: ChildProcess;
let url: string;

/** Starts the mock. What it prints ends with `last`. */
async function start(last: string, parameters: string[] = [], more: Record<string, string> = {}) {
  const script = fileURLToPath(new URL('../../scripts/mock.ts', import.meta.url));
  // A database that cannot be opened: none is needed.
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: 'file:/nowhere/at/all.db',
    ...more,
  };
  const child = spawn(process.execPath, [script, ...parameters], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  for await (const text of child.stderr) {
    printed += text;
    if (printed.includes(last)) break;
  }
  return { child, url: /served at (\S+),/.exec(printed)?.[1] ?? expect.fail(printed) };
}

async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
}

beforeAll(async () => {
  ({ child: mock, url } = await start('/docs'));
});
afterAll(() => stop(mock));

/** A valid request of an operation, unless `init` says otherwise. */
async function send(operation: Operation, headers: Record<string, string> = {}, init: RequestInit = {}) {
  const { method, path } = operation;
  const [body] = exampleBodies(operation);
  const request = { authorization: 'Bearer anything', ...(body && { 'content-type': body.contentType }), ...headers };
  const response = await fetch(url + path.replace(/\{\w+\}/g, '1'), {
    method,
    body: body?.payload ?? null,
    ...init,
    headers: request,
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  // What a client reads: undefined where there is nothing.
  const json = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, json };
}

/** The examples name the server of the contract, the mock names itself. */
function atMock<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(document.servers[0]!.url, url));
}

function examplesOf({ content = {} }: OpenAPIV3_1.ResponseObject) {
  return Object.values(content).flatMap(({ examples = {}, schema = {} }) =>
    Object.entries(examples).map(([name, example]) => ({
      name,
      value: atMock((example as OpenAPIV3_1.ExampleObject).value),
      schema,
    })),
  );
}

function problem({ json }: { json: any }): unknown {
  expect(json.request_id).toEqual(expect.any(String));
  const [{ status, code, source }] = json.errors;
  return { status, code, ...(source && { source }) };
}

describe.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  const responses = Object.entries(operation.responses as Record<string, OpenAPIV3_1.ResponseObject>);
  const [success, succeeding] = responses.find(([status]) => status.startsWith('2'))!;

  test('returns each of its examples', async () => {
    for (const [status, declared] of responses) {
      const examples = examplesOf(declared);
      if (declared.content) expect(examples).not.toEqual([]);
      for (const { name, value, schema } of examples) {
        const validate = ajv.compile(schema);
        const prefer = `code=${status}, example=${name}`;
        const response = await send(operation, { prefer });
        expect(response.status, prefer).toBe(Number(status));
        expect(response.json).toEqual(value);
        expect(response.headers.get('preference-applied')).toBe(prefer);
        expect(validate(response.json) || validate.errors).toBe(true);
      }
      const { status: given, json, headers } = await send(operation, { prefer: `code=${status}` });
      expect(given).toBe(Number(status));
      expect(json).toEqual(examples[0]?.value);
      for (const [name, header] of Object.entries(declared.headers ?? {})) {
        const { required, example } = header as OpenAPIV3_1.HeaderObject;
        if (required) expect(headers.get(name), `${status} ${name}`).toBe(atMock(example));
      }
    }
  });

  test('returns its success when nothing is preferred', async () => {
    const { status, json, headers } = await send(operation);
    expect(status).toBe(Number(success));
    expect(json).toEqual(examplesOf(succeeding)[0]?.value);
    expect(headers.get('preference-applied')).toBeNull();
    expect(headers.get('vary')).toContain('prefer');
  });

  test('refuses a preference that the contract cannot meet, and says what there is', async () => {
    const status = await send(operation, { prefer: 'code=299' });
    expect(problem(status)).toEqual({ status: 400, code: 'invalid_header', source: { header: 'prefer' } });
    expect(status.json.errors[0].message).toBe(
      `The contract has no status "299" here; there is ${responses.map(([code]) => code).join(', ')}.`,
    );
    const example = await send(operation, { prefer: `code=${success}; example=none, example="surely none"` });
    expect(problem(example)).toEqual({ status: 400, code: 'invalid_header', source: { header: 'prefer' } });
    const names = examplesOf(succeeding).map(({ name }) => name);
    expect(example.json.errors[0].message).toContain(`"surely none" here; there is ${names.join(', ') || 'none'}.`);
  });

  test('wants a token with its scope', async () => {
    if (isOpen(operation)) expect((await send(operation, { authorization: '' })).status).toBe(Number(success));
    for (const authorization of isOpen(operation) ? [] : ['', 'Basic eDp4', 'Bearer']) {
      const { headers, ...response } = await send(operation, { authorization, prefer: `code=${success}` });
      expect(problem(response)).toMatchObject({ status: 401, code: 'unauthorized' });
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    const wrong = await send(operation, { authorization: 'Bearer mock-invalid', prefer: `code=${success}` });
    expect(problem(wrong)).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');

    const scopes = operation.security!.flatMap((requirement) => Object.values(requirement).flat());
    const powerless = await send(operation, { authorization: 'Bearer mock-none' });
    if (scopes.length === 0) expect(powerless.status).toBe(Number(success));
    else expect(problem(powerless)).toEqual({ status: 403, code: 'insufficient_scope' });
    const user = await send(operation, { authorization: 'Bearer mock-user' });
    expect(user.status).toBe(scopes.every((scope) => scope.endsWith(':read')) ? Number(success) : 403);
    expect((await send(operation, { authorization: 'Bearer mock-admin' })).status).toBe(Number(success));
  });

  test('refuses what the contract refuses', async () => {
    const { status, headers, json } = await send(operation, {}, { method: 'PATCH' });
    expect(problem({ json })).toEqual({ status: 405, code: 'method_not_allowed' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toContain(operation.method.toUpperCase());
    if (!operation.requestBody) return;
    expect(problem(await send(operation, { 'content-type': 'text/x-unknown' }))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
    if (!/json$/.test(exampleBodies(operation)[0]!.contentType)) return;
    expect(problem(await send(operation, {}, { body: '{' }))).toMatchObject({ status: 400, code: 'malformed_json' });
    expect(problem(await send(operation, {}, { body: '[]' }))).toMatchObject({ status: 422, code: 'invalid_type' });
    expect(problem(await send(operation, { prefer: `code=${success}` }, { body: '[]' }))).toMatchObject({
      status: 422,
    });
  });
});

test('an example is found by its name alone, and of preferences given twice the first counts', async () => {
  const operation = operations.find(({ operationId }) => operationId === 'getSurvey')!;
  const [status, declared] = Object.entries(operation.responses as object).find(([code]) => code === '404')!;
  const { name, value } = examplesOf(declared)[0]!;
  const prefer = `respond-async, wait=10; x="a,b", EXAMPLE = "${name}", example=other, handling=lenient`;
  const response = await send(operation, { prefer });
  expect([response.status, response.json]).toEqual([Number(status), value]);
  expect(response.headers.get('preference-applied')).toBe(`example=${name}`);
});

test('links lead to the mock, at the address that was asked for', async () => {
  const created = operations.find(({ operationId }) => operationId === 'createSurvey')!;
  const { headers } = await send(created);
  expect(headers.get('location')).toMatch(new RegExp(`^${url}/api/v5/surveys/\\d+$`));
  const listed = operations.find(({ operationId }) => operationId === 'listHxlTags')!;
  const { json } = await send(listed);
  for (const link of [json.curr, json.next, json.prev, json.results[0].url])
    expect(link).toContain(`${url}/api/v3/hxl/`);
  expect((await fetch(json.next, { headers: { authorization: 'Bearer x' } })).status).toBe(200);
  const elsewhere = await fetch(json.next.replace('127.0.0.1', 'localhost'), {
    headers: { authorization: 'Bearer x' },
  });
  expect(((await elsewhere.json()) as { next: string }).next).toContain('http://localhost:');
});

test('paths and parameters are checked, and the contract and its page are there', async () => {
  const get = async (path: string) => fetch(url + path, { headers: { authorization: 'Bearer x' } });
  expect((await get('/api/v5/nothing')).status).toBe(404);
  expect(problem({ json: await (await get('/api/v5/surveys/x')).json() })).toEqual({
    status: 400,
    code: 'invalid_parameter',
    source: { parameter: 'id' },
  });
  const named = JSON.stringify(document).replaceAll(document.servers[0]!.url, url);
  expect(await (await get('/openapi.json')).json()).toEqual(JSON.parse(named));
  expect((await get('/docs')).status).toBe(200);
});

test.each([
  ['the contract', '/docs', []],
  ['another document', 'example=<name>', ['src/generated/openapi.yaml']],
])('with PUBLIC_URL it listens all the same, and serves %s', async (_, last, parameters) => {
  const [PUBLIC_URL, port] = ['https://mock.example.org', await freePort()];
  const { child, url: shown } = await start(last, parameters, { PUBLIC_URL, PORT: String(port) });
  onTestFinished(() => stop(child));
  expect(shown).toBe(PUBLIC_URL);
  const response = await fetch(`http://127.0.0.1:${port}/api/v3/hxl/tags`, { headers: { authorization: 'Bearer x' } });
  expect(response.status).toBe(200);
});
