/** `Prefer: handling=strict`: misspelt parameters and members are refused, and nothing else changes. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import document from '../../src/generated/openapi.json' with { type: 'json' };
import { exampleBodies } from '../support/example-requests.ts';
import { operations } from '../support/operations.ts';
import { problems, service, type TestResponse, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const hxl = '/api/v3/hxl';
const flood = document.components.examples.floodAssessmentInput.value;
const metadata = document.components.examples.hxlMetadataInput.value;

let running: Awaited<ReturnType<typeof service>>;
beforeAll(async () => {
  running = await service();
  await running.send('POST', surveys, flood);
  await running.send('POST', `${hxl}/metadata`, metadata);
});
afterAll(() => running.close());

const send = (method: string, url: string, body?: unknown, prefer: string | undefined = 'handling=strict') =>
  running.send(method, url, body, { headers: { prefer } });
const lenient = (method: string, url: string, body?: unknown) => running.send(method, url, body);
const messages = ({ json }: TestResponse) => json.errors.map(({ message }: { message: string }) => message);
const applied = ({ headers }: TestResponse) => headers['preference-applied'];

describe('an unknown parameter', () => {
  test('is refused with the nearest known one', async () => {
    const response = await send('GET', `${surveys}?limt=5&hydrate=&Offset=1`);
    expect([response.status, problems(response)]).toEqual([
      400,
      ['unknown_parameter limt', 'unknown_parameter Offset'],
    ]);
    expect(messages(response)).toEqual([
      'limt is not a parameter of this operation. Did you mean limit?',
      'Offset is not a parameter of this operation. Did you mean offset?',
    ]);
  });

  test('is refused with all known ones, when none is near', async () => {
    expect(messages(await send('GET', `${surveys}/1?search=flood`))).toEqual([
      'search is not a parameter of this operation. Known are only, hydrate.',
    ]);
    expect(messages(await send('GET', `${hxl}?limit=5`))).toEqual([
      'limit is not a parameter of this operation. There are none.',
    ]);
  });

  test('is refused together with what is wrong otherwise', async () => {
    const response = await send('GET', `${surveys}/x?only=%00&olny=name&olny=id&__proto__=1`);
    expect(problems(response).toSorted()).toEqual([
      'invalid_parameter id',
      'invalid_parameter only',
      'unknown_parameter __proto__',
      'unknown_parameter olny',
    ]);
  });

  test('is refused by every operation that declares the header, and ignored by all without it', async () => {
    const strict = operations.filter(({ parameters = [] }) =>
      (parameters as { name: string }[]).some(({ name }) => name === 'Prefer'),
    );
    expect(strict.length).toBeGreaterThan(10);
    for (const operation of strict) {
      const url = `${operation.path.replaceAll(/\{\w+\}/g, operation.method === 'get' ? '1' : '99')}?surely_unknown=x`;
      const [body] = exampleBodies(operation);
      const ask = (headers: Record<string, string>) =>
        running.send(operation.method.toUpperCase(), url, body?.payload, {
          headers: { ...headers, ...(body && { 'content-type': body.contentType }) },
        });
      expect(problems(await ask({ prefer: 'handling=strict' }))).toEqual(['unknown_parameter surely_unknown']);
      expect((await ask({})).status).not.toBe(400);
    }
  });

  test('is refused also when the response is cached, and the response is cached once for both ways', async () => {
    const url = `${surveys}/1?only=name`;
    for (let round = 0; round < 4; round += 1) {
      const [plain, strict] = [await lenient('GET', url), await send('GET', url)];
      expect([plain.status, strict.status, strict.text]).toEqual([200, 200, plain.text]);
      expect([applied(plain), applied(strict)]).toEqual([undefined, 'handling=strict']);
      expect(strict.headers.etag).toBe(plain.headers.etag);
      expect((await lenient('GET', `${url}&olny=id`)).text).toBe(plain.text);
      expect((await send('GET', `${url}&olny=id`)).status).toBe(400);
    }
  });

  test('is refused with HEAD, and before it is asked whether anything has changed', async () => {
    expect((await send('HEAD', `${surveys}?limt=5`)).status).toBe(400);
    const head = await send('HEAD', `${surveys}?limit=5`);
    expect([head.status, head.text, applied(head)]).toEqual([200, '', 'handling=strict']);
    const headers = { prefer: 'handling=strict', 'if-none-match': '*' };
    const get = (query: string) => running.send('GET', `${surveys}/1${query}`, undefined, { headers });
    expect((await get('?olny=id')).status).toBe(400);
    const same = await get('?only=id');
    expect([same.status, applied(same)]).toEqual([304, 'handling=strict']);
  });

  test('is quoted where it is no plain word, and shortened', async () => {
    const [quoted, long] = messages(await send('GET', `${hxl}?a%20b%22=1&${'n'.repeat(3000)}=1`));
    expect(quoted).toBe('"a b\\"" is not a parameter of this operation. There are none.');
    expect(long.length).toBeLessThan(200);
  });
});

describe('an unknown member', () => {
  test('is refused at every level, with the nearest known one', async () => {
    const response = await send('POST', surveys, {
      nmae: 'Flood',
      enabled_languages: { defualt: 'en' },
      translations: { es: { nombre: 'Inundación' } },
      tasks: [
        {
          label: 'Report',
          requird: true,
          translations: { es: { lable: 'Informe' } },
          fields: [
            {
              label: 'Question',
              type: 'varchar',
              input: 'text',
              requiered: true,
              config: { anything: { goes: 1 } },
              options: [{ any: 'value' }],
              translations: { es: { lable: 'Pregunta', options: { any: 1 } } },
            },
          ],
        },
      ],
    });
    expect([response.status, problems(response), messages(response)]).toEqual([
      422,
      [
        'unknown_member /nmae',
        'unknown_member /enabled_languages/defualt',
        'unknown_member /translations/es/nombre',
        'unknown_member /tasks/0/requird',
        'unknown_member /tasks/0/translations/es/lable',
        'unknown_member /tasks/0/fields/0/requiered',
        'unknown_member /tasks/0/fields/0/translations/es/lable',
      ],
      [
        'nmae is not a member of the body. Did you mean name?',
        'defualt is not a member of enabled_languages. Did you mean default?',
        'nombre is not a member of es. Known are name, description.',
        'requird is not a member of tasks/0. Did you mean required?',
        'lable is not a member of es. Did you mean label?',
        'requiered is not a member of fields/0. Did you mean required?',
        'lable is not a member of es. Did you mean label?',
      ],
    ]);
  });

  test('leaves no untitled survey behind', async () => {
    const before = await lenient('GET', `${surveys}?only=id`);
    const response = await send('POST', surveys, { title: 'Flood report' });
    expect(response.status).toBe(422);
    expect(messages(response)).toEqual([
      expect.stringMatching(/^title is not a member of the body\. Known are name, description, .*tasks.*\.$/),
    ]);
    expect((await lenient('GET', `${surveys}?only=id`)).text).toBe(before.text);
  });

  test('is reported together with what breaks the schema, at most 100 in all', async () => {
    expect(problems(await send('POST', surveys, { name: 'F', colour: 'blue', tasks: [{ titel: 'Report' }] }))).toEqual([
      'too_short /name',
      'required /tasks/0/label',
      'unknown_member /colour',
      'unknown_member /tasks/0/titel',
    ]);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x${at}`, at]));
    expect(problems(await send('POST', surveys, { name: 'F', ...many }))).toHaveLength(100);
  });

  test('is found in a body of more than 64 KiB', async () => {
    const description = 'x'.repeat(65_000);
    const body = {
      description,
      tasks: [
        { label: 'Report', description },
        { label: 'Report', lable: '' },
      ],
    };
    expect(problems(await send('POST', surveys, body))).toEqual(['unknown_member /tasks/1/lable']);
    delete (body.tasks[1] as { lable?: string }).lable;
    expect((await send('POST', surveys, body)).status).toBe(201);
  });

  test('is ignored without the header', async () => {
    const response = await lenient('POST', surveys, { title: 'Flood report', tasks: [{ label: 'Report', lable: '' }] });
    expect([response.status, response.json.results[0].name]).toEqual([201, 'Untitled survey']);
    expect(applied(response)).toBeUndefined();
  });

  test('comes after what is wrong with a body as such', async () => {
    expect(problems(await send('POST', surveys, '{"nmae":'))).not.toContain('unknown_member /nmae');
    const deep = `{"nmae":${'['.repeat(70)}${']'.repeat(70)}}`;
    const response = await running.send('POST', surveys, deep, {
      headers: { prefer: 'handling=strict', 'content-type': 'application/json' },
    });
    expect(problems(response)).toEqual(['too_deep ']);
  });
});

describe('what was read', () => {
  test('of a survey can be sent back, changed or copied', async () => {
    const { send: ask } = await testService();
    const editor = JSON.parse(readFileSync(new URL('../fixtures/flood-report.json', import.meta.url), 'utf8'));
    const headers = { prefer: 'handling=strict' };
    const made = await ask('POST', surveys, editor);
    expect(made.status).toBe(201);
    const read = await ask('GET', `${surveys}/1`, undefined, { headers });
    const [survey] = JSON.parse(read.text).results;
    // As AngularJS has it in its lists.
    survey.$$hashKey = 'object:1';
    for (const task of survey.tasks) {
      task.$$hashKey = 'object:2';
      for (const field of task.fields) field.$$hashKey = 'object:3';
    }
    const same = await ask('PUT', `${surveys}/1`, survey, { headers });
    expect([same.status, same.json, applied(same)]).toEqual([200, read.json, 'handling=strict']);
    expect((await ask('POST', surveys, survey, { headers })).status).toBe(201);
  });

  test('of metadata can be sent as a copy', async () => {
    const { json } = await send('GET', `${hxl}/metadata/1`);
    const copy = await send('POST', `${hxl}/metadata`, json);
    expect([copy.status, applied(copy)]).toEqual([201, 'handling=strict']);
  });

  test('is known to each input schema, and what is ignored is no member', () => {
    const schemas = document.components.schemas as unknown as Record<
      string,
      { properties?: object; 'x-ignored-members'?: string[] }
    >;
    const pairs = Object.keys(schemas).filter((name) => `${name}Input` in schemas);
    expect(pairs.toSorted()).toEqual(['EnabledLanguages', 'Field', 'HxlMetadata', 'Survey', 'Task']);
    for (const name of pairs) {
      const { properties = {}, 'x-ignored-members': ignored = [] } = schemas[`${name}Input`]!;
      const returned = Object.keys(schemas[name]!.properties!);
      expect(returned.filter((member) => !(member in properties || ignored.includes(member)))).toEqual([]);
      expect(ignored.filter((member) => member in properties)).toEqual([]);
    }
  });
});

test.each([
  'handling=lenient',
  'handling=sometimes',
  'handling',
  'respond-async',
  'return=minimal; handling=strict',
  'a="handling=strict"',
  'handling=lenient, handling=strict',
  '"',
  '=',
  ' ',
  'x'.repeat(12_000),
])('Prefer: %s changes nothing', async (prefer) => {
  const response = await send('GET', `${surveys}/1?olny=name`, undefined, prefer);
  expect([response.status, applied(response)]).toEqual([200, undefined]);
  expect(response.text).toBe((await lenient('GET', `${surveys}/1`)).text);
});

test.each(['Handling=strict', 'wait=5, handling="strict"; why=not'])('Prefer: %s is strict', async (prefer) => {
  expect((await send('GET', `${surveys}/1?olny=name`, undefined, prefer)).status).toBe(400);
});

test('a refusal that is not about strict handling stays as it is', async () => {
  const [strict, plain] = [await send('GET', `${surveys}/99`), await lenient('GET', `${surveys}/99`)];
  expect([strict.status, strict.json.errors]).toEqual([plain.status, plain.json.errors]);
  expect(
    (await running.send('GET', `${surveys}?limt=5`, undefined, { as: null, headers: { prefer: 'handling=strict' } }))
      .status,
  ).toBe(401);
});
