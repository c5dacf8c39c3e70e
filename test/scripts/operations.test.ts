/**
 * Operations of every kind are added one after the other by the README's five steps, in a copy of the repository. After
 * each the conformance suite is run for it; at the end a server in production mode is asked, and the whole `npm test` is run,
 * which would take too long after each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RepositoryCopy, root } from '../support/repository-copy.ts';

const ref = (name: string) => `{ $ref: ../components/responses/${name}.yaml }`;
const refusals = (...named: [status: number, name: string][]) =>
  named.map(([status, name]) => `    '${status}': ${ref(name)}\n`).join('');
const common = refusals(
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [408, 'RequestTimeout'],
  [431, 'HeadersTooLarge'],
  [500, 'InternalServerError'],
  [503, 'ServiceUnavailable'],
);
const surveyId = '  parameters:\n    - $ref: ../components/parameters/SurveyId.yaml\n';
const bearer = (scope: string) => `    - bearer: ['${scope}']\n`;

interface Added {
  operationId: string;
  path: string;
  /** Where it stands in the contract, and what is written there. */
  file: string;
  contract: string;
  /** The handler, in the place of the line that was scaffolded; and what it needs at the top of the file. */
  area: string;
  imports?: string;
  handler: string;
  /** Other files that are written. */
  others?: Record<string, (text: string) => string>;
}

const head = (method: string, operationId: string, summary: string, tag: string, security: string) => `${method}:
  operationId: ${operationId}
  summary: ${summary}
  description: ${summary}, as this test needs it.
  tags: [${tag}]
  security:
${security}`;

const stringExample = (type: string, value: string) => `        ${type}:
          schema:
            type: string
          examples:
            one:
              value: ${JSON.stringify(value)}
`;

