/** `npm run mock -- FILE` with contracts that are not ours: each of their operations is served, or refused by name. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFile, serveFile } from '../../scripts/lib/mock-file.ts';
import { createHttpServer } from '../../src/http/fastify.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const examples = globSync('node_modules/@readme/oas-examples/3.[01]/json/*.json', { cwd: root }).toSorted();
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Each operation of a document, by its name or its method and path. */
function operationsOf(document: any): { name: string; method: string; path: string }[] {
  return Object.entries<any>(document.paths ?? {}).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method] !== undefined)
      .map((method) => ({ name: item[method].operationId ?? `${method.toUpperCase()} ${path}`, method, path })),
  );
}

/** Serves a contract, and sends a request to each operation that is served. */
async function tried(document: object) {
  const app = await createHttpServer({ bodyLimit: 2 ** 20, logLevel: 'silent' }, { link: '</>; rel="service-desc"' });
  onTestFinished(() => app.close());
  const { served, refused } = await serveFile(app, document);
  const operations = operationsOf(document);
  const names = new Set(served.map(({ operationId }) => operationId));
  // A line names three operations and counts the others.
  const isRefused = (name: string) =>
    refused.some((line) => line.includes(name) || / and \d+ more: |^the document: /.test(line));
  for (const { name } of operations) expect(names.has(name) || isRefused(name), name).toBe(true);

  let successes = 0;
  for (const { operationId, method, path, basePaths } of served) {
    const response = await app.inject({
      method: method.toUpperCase() as 'GET',
      url: basePaths[0] + path.replaceAll(/\{[^{}]+\}/g, '1'),
      headers: { authorization: 'Bearer any' },
    });
    expect(response.body, operationId).not.toMatch(/"code":"(?:internal_error|not_found|method_not_allowed)"/);
    if (response.statusCode < 300) successes += 1;
  }
  return { operations: operations.length, served: served.length, refused, successes };
}

describe.each(examples)('%s', (file) => {
  test('is served or refused, operation by operation', async () => {
    const { operations, served, refused } = await tried(await readFile(join(root, file)));
    if (served < operations) expect(refused).not.toEqual([]);
    else expect(served).toBe(operations);
    for (const line of refused) expect(line).toMatch(/: .+ \(#.*\)$/);
  });
});

test('most of the contract of GitHub is served', async () => {
  const { operations, served, refused, successes } = await tried(await readFile(await githubContract()));
  expect(operations).toBeGreaterThan(1000);
  expect(served).toBeGreaterThan(0.9 * operations);
  expect(successes).toBeGreaterThan(0.3 * operations);
  expect(refused.filter((line) => line.includes('equal path templates'))).not.toEqual([]);
});

/** Its package is 385 MB, so it is no dependency: one file of it is taken when the test runs first. */
async function githubContract(): Promise<string> {
  const name = '@octokit/openapi@23.0.2';
  const folder = join(root, 'node_modules/.cache/contracts', name.replaceAll('/', '-'));
  const file = join(folder, 'package/generated/api.github.com.json');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const npm = { cwd: folder, shell: process.platform === 'win32', encoding: 'utf8' } as const;
  const [packed] = JSON.parse(execFileSync('npm', ['pack', name, '--json', '--silent'], npm)) as [{ filename: string }];
  execFileSync('tar', ['-xzf', packed.filename, 'package/generated/api.github.com.json'], { cwd: folder });
  rmSync(join(folder, packed.filename));
  return file;
}

test('the script says what it serves and what it does not, also of YAML in several files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'schema.yaml'), 'type: object\nproperties: { name: { type: string, minLength: 3 } }\n');
  writeFileSync(
    join(folder, 'openapi.yaml'),
    `openapi: 3.1.0
info: { title: Things, version: '1' }
paths:
  /things:
    post:
      operationId: createThing
      requestBody: { content: { application/json: { schema: { $ref: schema.yaml } } } }
      responses: { '201': { description: Made, content: { application/json: { schema: { $ref: schema.yaml } } } } }
    get:
      parameters: [{ name: p, in: query, style: label, schema: {} }]
      responses: { '200': { description: All } }
`,
  );
  const { url, printed } = await started(join(folder, 'openapi.yaml'));
  expect(printed).toContain(
    'Not served: GET /things: style label of a single value in query: OpenAPI defines no such combination of place, style, ' +
      'explode and type (#/paths/~1things/get/parameters/0)\n',
  );
  expect(printed).toContain('1 operations have no operationId');
  const create = (body: object) =>
    fetch(`${url}/things`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  expect((await create({ name: 'Boat' })).status).toBe(201);
  expect((await create({ name: 'B' })).status).toBe(422);
  expect((await (await fetch(`${url}/openapi.json`)).json()) as object).toMatchObject({ info: { title: 'Things' } });
});

test('a document of which nothing can be served ends the script', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'swagger.json');
  writeFileSync(file, JSON.stringify({ swagger: '2.0', info: { title: 'Old', version: '1' }, paths: {} }));
  await expect(started(file)).rejects.toThrow(`Nothing of ${file} can be served.`);
});

/** The script as a process, when it has said where it listens. */
async function started(file: string): Promise<{ url: string; printed: string }> {
  const child = spawn(process.execPath, ['scripts/mock.ts', file], {
    cwd: root,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  let printed = '';
  for await (const text of child.stderr) {
    printed += text;
    const url = /served at (\S+),/.exec(printed)?.[1];
    if (url !== undefined) return { url, printed };
  }
  throw new Error(printed);
}
