/** `npm run contract` as a process, each time in a copy of the repository. */
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copies: string[] = [];

afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true });
});

/** A folder with all that the script reads and writes. */
function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'contract-'));
  copies.push(copy);
  for (const name of ['openapi', 'redocly.yaml', 'scripts', 'package.json', 'src/contract', 'src/generated']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}

function contract(copy: string, ...parameters: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, [join(copy, 'scripts/contract.ts'), ...parameters], (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    ),
  );
}

function edit(copy: string, file: string, found: string, replacement: string): void {
  const text = readFileSync(join(copy, file), 'utf8');
  expect(text).toContain(found);
  writeFileSync(join(copy, file), text.replace(found, replacement));
}

function generated(copy: string): Record<string, string> {
  const folder = join(copy, 'src/generated');
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

test.concurrent('what is committed is what the contract generates', async () => {
  expect(await contract(copyOfRepository(), '--check')).toMatchObject({ code: 0 });
});

test.concurrent('each generated file that was edited or is missing is named', async () => {
  const copy = copyOfRepository();
  expect(Object.keys(generated(copy)).toSorted()).toEqual([
    'code-samples.json',
    'openapi-3.0.json',
    'openapi.d.ts',
    'openapi.json',
    'openapi.yaml',
    'redoc.js',
    'swagger-ui.css',
    'swagger-ui.js',
  ]);
  appendFileSync(join(copy, 'src/generated/openapi.d.ts'), '// edited\n');
  appendFileSync(join(copy, 'src/generated/openapi-3.0.json'), '\n');
  rmSync(join(copy, 'src/generated/openapi.yaml'));
  const { code, output } = await contract(copy, '--check');
  expect(code).toBe(1);
  expect(output.trim().split('\n').toSorted()).toEqual(
    ['openapi-3.0.json', 'openapi.d.ts', 'openapi.yaml'].map(
      (file) => `src/generated/${file} is stale: run npm run contract`,
    ),
  );
});

test.concurrent('a changed contract makes the generated files stale, and generating renews them', async () => {
  const copy = copyOfRepository();
  const before = generated(copy);
  edit(copy, 'openapi/openapi.yaml', 'description: |', 'description: |\n    Changed.\n');
  const check = await contract(copy, '--check');
  expect(check.code).toBe(1);
  expect(check.output).toContain('src/generated/openapi.json is stale');
  expect(check.output).toContain('src/generated/openapi.yaml is stale');
  expect(generated(copy), '--check writes nothing').toEqual(before);
  const { code, output } = await contract(copy);
  expect(code).toBe(0);
  expect(output).toMatch(/^wrote openapi.json, openapi.yaml, openapi-3.0.json$/m);
  expect(generated(copy)['openapi.json']).toContain('Changed.');
  expect(generated(copy)['openapi-3.0.json']).toContain('Changed.');
});

test.concurrent('a problem is shown with file and line, and nothing is written', async () => {
  const copy = copyOfRepository();
  const before = generated(copy);
  edit(copy, 'openapi/openapi.yaml', 'version:', 'verzion:');
  const { code, output } = await contract(copy);
  expect(code).toBe(1);
  expect(output).toMatch(/^openapi\/openapi\.yaml:4:3: error: Property `verzion` is not expected here/m);
  expect(output).not.toContain(copy);
  expect(generated(copy)).toEqual(before);
});

test.concurrent('a file that is not YAML is shown with file and line', async () => {
  const copy = copyOfRepository();
  appendFileSync(join(copy, 'openapi/paths/surveys.yaml'), 'get: [\n');
  const { code, output } = await contract(copy);
  expect(code).toBe(1);
  expect(output).toMatch(/^openapi\/paths\/surveys\.yaml:\d+:\d+: error: /m);
});

test.concurrent('what OpenAPI 3.0 cannot say is shown with its place, and nothing is written', async () => {
  const copy = copyOfRepository();
  const before = generated(copy);
  edit(copy, 'openapi/components/schemas/User.yaml', 'type: object', 'type: object\ndependentRequired: { name: [id] }');
  const { code, output } = await contract(copy);
  expect(code).toBe(1);
  expect(output.trim()).toBe(
    'openapi.json#/components/schemas/User/dependentRequired has no counterpart in OpenAPI 3.0 (scripts/lib/downgrade.ts)',
  );
  expect(generated(copy)).toEqual(before);
});

test.concurrent('what is said about a deprecation is held to what can be told in response headers', async () => {
  const copy = copyOfRepository();
  const say = (file: string, operationId: string, ...lines: string[]) =>
    edit(
      copy,
      `openapi/paths/${file}.yaml`,
      `operationId: ${operationId}`,
      [`operationId: ${operationId}`, ...lines].join('\n  '),
    );
  say('surveys', 'listSurveys', 'x-sunset: 2027-06-30');
  say('surveys', 'createSurvey', 'deprecated: true', 'x-deprecated-since: 2027-07-01', 'x-sunset: 2027-06-30');
  say('surveys_{id}', 'getSurvey', 'deprecated: true', 'x-sunset: 2027-02-30', 'x-successor: /api/v6/surveys/{id}');
  say(
    'hxl',
    'listHxlTagNames',
    'deprecated: true',
    'x-deprecated-since: 2026-12-01',
    'x-sunset: 2027-06-30',
    'x-successor: /api/v3/hxl/tags',
  );
  const { code, output } = await contract(copy);
  expect(code).toBe(1);
  expect(output.match(/(?<=error: ).*(?= \(contract\/deprecation\))/g)).toEqual([
    'An operation with x-sunset is deprecated: true.',
    'An operation ends after it was deprecated (RFC 9745, section 4).',
    'Say in x-deprecated-since from which date the operation is deprecated.',
    'Write x-sunset as a date: 2027-06-30.',
    'Name the successor by its path in the contract, or by an address.',
  ]);
  expect(output.trim().split('\n')).toHaveLength(5);
});

test.concurrent('a pattern on the side of requests needs words for messages, wherever it stands', async () => {
  const copy = copyOfRepository();
  edit(copy, 'openapi/components/parameters/Order.yaml', '  x-expected: ASC or DESC\n', '');
  edit(copy, 'openapi/components/schemas/TaskTranslations.yaml', '  x-expected: ', "  x-expected: ' ' # ");
  edit(copy, 'openapi/components/schemas/TaskInput.yaml', 'x-expected: ', 'x-unexpected: ');
  const { code, output } = await contract(copy);
  expect(code).toBe(1);
  const lines = output.trim().split('\n');
  // A schema is named once for each operation that takes it.
  expect([...new Set(lines.map((line) => line.split(':')[0]))].toSorted()).toEqual([
    'openapi/components/parameters/Order.yaml',
    'openapi/components/schemas/TaskInput.yaml',
    'openapi/components/schemas/TaskTranslations.yaml',
  ]);
  for (const line of lines) expect(line).toContain('Say in x-expected what the pattern takes');
});

test.concurrent('a pattern is one that every language takes', async () => {
  const copy = copyOfRepository();
  const write = (file: string, from: string, to: string) => edit(copy, `openapi/components/${file}.yaml`, from, to);
  write('parameters/Hydrate', "'^[^\\x00]", "'^[^\\x00-\\x1F\\x7F-\\x9F]");
  write('schemas/EnabledLanguagesInput', "'^[A-Za-z0-9_-]", "'^[\\u0041-Za-z0-9_-]");
  write('parameters/Order', "'^([Aa]", "'^(\\\\x80|é|[Aa]");
  write('headers/TotalCount', "'^[0-9]", "'^\\p{Nd}");
  write('parameters/SurveyCursor', "'^[A-Za-z0-9_-]", "'^[\\\\u\\x41-Za-z0-9_-]");
  const { code, output } = await contract(copy);
  expect(code).toBe(1);
  // Other rules complain of some of them too.
  const lines = output.split('\n').filter((line) => line.endsWith('(contract/portable-pattern)'));
  expect([...new Set(lines.map((line) => line.split(':')[0]))].toSorted()).toEqual([
    'openapi/components/headers/TotalCount.yaml',
    'openapi/components/parameters/Hydrate.yaml',
    'openapi/components/parameters/Order.yaml',
    'openapi/components/schemas/EnabledLanguagesInput.yaml',
  ]);
});