const added: Added[] = [
  {
    operationId: 'listSurveyFields',
    path: '/api/v5/surveys/{id}/fields',
    file: 'surveys_{id}_fields',
    contract: `${head('get', 'listSurveyFields', 'List the fields of a survey', 'Surveys', bearer('surveys:read'))}${surveyId}  responses:
    '200':
      description: The fields of all tasks.
      content:
        application/json:
          schema:
            type: array
            items:
              $ref: ../components/schemas/Field.yaml
          examples:
            none:
              value: []
${refusals([400, 'BadParameter'], [404, 'SurveyNotFound'])}${common}`,
    area: 'surveys',
    imports: "import type { Schema } from '../api/handler.ts';\n",
    handler: `async ({ path }, { db, caller }) => {
  const found = await surveys.find(db, path.id, selectMembers({}), caller);
  if (found === undefined) return missing(path.id);
  const { tasks = [] } = JSON.parse(String(found.survey)) as Schema<'Survey'>;
  return { status: 200, body: tasks.flatMap(({ fields }) => fields) };
};`,
  },
  {
    operationId: 'deleteHxlMetadata',
    path: '/api/v3/hxl/metadata/{id}',
    file: 'hxl_metadata_{id}',
    contract: `${head('delete', 'deleteHxlMetadata', 'Delete HXL metadata', 'HXL', bearer('hxl:write'))}  parameters:
    - $ref: ../components/parameters/HxlMetadataId.yaml
  responses:
    '204':
      description: It is gone.
${refusals([400, 'BadParameter'], [404, 'HxlMetadataNotFound'])}${common}`,
    area: 'hxl',
    handler: `async ({ path: { id } }, { db }) => {
  const { numDeletedRows } = await hxl.removeMetadata(db, id);
  return numDeletedRows > 0n ? { status: 204 } : refuse(404, \`HXL metadata \${id} does not exist.\`);
};`,
    others: {
      'src/hxl/store.ts': (text) => `${text}
/** Deletes the metadata with this id, where there is one. */
export function removeMetadata(db: Db, id: number) {
  return db.query.deleteFrom('hxl_metadata').where('id', '=', id).executeTakeFirstOrThrow();
}
`,
    },
  },
  {
    operationId: 'exportHxlTags',
    path: '/api/v3/hxl/export',
    file: 'hxl_export',
    contract: `${head('get', 'exportHxlTags', 'Download the HXL tags', 'HXL', bearer('hxl:read'))}  responses:
    '200':
      description: A line for each tag.
      content:
${stringExample('text/csv', 'id,tag\r\n1,#adm1\r\n')}${refusals([400, 'BadParameter'])}${common}`,
    area: 'hxl',
    handler: `async (_, { db }) => ({
  status: 200,
  body: ['tag', ...(await reference.tagNames(db))].map((name) => \`\${name}\\r\\n\`).join(''),
});`,
  },
  {
    operationId: 'uploadSurveyFile',
    path: '/api/v5/surveys/{id}/files',
    file: 'surveys_{id}_files',
    contract: `${head('post', 'uploadSurveyFile', 'Upload a file', 'Surveys', bearer('surveys:write'))}${surveyId}  requestBody:
    required: true
    content:
      multipart/form-data:
        schema:
          type: object
          required: [title, file]
          properties:
            title:
              type: string
              description: What is in the file.
              maxLength: 100
              examples: [Map]
            file:
              type: string
              format: binary
              description: The file.
              maxLength: 1000000
        examples:
          one:
            value: { title: Map, file: content }
  responses:
    '200':
      description: How large the file was.
      content:
        application/json:
          schema:
            type: object
            required: [size]
            properties:
              size:
                type: integer
                format: int32
                description: In bytes.
                examples: [7]
          examples:
            one:
              value: { size: 7 }
${refusals([400, 'BadRequest'], [404, 'SurveyNotFound'], [413, 'ContentTooLarge'], [415, 'UnsupportedMediaType'], [422, 'UnprocessableSurvey'])}${common}`,
    area: 'surveys',
    handler: `async ({ path, body }, { db, caller }) => {
  if ((await surveys.find(db, path.id, selectMembers({}), caller)) === undefined) return missing(path.id);
  let size = 0;
  for await (const { stream } of body) for await (const chunk of stream ?? []) size += (chunk as Buffer).length;
  return { status: 200, body: { size } };
};`,
  },
  {
    operationId: 'createUserNote',
    path: '/api/v3/users/{id}/notes',
    file: 'users_{id}_notes',
    contract: `${head('post', 'createUserNote', 'Write a note', 'Users', bearer('users:manage'))}  parameters:
    - $ref: ../components/parameters/UserId.yaml
  requestBody:
    required: true
    content:
      application/json:
        schema:
          type: object
          required: [text]
          properties:
            text:
              type: string
              description: What is noted.
              minLength: 1
              maxLength: 100
              examples: [Back on Monday]
        examples:
          one:
            value: { text: Back on Monday }
  responses:
    '204':
      description: It is kept.
${refusals([400, 'BadRequest'], [404, 'UserNotFound'], [413, 'ContentTooLarge'], [415, 'UnsupportedMediaType'], [422, 'UnprocessableHxlMetadata'])}${common}`,
    area: 'users',
    handler: `async ({ path: { id }, body }, { db }) => {
  if (!(await access.findUser(db, id))) return refuse(404, \`User \${id} does not exist.\`);
  await access.addNote(db, id, body.text);
  return { status: 204 };
};`,
    others: {
      'src/users/store.ts': (text) => `${text}
/** Keeps a note about a user. */
export async function addNote(db: Db, user_id: number, text: string): Promise<void> {
  await db.query.insertInto('notes').values({ user_id, text }).execute();
}
`,
      'src/database/migrations/0099_notes.ts': () => `/** Notes about users. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('notes')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (column) => column.notNull().references('users.id'))
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
}
`,
      'src/database/migrations/index.ts': (text) =>
        text
          .replace('\nexport const', "import * as notes from './0099_notes.ts';\n\nexport const")
          .replace('\n};', "\n  '0099_notes': notes,\n};"),
      'src/database/tables.ts': (text) =>
        `${text.replace('export interface Tables {', 'export interface Tables {\n  notes: Notes;')}
export interface Notes {
  id: Generated<number>;
  user_id: number;
  text: string;
}
`,
    },
  },
  {
    operationId: 'getGreeting',
    path: '/api/v3/greeting',
    file: 'greeting',
    contract: `${head('get', 'getGreeting', 'Greet whoever calls', 'Users', `    - {}\n${bearer('hxl:read')}`)}  responses:
    '200':
      description: A greeting.
      content:
${stringExample('text/plain', 'Hello, user 1')}${refusals([400, 'BadParameter'])}${common}`,
    area: 'users',
    handler: `async (_, { caller }) => ({
  status: 200,
  body: caller.id === 0 ? 'Hello, whoever you are' : \`Hello, user \${caller.id}\`,
});`,
  },
];

