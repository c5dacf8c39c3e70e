/** Programs of others that read the OpenAPI 3.0 copy: they find no fault with it, and serve it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import copy from '../../src/generated/openapi-3.0.json' with { type: 'json' };

const folder = new URL('../consumers/', import.meta.url).pathname;
const document = readFileSync(new URL('../../src/generated/openapi-3.0.json', import.meta.url));

beforeAll(() => {
  if (!existsSync(`${folder}node_modules`)) execFileSync('npm', ['ci', '--silent'], { cwd: folder });
}, 120_000);

test("Spectral's ruleset oas finds nothing in it", () => {
  const printed = execFileSync(process.execPath, ['spectral.js'], { cwd: folder, input: document });
  const results: { code: string; path: string; message: string }[] = JSON.parse(String(printed));
  // It takes a field among the examples, which has the members `type`, `default` and `id`, for a schema.
  const isMistaken = ({ code, path }: { code: string; path: string }) =>
    code === 'oas3-valid-schema-example' && /\/examples\/\w+\/value\//.test(path);
  expect(results.filter((result) => !isMistaken(result))).toEqual([]);
});

test('express-openapi-validator takes the bodies that are examples, and refuses others', async () => {
  const server = spawn(process.execPath, ['express.js'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill());
  server.stdin.end(document);
  const [port] = await once(server.stdout, 'data');
  const send = async (method: string, path: string, body: object) => {
    const url = `http://127.0.0.1:${String(port).trim()}${path.replace('{id}', '1')}`;
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, json: await response.json() };
  };
  const operations = Object.entries(copy.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody }]: [string, any]) =>
      requestBody ? [{ path, method: method.toUpperCase(), body: requestBody.content['application/json'] }] : [],
    ),
  );
  expect(operations).toHaveLength(3);
  for (const { path, method, body } of operations) {
    const examples = Object.values<any>(body.examples ?? { example: { value: body.example } });
    for (const { $ref, value } of examples) {
      const example = value ?? (copy.components.examples as any)[$ref.split('/').at(-1)].value;
      expect(await send(method, path, example), `${method} ${path}`).toMatchObject({ status: 200 });
    }
    expect(await send(method, path, { name: 7, source: 7 })).toMatchObject({ status: 400 });
  }
  const withIds = (id: unknown) => ({ tasks: [{ id, label: 'A', fields: [] }] });
  for (const id of [1, 'interim_id_1', null])
    expect(await send('PUT', '/api/v5/surveys/1', withIds(id))).toMatchObject({ status: 200 });
  for (const id of [true, 'x', 0])
    expect(await send('PUT', '/api/v5/surveys/1', withIds(id))).toMatchObject({ status: 400 });
});
