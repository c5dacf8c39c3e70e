/** The whole path from the contract to a tested operation, in a copy of the repository: what a newcomer does and sees. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyDatabase } from '../support/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copied = [
  'openapi',
  'scripts',
  'src',
  'package.json',
  'redocly.yaml',
  'tsconfig.json',
  'vitest.config.ts',
  ...[
    'contract/conformance.test.ts',
    'contract/types.test-d.ts',
    'support/example-requests.ts',
    'support/operations.ts',
    'support/schema.ts',
    'support/service.ts',
    'support/wrong-values.ts',
  ].map((name) => `test/${name}`),
];

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'extend-'));
  for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
});
afterAll(() => rmSync(copy, { recursive: true }));

const read = (file: string) => readFileSync(join(copy, file), 'utf8');

/** The files that a person wrote or changed. */
const byHand = new Set<string>();
function edit(file: string, change: (text: string) => string): void {
  byHand.add(file);
  const before = existsSync(join(copy, file)) ? read(file) : '';
  const after = change(before);
  expect(after, file).not.toBe(before);
  writeFileSync(join(copy, file), after);
}

/** Runs a script of the copy, or a command of its packages. */
function node(...parameters: string[]): Promise<{ code: number; output: string }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST)/.test(name)));
  return new Promise((resolve) =>
    execFile(process.execPath, parameters, { cwd: copy, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    ),
  );
}
const generate = () => node('scripts/contract.ts');
const compile = () => node('node_modules/typescript/bin/tsc', '-p', '.');
const scaffold = () => node('scripts/scaffold.ts');