/** Adds an operation by the steps of the README. */
async function add(copy: RepositoryCopy, operation: Added): Promise<void> {
  const { operationId, path, file, contract, area, imports = '', handler, others = {} } = operation;
  copy.edit(`openapi/paths/${file}.yaml`, (text) => text + contract);
  if (!copy.read('openapi/openapi.yaml').includes(`\n  ${path}:`))
    copy.edit('openapi/openapi.yaml', (text) =>
      text.replace(/^paths:\n/m, `$&  ${path}:\n    $ref: paths/${file}.yaml\n`),
    );
  const generated = await copy.node('scripts/contract.ts');
  expect(generated.code, generated.output).toBe(0);
  const scaffolded = await copy.node('scripts/scaffold.ts');
  expect(scaffolded.output).toContain(`src/${area}/handlers.ts`);
  const handlers = `src/${area}/handlers.ts`;
  copy.edit(handlers, (text) =>
    text
      .replace(
        `export { notImplemented as ${operationId} } from '../api/handler.ts';`,
        `export const ${operationId}: Handler<'${operationId}'> = ${handler}`,
      )
      .replace('\nimport', `\n${imports}import`),
  );
  for (const [name, change] of Object.entries(others)) copy.edit(name, change);
  if (Object.keys(others).some((name) => name.includes('/migrations/')))
    expect((await copy.vitest('test/database/migrations.test.ts', '--update')).code).toBe(0);
  const [types, conformance] = await Promise.all([
    copy.node('node_modules/typescript/bin/tsc', '-p', '.'),
    copy.vitest('test/contract/conformance.test.ts', '-t', operationId),
  ]);
  expect(types.output, operationId).toBe('');
  expect(conformance.code, conformance.output).toBe(0);
  expect(conformance.output).toMatch(/Tests .*passed/);
}

const json = { 'content-type': 'application/json' };

test('operations of every kind are added by the README, one after the other', { timeout: 900_000 }, async () => {
  using copy = new RepositoryCopy();
  for (const operation of added) await add(copy, operation);

  await copy.serve(async (ask) => {
    // Fields come back as the survey has them, with every kind of translation.
    const report = readFileSync(join(root, 'test/fixtures/flood-report.json'), 'utf8');
    const created = await ask('/api/v5/surveys', { method: 'POST', headers: json, body: report });
    const [survey] = ((await created.json()) as { results: [any] }).results;
    const translated = { label: 'Choice', type: 'varchar', input: 'select', options: ['a', 'b'] };
    const translations = { es: { options: ['x', 'y'] }, fr: { options: { 0: 'x', 1: 'y' } }, pt: { label: 'Escolha' } };
    const tasks = [{ label: 'Task', fields: [{ ...translated, translations }] }];
    await ask('/api/v5/surveys', { method: 'POST', headers: json, body: JSON.stringify({ name: 'Choices', tasks }) });
    for (const id of [survey.id, survey.id + 1]) {
      const whole = (await (await ask(`/api/v5/surveys/${id}`)).json()) as { results: [any] };
      const fields = await (await ask(`/api/v5/surveys/${id}/fields`)).json();
      expect(fields).toEqual(whole.results[0].tasks.flatMap((task: any) => task.fields));
      if (id > survey.id) expect((fields as any)[0].translations).toMatchObject(translations);
    }

    const metadata = JSON.stringify({
      ...{ dataset_title: 'Flood', source: 'Field teams', license_id: 2, private: false },
      ...{ organisation_id: 'red', organisation_name: 'Red' },
    });
    const { status } = await ask('/api/v3/hxl/metadata', { method: 'POST', headers: json, body: metadata });
    expect(status).toBe(201);
    const deleted = await ask('/api/v3/hxl/metadata/1', { method: 'DELETE' });
    expect([deleted.status, await deleted.text()]).toEqual([204, '']);
    expect((await ask('/api/v3/hxl/metadata/1')).status).toBe(404);

    const csv = await ask('/api/v3/hxl/export');
    expect([csv.headers.get('content-type'), (await csv.text()).slice(0, 5)]).toEqual([
      'text/csv; charset=utf-8',
      'tag\r\n',
    ]);

    const body = new FormData();
    body.append('title', 'Map');
    body.append('file', new Blob(['x'.repeat(300_000)]), 'map.png');
    const uploaded = await ask(`/api/v5/surveys/${survey.id}/files`, { method: 'POST', body });
    expect(await uploaded.json()).toEqual({ size: 300_000 });

    const note = JSON.stringify({ text: 'Back on Monday' });
    expect((await ask('/api/v3/users/1/notes', { method: 'POST', headers: json, body: note })).status).toBe(204);

    expect(await (await ask('/api/v3/greeting')).text()).toBe('Hello, user 1');
    const anonymous = await fetch((await ask('/api/v3/greeting')).url);
    expect(await anonymous.text()).toBe('Hello, whoever you are');
  });

  const whole = await copy.vitest();
  expect(whole.code, whole.output.match(/^.*(FAIL|Error).*$/gm)?.join('\n')).toBe(0);
});