/** The responses of the server to a GET of each path, and what it printed. A server that does not start gives no response. */
async function serve(NODE_ENV: string, ...paths: string[]) {
  const env = { ...process.env, NODE_ENV, PORT: '0', DATABASE_URL: emptyDatabase(), PUBLIC_URL: '' };
  const server = spawn(process.execPath, ['src/server.ts'], { cwd: copy, env });
  const exit = once(server, 'exit');
  let output = '';
  const started = new Promise<void>((resolve) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (data) => {
        output += data;
        if (/listening at/.test(output) && /Bearer \S+'/.test(output)) resolve();
      });
    }
  });
  await Promise.race([started, exit]);
  const url = /listening at (http:[^"]+)/.exec(output)?.[1];
  const authorization = /Bearer [^\s']+/.exec(output)?.[0] ?? '';
  const responses = await Promise.all(
    url === undefined
      ? []
      : paths.map(async (path) => {
          const response = await fetch(url + path, { headers: { authorization } });
          return { status: response.status, json: await response.json() };
        }),
  );
  server.kill('SIGTERM');
  await exit;
  return { responses, output };
}

/** The conformance suite's tests of these operations, each by its title, and whether they passed. */
async function conformance(...operationIds: string[]): Promise<Record<string, string>[]> {
  await node(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'service',
    'test/contract/conformance.test.ts',
    '--reporter=json',
    '--outputFile=results.json',
  );
  const {
    testResults: [{ assertionResults }],
  } = JSON.parse(read('results.json'));
  rmSync(join(copy, 'results.json'));
  return operationIds.map((operationId) =>
    Object.fromEntries(
      assertionResults
        .filter(({ ancestorTitles }: { ancestorTitles: string[] }) => ancestorTitles.includes(operationId))
        .map(({ title, status }: { title: string; status: string }) => [title, status]),
    ),
  );
}

/** Everything in the copy that differs from the repository. */
function changedFiles(): string[] {
  const files = copied.flatMap((name) =>
    statSync(join(copy, name)).isFile() ? [name] : globSync(`${name}/**`, { cwd: copy }),
  );
  const isChanged = (file: string) =>
    statSync(join(copy, file)).isFile() &&
    (!existsSync(join(root, file)) || read(file) !== readFileSync(join(root, file), 'utf8'));
  return files.map((file) => file.replaceAll('\\', '/')).filter(isChanged);
}

/** The responses that operations of the contract declare because the engine or the server sends them. */
const byTheServer = [
  ...readFileSync(join(root, 'openapi/paths/users_{id}.yaml'), 'utf8').matchAll(/^ {4}'(?:408|414|431|503)':\n.*\n/gm),
].join('');

const operation = (operationId: string, tag: string, parameters: string, responses: string) => `
get:
  operationId: ${operationId}
  summary: List what this test needs
  description: Returns surveys, in a list.
  tags: [${tag}]
  security:
    - bearer: ['surveys:read']
${parameters}  responses:
    '200':
      description: The surveys.
      content:
        application/json:
          schema:
            $ref: ../components/schemas/SurveyResults.yaml
          examples:
            one:
              value: { results: [{ id: 18, name: Copy of the rapid flood assessment }] }
${responses}    '400':
      $ref: ../components/responses/BadParameter.yaml
    '401':
      $ref: ../components/responses/Unauthorized.yaml
    '403':
      $ref: ../components/responses/Forbidden.yaml
    '500':
      $ref: ../components/responses/InternalServerError.yaml
${byTheServer}`;

test('an operation is added by writing its contract and its handler', async () => {
  // One operation beside its relatives, and one with a tag that is new and a word that TypeScript keeps for itself.
  edit('openapi/paths/users_{id}_surveys.yaml', () =>
    operation(
      'listUserSurveys',
      'Users',
      `  parameters:
    - $ref: ../components/parameters/UserId.yaml
`,
      `    '404':
      $ref: ../components/responses/UserNotFound.yaml
`,
    ),
  );
  edit('openapi/paths/exports.yaml', () => operation('listExports', 'Export', '', ''));
  edit('openapi/openapi.yaml', (text) =>
    text
      .replace(
        /^paths:\n/m,
        `$&  /api/v3/users/{id}/surveys:
    $ref: paths/users_{id}_surveys.yaml
  /api/v5/exports:
    $ref: paths/exports.yaml
`,
      )
      .replace(/^tags:\n/m, '$&  - name: Export\n    description: What goes elsewhere.\n')
      .replace('tags: [Surveys]', 'tags: [Surveys, Export]'),
  );
  const generated = await generate();
  expect(generated.output).toContain('openapi.d.ts');
  expect(generated.code).toBe(0);

  // Without handlers.
  const incomplete = await compile();
  expect(incomplete.code).toBe(1);
  expect(incomplete.output).toMatch(
    /^src\/handlers\.ts\(\d+,\d+\): error (?:.|\n)* is missing the following properties .*: listUserSurveys, listExports$/m,
  );
  const development = await serve('development', '/api/v3/users/1/surveys', '/api/v5/exports', '/api/v5/surveys');
  const unfinished = { status: 501, json: { errors: [{ status: 501, code: 'not_implemented' }] } };
  expect(development.responses).toMatchObject([unfinished, unfinished, { status: 200 }]);
  expect(development.output).toMatch(/"level":40.*responds 501: listUserSurveys, listExports"/);
  const production = await serve('production');
  expect(production.output).toContain('operations without a handler: listUserSurveys, listExports.');
  expect(production.output).not.toContain('listening');

  // With handlers that return 501.
  const before = read('src/users/handlers.ts');
  const scaffolded = await scaffold();
  expect(scaffolded.code, scaffolded.output).toBe(0);
  expect(scaffolded.output).toMatch(
    /^src\/users\/handlers\.ts:\d+: listUserSurveys returns 501\. Write in its place, returning 200, 403, 404:$/m,
  );
  expect(scaffolded.output).toMatch(
    /^src\/export\/handlers\.ts:4: listExports returns 501\. Write in its place, returning 200, 403:$/m,
  );
  const skeleton = "export { notImplemented as listUserSurveys } from '../api/handler.ts';\n";
  expect(read('src/users/handlers.ts')).toBe(
    `${before}\n/** List what this test needs: GET /api/v3/users/{id}/surveys */\n${skeleton}`,
  );
  const line = Number(/users\/handlers\.ts:(\d+)/.exec(scaffolded.output)?.[1]);
  expect(`${read('src/users/handlers.ts').split('\n')[line - 1]}\n`).toBe(skeleton);
  // The new area is made known with the lines that were printed.
  const [, imported = '', spread = ''] =
    /src\/export\/handlers\.ts is new\..*\n {2}(import .*)\n {2}…(.*)\n/.exec(scaffolded.output) ?? [];
  edit('src/handlers.ts', (text) =>
    text.replace('\nexport const', `${imported}\n\nexport const`).replace(' } satisfies Handlers;', spread),
  );
  expect(await compile()).toEqual({ code: 0, output: '' });
  expect((await serve('production', '/api/v3/users/1/surveys', '/api/v5/exports')).responses).toMatchObject([
    unfinished,
    unfinished,
  ]);
  const announced = await conformance('listUserSurveys', 'listExports');
  for (const tests of announced)
    expect(tests).toMatchObject({ 'asks for credentials': 'passed', 'does what it declares (0)': 'failed' });

  // Once more: everything is there.
  const written = changedFiles().map(read);
  expect((await scaffold()).output).toContain('Every operation has a handler.');
  expect(changedFiles().map(read)).toEqual(written);

  // Filled in, with the lines that were printed.
  const head = (operationId: string) =>
    new RegExp(`export const ${operationId}: .* => (?=…)`).exec(scaffolded.output)![0];
  edit('src/users/handlers.ts', (text) =>
    text.replace(
      skeleton,
      `${head('listUserSurveys').replace('{ db, caller, url }', '{ caller }')}
  path.id === caller.id ? { status: 200, body: { results: [{ id: 2 }] } } : refuse(404, 'There is none.');\n`,
    ),
  );
  edit('src/export/handlers.ts', (text) =>
    text
      .replace('\n\n', "\nimport type { Handler } from '../api/handler.ts';\n\n")
      .replace(
        /^export \{ notImplemented as listExports \}.*$/m,
        `${head('listExports').replace('_, { db, caller, url }', '')}({ status: 200, body: { results: [] } });`,
      ),
  );
  expect(await compile()).toEqual({ code: 0, output: '' });
  const covered = await conformance('listUserSurveys', 'listExports');
  expect(covered).toEqual(
    announced.map((tests) => Object.fromEntries(Object.keys(tests).map((title) => [title, 'passed']))),
  );
  expect(Object.keys(covered[0]!)).toEqual(
    expect.arrayContaining([
      'asks for its scope',
      'refuses the methods its path lacks',
      'refuses identifiers that are none, and does not find unknown ones',
    ]),
  );

  // What people and what scripts have written.
  const handlersAndContract = [
    'openapi/openapi.yaml',
    'openapi/paths/exports.yaml',
    'openapi/paths/users_{id}_surveys.yaml',
    'src/export/handlers.ts',
    'src/handlers.ts',
    'src/users/handlers.ts',
  ];
  expect([...byHand].toSorted()).toEqual(handlersAndContract);
  const others = changedFiles().filter(
    (file) => !file.startsWith('src/generated/') && !handlersAndContract.includes(file),
  );
  expect(others).toEqual([]);
});
