/** What the survey operations do, seen from a client. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Caller, type Role } from '../../src/api/caller.ts';
import { list } from '../../src/surveys/list.ts';
import { results } from '../../src/surveys/results.ts';
import report from '../fixtures/flood-report.json' with { type: 'json' };
import { changeStored, withDigests } from '../support/digests.ts';
import { problems, service, type TestResponse, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const one = (id: number) => `${surveys}/${id}`;

/** Most tests share a service, but no surveys. */
const { db, send, close } = await service();
afterEach(() => db.query.deleteFrom('surveys').execute());
afterAll(close);

/** Sends text as it is, for what JSON.stringify cannot say. */
const sendText = (method: string, url: string, payload: string) =>
  send(method, url, payload, { headers: { 'content-type': 'application/json' } });

async function create(body: object = {}): Promise<any> {
  const response = await send('POST', surveys, body);
  expect(response.status, response.text).toBe(201);
  return response.json.results[0];
}

async function update(id: number, body: object): Promise<any> {
  const response = await send('PUT', one(id), body);
  expect(response.status, response.text).toBe(200);
  const [survey] = response.json.results;
  expect(await read(id), 'what an update returns is what is read').toEqual(survey);
  return survey;
}

async function read(id: number, query = '', as: Role = 'admin'): Promise<any> {
  const response = await send('GET', `${one(id)}${query}`, undefined, { as });
  expect(response.status, response.text).toBe(200);
  return response.json.results[0];
}

/** Everything that an update could change: all surveys, and who owns which identifier. */
async function everything(): Promise<unknown> {
  return {
    surveys: await db.query.selectFrom('surveys').selectAll().orderBy('id').execute(),
    tasks: await db.query.selectFrom('tasks').selectAll().orderBy('id').execute(),
    fields: await db.query.selectFrom('fields').selectAll().orderBy('id').execute(),
  };
}

/** Refused for just these problems, and nothing is other than before. */
async function expectRefused(request: () => Promise<TestResponse>, expected: string[]): Promise<void> {
  const before = await everything();
  const response = await request();
  expect([response.status, problems(response)]).toEqual([422, expected]);
  expect(await everything()).toEqual(before);
}

const text = (label = 'Question', more: object = {}) => ({ label, type: 'varchar', input: 'text', ...more });
const labels = (parts: { label: string }[]) => parts.map(({ label }) => label);
const without = (value: any, ...names: string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
const identified = ({ id }: { id: number }, more: object = {}) => ({ id, ...more });
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);

const scalars = [
  'id',
  'name',
  'description',
  'base_language',
  'color',
  'type',
  'require_approval',
  'everyone_can_create',
  'disabled',
  'hide_author',
  'hide_time',
  'hide_location',
  'targeted_survey',
  'created',
  'updated',
  'allowed_privileges',
];
const relations = ['can_create', 'translations', 'enabled_languages', 'tasks'];

/** What comes of `{}`. */
const emptySurvey = {
  id: expect.any(Number),
  name: 'Untitled survey',
  description: null,
  base_language: 'en-US',
  color: null,
  type: 'report',
  require_approval: true,
  everyone_can_create: true,
  disabled: false,
  hide_author: false,
  hide_time: false,
  hide_location: false,
  targeted_survey: false,
  can_create: [],
  created: time,
  updated: null,
  translations: {},
  enabled_languages: { default: 'en-US', available: [] },
  tasks: [],
  allowed_privileges: ['read', 'create', 'update', 'delete', 'search'],
};
const emptyTask = {
  id: expect.any(Number),
  form_id: expect.any(Number),
  label: 'Task',
  description: null,
  type: 'task',
  priority: 0,
  required: false,
  show_when_published: true,
  task_is_internal_only: false,
  is_public: false,
  translations: {},
  fields: [],
};
const emptyField = {
  id: expect.any(Number),
  key: uuid,
  label: 'Question',
  description: null,
  instructions: null,
  default: null,
  type: 'varchar',
  input: 'text',
  priority: 0,
  required: false,
  response_private: false,
  cardinality: 1,
  config: {},
  options: [],
  translations: {},
};

/** A survey, a task and a field of which every member is other than its default. */
const fullField = {
  label: 'Water level',
  description: 'At the bridge.',
  instructions: 'Read the gauge.',
  default: '0.5',
  type: 'decimal',
  input: 'number',
  priority: 7,
  required: true,
  response_private: true,
  cardinality: 3,
  config: { min: 0, unit: 'm', steps: [0.1, { coarse: true }] },
  options: ['low', 2, { high: null }],
  translations: { es: { label: 'Nivel del agua', instructions: 'Lea la regla.', default: '0,5', options: ['bajo'] } },
};
const fullTask = {
  label: 'Situation',
  description: 'On site.',
  type: 'post',
  priority: 4,
  required: true,
  show_when_published: false,
  task_is_internal_only: true,
  is_public: true,
  translations: { es: { label: 'Situación', description: 'En el lugar.' } },
  fields: [fullField],
};
const fullSurvey = {
  name: 'Inundación',
  description: 'After the storm.',
  base_language: 'es-PE',
  color: '#1D4ED8',
  type: 'bulletin',
  require_approval: false,
  everyone_can_create: false,
  disabled: true,
  hide_author: true,
  hide_time: true,
  hide_location: true,
  targeted_survey: true,
  can_create: ['field-team', 'manager'],
  translations: { qu: { name: 'Lluqlla', description: 'Paramanta qhipaman.' } },
  enabled_languages: { default: 'es-PE', available: ['qu', 'es'] },
  tasks: [fullTask],
};

describe('creating', () => {
  test('a flood report is created as a web editor sends it, but for what only the editor needs', async () => {
    const response = await send('POST', surveys, report);
    expect(response.status).toBe(201);
    const [survey] = response.json.results;
    expect(response.headers.location).toBe(`http://service.test${one(survey.id)}`);
    expect(survey).toMatchObject({
      ...report,
      tasks: report.tasks.map((task) => ({
        ...without(task, 'id', '$$hashKey'),
        fields: task.fields.map((field) => without(field, 'id', 'form_stage_id', '$$hashKey')),
      })),
    });
    expect(response.text).not.toMatch(/\$\$hashKey|interim_id|form_stage_id/);
    const ids = survey.tasks.flatMap((task: any) => task.fields.map(({ id }: any) => id));
    expect(new Set(ids).size).toBe(12);
  });

  test('what creation returns is what is read at its location', async () => {
    const { headers, text } = await send('POST', surveys, report);
    expect((await send('GET', String(headers.location))).text).toBe(text);
  });

  test('every member of a survey may be left out', async () => {
    expect(await create()).toEqual(emptySurvey);
  });

  test('a task needs a label alone, a field a label, a type and an input', async () => {
    const survey = await create({ tasks: [{ label: 'Task', fields: [text()] }] });
    expect(survey.tasks).toEqual([{ ...emptyTask, form_id: survey.id, fields: [emptyField] }]);
  });

  test('every member is stored as it was sent', async () => {
    const survey = await create(fullSurvey);
    const task = {
      ...fullTask,
      id: expect.any(Number),
      form_id: survey.id,
      fields: [{ ...fullField, id: expect.any(Number), key: uuid }],
    };
    expect(survey).toEqual({ ...emptySurvey, ...fullSurvey, tasks: [task] });
    expect(await read(survey.id)).toEqual(survey);
  });

  test.each(Object.entries({ ...without(fullSurvey, 'tasks', 'translations', 'enabled_languages', 'base_language') }))(
    '%s alone is stored where it belongs',
    async (member, value) => {
      expect(await create({ [member]: value })).toEqual({ ...emptySurvey, [member]: value });
    },
  );

  test.each(Object.entries(without(fullTask, 'label', 'fields')))(
    '%s alone is stored in the task where it belongs',
    async (member, value) => {
      const {
        tasks: [task],
      } = await create({ tasks: [{ label: 'Task', [member]: value }] });
      expect(task).toEqual({ ...emptyTask, [member]: value });
    },
  );

  test.each(Object.entries(without(fullField, 'label', 'type', 'input')))(
    '%s alone is stored in the field where it belongs',
    async (member, value) => {
      const {
        tasks: [
          {
            fields: [field],
          },
        ],
      } = await create({ tasks: [{ label: 'Task', fields: [text('Question', { [member]: value })] }] });
      expect(field).toEqual({ ...emptyField, [member]: value });
    },
  );

  test('the service decides identifiers, keys, times and privileges, whatever is sent', async () => {
    const survey = await create({
      id: 987654,
      created: '1999-01-01T00:00:00Z',
      updated: '1999-01-01T00:00:00Z',
      allowed_privileges: ['nothing'],
      tasks: [
        {
          id: 987654,
          form_id: 987654,
          label: 'Task',
          fields: [text('Question', { id: 987654, key: 'mine', form_stage_id: 'interim_id_4' })],
        },
      ],
    });
    expect(survey).toEqual({ ...emptySurvey, tasks: [{ ...emptyTask, form_id: survey.id, fields: [emptyField] }] });
    expect(JSON.stringify(survey)).not.toMatch(/987654|mine|1999/);
    expect(Math.abs(Date.parse(survey.created) - Date.now())).toBeLessThan(60_000);
  });

  test('unknown members are accepted and not stored', async () => {
    const extra = { $$hashKey: 'object:1', flavour: 'x', nested: { deep: [{}] } };
    const survey = await create({
      ...extra,
      status: 200,
      message: 'Survey saved',
      tasks: [{ ...extra, label: 'Task', fields: [text('Question', extra)] }],
    });
    expect(survey).toEqual({ ...emptySurvey, tasks: [{ ...emptyTask, fields: [emptyField] }] });
  });

  test('a survey that was read can be sent to copy it', async () => {
    const original = await create(report);
    const copy = await create(original);
    expect(copy).toMatchObject({
      name: original.name,
      tasks: original.tasks.map((task: any) => ({ label: task.label })),
    });
    const parts = (survey: any) =>
      survey.tasks.flatMap((task: any) => [
        `task ${task.id}`,
        ...task.fields.flatMap((field: any) => [`field ${field.id}`, field.key]),
      ]);
    expect(parts(copy).filter((part: string) => parts(original).includes(part))).toEqual([]);
    expect(await read(original.id)).toEqual(original);
  });

  test('identifiers that are sent twice do not matter to a new survey', async () => {
    const { tasks } = await create({
      tasks: [
        { id: 1, label: 'A', fields: [text('a', { id: 1 }), text('b', { id: 1 })] },
        { id: 1, label: 'B' },
      ],
    });
    expect(new Set(tasks.map(({ id }: any) => id)).size).toBe(2);
    expect(new Set(tasks[0].fields.map(({ id }: any) => id)).size).toBe(2);
    expect(new Set(tasks[0].fields.map(({ key }: any) => key)).size).toBe(2);
  });

  test('a fault in the middle leaves no part of the survey', async () => {
    const broken = await testService();
    await broken.db.query.schema.dropTable('fields').execute();
    expect((await broken.send('POST', surveys, report)).status).toBe(500);
    expect(await broken.db.query.selectFrom('surveys').select('id').execute()).toEqual([]);
    expect(await broken.db.query.selectFrom('tasks').select('id').execute()).toEqual([]);
  });

  test('a survey may have as many fields as its limit, many times more than one statement inserts', {
    timeout: 60_000,
  }, async () => {
    const large = await testService({ NODE_ENV: 'production' });
    const tasks = Array.from({ length: 10 }, () => ({
      label: 'T',
      fields: Array.from({ length: 500 }, () => text('f')),
    }));
    const {
      json: {
        results: [first],
      },
    } = await large.send('POST', surveys, { tasks });
    const kept = first.tasks.map(({ id, label }: any) => ({ id, label }));
    expect((await large.send('PUT', one(first.id), { tasks: [...kept, ...tasks] })).status).toBe(200);
    expect(await large.db.query.selectFrom('fields').select('id').execute()).toHaveLength(10_000);
    expect((await large.send('PUT', one(first.id), { tasks: [] })).status).toBe(200);
    expect(await large.db.query.selectFrom('fields').select('id').execute()).toEqual([]);
  });
});

describe('reading', () => {
  test.each<[query: string, members: string[]]>([
    ['', [...scalars, ...relations]],
    ['?only=', [...scalars, ...relations]],
    ['?hydrate=', scalars],
    ['?only=&hydrate=', scalars],
    ['?only=name', ['id', 'name']],
    ['?only=name&hydrate=', ['id', 'name']],
    ['?only=name,tasks', ['id', 'name', 'tasks']],
    ['?only=tasks&hydrate=', ['id', 'tasks']],
    ['?only=tasks&hydrate=translations', ['id', 'tasks', 'translations']],
    ['?only=name&hydrate=translations,can_create', ['id', 'name', 'translations', 'can_create']],
    ['?only=&hydrate=tasks', [...scalars, 'tasks']],
    ['?hydrate=translations', [...scalars, 'translations']],
    ['?hydrate=tasks,enabled_languages', [...scalars, 'tasks', 'enabled_languages']],
    ['?hydrate=tasks,translations,enabled_languages,can_create', [...scalars, ...relations]],
    ['?only=enabled_languages,can_create,translations', ['id', 'enabled_languages', 'can_create', 'translations']],
    ['?only=flavour', ['id']],
    ['?only=,', ['id']],
    ['?only=flavour,color,constructor', ['id', 'color']],
    ['?only=NAME', ['id']],
    ['?only=color,%20updated%20', ['id', 'color', 'updated']],
    ['?only=id', ['id']],
    ['?only=allowed_privileges', ['id', 'allowed_privileges']],
    ['?hydrate=flavour', scalars],
    ['?hydrate=name', scalars],
    ['?only=color&hydrate=name', ['id', 'color']],
    ['?hydrate=%20tasks', [...scalars, 'tasks']],
    ['?flavour=vanilla', [...scalars, ...relations]],
  ])('%s brings just what it names', async (query, members) => {
    const whole = await create(fullSurvey);
    const expected = Object.fromEntries(members.map((member) => [member, whole[member]]));
    expect(await read(whole.id, query)).toEqual(expected);
    const { json } = await send('GET', `${surveys}${query}`);
    expect(json.results.find(({ id }: any) => id === whole.id)).toEqual(expected);
  });

  test.each([...scalars, ...relations])('%s can be had alone', async (member) => {
    const whole = await create(fullSurvey);
    expect(await read(whole.id, `?only=${member}`)).toEqual({ id: whole.id, [member]: whole[member] });
  });

  test('a survey that does not exist is not found', async () => {
    const response = await send('GET', one(1_000_000));
    expect([response.status, problems(response)]).toEqual([404, ['not_found']]);
    expect(response.json.errors[0].message).toContain('1000000');
  });

  test.each(['0', '-1', '-0', 'x', '1e1', '0x1', '1.0', '%201', '+1', '9007199254740992'])(
    '%s is not an identifier',
    async (id) => {
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        const response = await send(method, `${surveys}/${id}`, body);
        expect([method, response.status, problems(response)]).toEqual([method, 400, ['invalid_parameter id']]);
      }
    },
  );

  test.each(['only', 'hydrate'])('%s may not be endless', async (parameter) => {
    const { id } = await create();
    const ask = (length: number) => send('GET', `${one(id)}?${parameter}=${'x'.repeat(length)}`);
    expect((await ask(1000)).status).toBe(200);
    const response = await ask(1001);
    expect([response.status, problems(response)]).toEqual([400, [`invalid_parameter ${parameter}`]]);
  });

  test('what is read is never older than the last change, however often it was read', async () => {
    const {
      id,
      tasks: [task],
    } = await create({ tasks: [{ label: 'A' }] });
    const seen = async (as: Role) => {
      const reads = [];
      for (const url of [
        one(id),
        one(id),
        `${one(id)}?only=tasks,name`,
        `${surveys}?limit=5`,
        `${surveys}?limit=5`,
        surveys,
      ]) {
        const { status, json } = await send('GET', url, undefined, { as });
        const found = status === 404 ? undefined : json.results[0];
        reads.push(found && `${found.name}: ${labels(found.tasks)}`);
      }
      expect(new Set(reads).size, `${as} sees the same everywhere: ${reads}`).toBe(1);
      return reads[0];
    };
    const both = async () => [await seen('admin'), await seen('user'), await seen('manager')];
    expect(await both()).toEqual(Array(3).fill('Untitled survey: A'));
    await send('PUT', one(id), { name: 'Renamed' });
    expect(await both()).toEqual(Array(3).fill('Renamed: A'));
    await send('PUT', one(id), { tasks: [{ id: task.id, label: 'B', task_is_internal_only: true }] });
    expect(await both()).toEqual(['Renamed: B', 'Renamed: ', 'Renamed: B']);
    await send('PUT', one(id), { name: 'Never', tasks: [{ id: 1_000_000, label: 'X' }] });
    expect(await both()).toEqual(['Renamed: B', 'Renamed: ', 'Renamed: B']);
    await send('PUT', one(id), { disabled: true });
    expect(await both()).toEqual(['Renamed: B', undefined, 'Renamed: B']);
    await send('DELETE', one(id));
    expect(await both()).toEqual([undefined, undefined, undefined]);
  });

  test('what was read before has no part in what is read next', async () => {
    const whole = await create(fullSurvey);
    const {
      json: {
        results: [other],
      },
    } = await send('POST', surveys, report);
    const queries = ['', '?only=name', '?hydrate=', '?only=tasks', '', '?only=name', '?hydrate=translations'];
    const responses = await Promise.all(queries.map((query) => read(whole.id, query)));
    expect(responses.map((response) => Object.keys(response).length)).toEqual([20, 2, 16, 2, 20, 2, 17]);
    expect([await read(whole.id), await read(other.id), await read(whole.id)]).toEqual([whole, other, whole]);
  });

  test('HEAD responds as GET does, without the body', async () => {
    const { id } = await create(report);
    for (const url of [one(id), surveys, one(1_000_000), `${one(id)}?only=name`]) {
      const [get, head] = [await send('GET', url), await send('HEAD', url)];
      const about = ({ status, headers }: TestResponse) => [status, headers['content-type'], headers['content-length']];
      expect(head.text).toBe('');
      expect(about(head)).toEqual(about(get));
    }
  });

  test('a slash at the end makes no difference', async () => {
    const created = await send('POST', `${surveys}/`, report);
    expect(created.status).toBe(201);
    const { id } = created.json.results[0];
    expect((await send('GET', `${one(id)}/`)).json).toEqual((await send('GET', one(id))).json);
    expect((await send('GET', `${surveys}/?only=name`)).json).toEqual((await send('GET', `${surveys}?only=name`)).json);
    expect((await send('PUT', `${one(id)}/`, { name: 'Slashed' })).json.results[0].name).toBe('Slashed');
    expect((await send('DELETE', `${one(id)}/`)).json).toEqual({ result: { deleted: id } });
  });
});

describe('listing', () => {
  const ids = ({ json }: TestResponse) => json.results.map(({ id }: { id: number }) => id);

  /** A service with surveys that differ in every member, with ties and nulls. */
  let assorted: Awaited<ReturnType<typeof service>>;
  afterAll(() => assorted.close());
  beforeAll(async () => {
    assorted = await service();
    const base = { base_language: 'en-US', type: 'report' };
    for (const [at, body] of [
      { ...base, name: 'Wells', description: 'b', color: '#00FF00', disabled: true, hide_time: true },
      {
        ...base,
        name: 'Floods',
        description: null,
        color: null,
        require_approval: false,
        hide_author: true,
        base_language: 'ar',
      },
      {
        ...base,
        name: 'floods',
        description: 'a',
        color: '#0000FF',
        everyone_can_create: false,
        hide_location: true,
        type: 'bulletin',
      },
      {
        ...base,
        name: 'Wells',
        description: null,
        color: '#00FF00',
        require_approval: false,
        targeted_survey: true,
        base_language: 'es',
      },
      { ...base, name: 'Ärzte', description: 'a', color: null, everyone_can_create: false, type: 'alert' },
    ].entries()) {
      await assorted.send('POST', surveys, body);
      // Times that tie and times that do not, in another order than the identifiers.
      const created = `2025-03-0${[3, 1, 3, 2, 1][at]}T00:00:00.000+00:00`;
      const updated = [
        null,
        '2025-04-02T00:00:00.000+00:00',
        null,
        '2025-04-01T00:00:00.000+00:00',
        '2025-04-02T00:00:00.000+00:00',
      ][at]!;
      await changeStored(assorted.db, at + 1, { created, updated });
    }
  }, 60_000);

  test('without surveys the list is empty', async () => {
    expect((await send('GET', surveys)).text).toBe('{"results":[]}');
  });

  test('limit and offset cut a piece out of the list', async () => {
    const { send } = assorted;
    const listed = async (query: string) => ids(await send('GET', `${surveys}?only=id${query}`));
    expect(await listed('')).toEqual([1, 2, 3, 4, 5]);
    expect(await listed('&limit=0')).toEqual([1, 2, 3, 4, 5]);
    expect(await listed('&limit=1')).toEqual([1]);
    expect(await listed('&limit=2&offset=1')).toEqual([2, 3]);
    expect(await listed('&limit=1000')).toEqual([1, 2, 3, 4, 5]);
    expect(await listed('&offset=3')).toEqual([4, 5]);
    expect(await listed('&limit=0&offset=4')).toEqual([5]);
    expect(await listed('&offset=5')).toEqual([]);
    expect(await listed('&offset=2147483647')).toEqual([]);
    expect(await listed('&limit=2&offset=1&order=desc')).toEqual([4, 3]);
    expect(await listed('&flavour=1&limit=0002')).toEqual([1, 2]);
  });

  test.each(scalars.filter((member) => member !== 'allowed_privileges'))(
    'the list can be sorted by %s, with nulls as the least and ties by id',
    async (member) => {
      const { send } = assorted;
      const all = (await send('GET', surveys)).json.results;
      const compare = (one: any, other: any) =>
        one === other ? 0 : one === null ? -1 : other === null ? 1 : one < other ? -1 : 1;
      for (const [order, sign] of [
        ['', 1],
        ['&order=asc', 1],
        ['&order=ASC', 1],
        ['&order=desc', -1],
        ['&order=DESC', -1],
        ['&order=Desc', -1],
      ] as const) {
        const sorted = all.toSorted(
          (one: any, other: any) => sign * compare(one[member], other[member]) || one.id - other.id,
        );
        expect((await send('GET', `${surveys}?orderby=${member}${order}`)).json.results, order).toEqual(sorted);
      }
      expect(new Set(all.map((survey: any) => survey[member])).size, 'the data can tell the order').toBeGreaterThan(1);
    },
  );

  test('a list is sorted by a member that is not returned', async () => {
    const { send } = assorted;
    expect((await send('GET', `${surveys}?only=id&orderby=name&order=desc`)).json.results).toEqual(
      [5, 3, 1, 4, 2].map((id) => ({ id })),
    );
  });

  test.each([
    ...['-1', '-0', '1001', 'x', '', '1e3', '0x10', '%207', '+7', '1.0', '99999999999999999999'].map((value) => [
      'limit',
      value,
    ]),
    ...['-1', '-0', '2147483648', 'x', '', '1e3', '0x10', '7%20', 'null'].map((value) => ['offset', value]),
    ...[
      '',
      'tasks',
      'translations',
      'enabled_languages',
      'can_create',
      'allowed_privileges',
      'Name',
      'listed_languages',
      'id desc',
    ].map((value) => ['orderby', value]),
    ...['', 'up', 'ascending', 'as', '1'].map((value) => ['order', value]),
  ])('%s=%s is refused', async (parameter, value) => {
    const response = await send('GET', `${surveys}?${parameter}=${value}`);
    expect([response.status, problems(response)]).toEqual([400, [`invalid_parameter ${parameter}`]]);
  });

  test.each(['only', 'hydrate', 'limit', 'offset', 'orderby', 'order'])(
    '%s may be given only once',
    async (parameter) => {
      const value = { limit: 1, offset: 1, orderby: 'id', order: 'asc' }[parameter] ?? 'name';
      const response = await send('GET', `${surveys}?${parameter}=${value}&${parameter}=${value}`);
      expect([response.status, problems(response)]).toEqual([400, [`repeated_parameter ${parameter}`]]);
    },
  );

  test('all bad parameters are told at once', async () => {
    const response = await send('GET', `${surveys}?limit=x&offset=-1&only=a&only=b&order=up`);
    expect([response.status, problems(response).toSorted()]).toEqual([
      400,
      ['invalid_parameter limit', 'invalid_parameter offset', 'invalid_parameter order', 'repeated_parameter only'],
    ]);
  });

  /** `pageSize` in the store is 20: below it a list is sent in one piece, above it is streamed. */
  test.each([20, 21, 40])('a list of %i surveys is complete and in order, in one piece or in pages', async (count) => {
    for (let at = 0; at < count; at += 1)
      await create({ name: `Survey ${(at * 7) % 10}`, disabled: at % 3 === 0, tasks: [{ label: `T${at}` }] });
    // In production replies are not checked, and so really streamed.
    const production = await testService({ NODE_ENV: 'production' });
    await production.db.query
      .insertInto('surveys')
      .values(await db.query.selectFrom('surveys').selectAll().execute())
      .execute();
    for (const as of ['admin', 'user'] as const) {
      for (const order of ['', '&orderby=name', '&orderby=name&order=desc']) {
        const pages = [];
        for (let offset = 0; offset < count; offset += 7) {
          pages.push(
            ...(await send('GET', `${surveys}?limit=7&offset=${offset}${order}`, undefined, { as })).json.results,
          );
        }
        const expected = JSON.stringify({ results: pages });
        expect(pages).toHaveLength(as === 'admin' ? count : count - Math.ceil(count / 3));
        for (const ask of [send, production.send]) {
          expect((await ask('GET', `${surveys}?limit=0${order}`, undefined, { as })).text).toBe(expected);
          expect((await ask('GET', `${surveys}?flavour=1${order}`, undefined, { as })).text).toBe(expected);
        }
      }
    }
    for (const limit of [19, 20, 21, 22, 39]) {
      const responses = [];
      for (let time = 0; time < 3; time += 1)
        responses.push((await production.send('GET', `${surveys}?only=id&limit=${limit}`)).json.results.length);
      expect(responses, `limit ${limit}, again and again`).toEqual(Array(3).fill(Math.min(limit, count)));
    }
    const streamed = await production.send('GET', surveys);
    expect(streamed.headers['content-length'] === undefined).toBe(count > 20);
    expect(streamed.headers['content-type']).toBe('application/json; charset=utf-8');
    const head = await production.send('HEAD', surveys);
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ]);
  });

  test('surveys that vanish while a list is being sent are left out', async () => {
    const { db, send } = await testService();
    for (let at = 0; at < 45; at += 1) await send('POST', surveys, {});
    const listing = { limit: 0, offset: 0, orderby: 'id', descending: false } as const;
    const sending = async () =>
      results((await list(db, listing, ['id'], new Caller({ id: 1, role: 'admin' }))).surveys)
        .text as AsyncIterable<string>;
    const remove = (...ids: number[]) => db.query.deleteFrom('surveys').where('id', 'in', ids).execute();
    const [early, late] = [await sending(), await sending()];
    await remove(...Array.from({ length: 20 }, (_, at) => at + 1), 45);
    let text = '';
    for await (const piece of early) {
      if (text === '') await remove(41, 42);
      text += piece;
    }
    const left = [...Array.from({ length: 20 }, (_, at) => at + 21), 43, 44];
    expect(JSON.parse(text)).toEqual({ results: left.map((id) => ({ id })) });
    await remove(...left);
    expect((await Array.fromAsync(late)).join('')).toBe('{"results":[]}');
  });

  test('without a limit there is no limit, whatever the order', async () => {
    const { db, send } = await testService({ NODE_ENV: 'production' });
    await send('POST', surveys, {});
    const row = await db.query.selectFrom('surveys').selectAll().executeTakeFirstOrThrow();
    const rows = Array.from({ length: 1999 }, (_, at) =>
      withDigests({ ...row, id: at + 2, disabled: at % 4 === 3 ? 1 : 0 }),
    );
    for (const half of [rows.slice(0, 1000), rows.slice(1000)])
      await db.query.insertInto('surveys').values(half).execute();
    const listed = async (query: string, as: Role = 'admin') =>
      (await send('GET', `${surveys}?only=id${query}`, undefined, { as })).json.results.map(({ id }: any) => id);
    const all = Array.from({ length: 2000 }, (_, at) => at + 1);
    for (const query of ['', '&limit=0', '&offset=0', '&orderby=name', '&orderby=name&order=desc'])
      expect(await listed(query)).toEqual(all);
    expect(await listed('&order=desc')).toEqual(all.toReversed());
    expect(await listed('&offset=3')).toEqual(all.slice(3));
    expect(await listed('&offset=3&order=desc')).toEqual(all.toReversed().slice(3));
    expect(await listed('&offset=1500&orderby=name')).toEqual(all.slice(1500));
    expect(await listed('&limit=1000')).toEqual(all.slice(0, 1000));
    expect(await listed('&limit=1000&offset=999&order=desc')).toEqual(all.toReversed().slice(999, 1999));
    const open = all.filter((id) => id % 4 !== 1 || id === 1);
    expect(await listed('', 'user')).toEqual(open);
    expect(await listed('&offset=7&order=desc', 'user')).toEqual(open.toReversed().slice(7));
  });
});

describe('updating a survey', () => {
  test('a member that is left out keeps its value', async () => {
    const before = await create(fullSurvey);
    expect(await update(before.id, {})).toEqual(before);
    expect(await update(before.id, { name: 'Renamed' })).toEqual({ ...before, name: 'Renamed', updated: time });
  });

  test.each(Object.entries(without(fullSurvey, 'tasks', 'translations', 'enabled_languages', 'base_language')))(
    '%s alone changes nothing else',
    async (member, value) => {
      const before = await create(report);
      const other = value === (before as any)[member] ? emptySurvey[member as keyof typeof emptySurvey] : value;
      const after = await update(before.id, { [member]: other });
      expect(after).toEqual({ ...before, [member]: other, updated: time });
    },
  );

  test.each([
    'require_approval',
    'everyone_can_create',
    'disabled',
    'hide_author',
    'hide_time',
    'hide_location',
    'targeted_survey',
  ])('%s can be set and unset', async (member) => {
    const { id } = await create();
    for (const value of [true, false, true])
      expect(await update(id, { [member]: value })).toMatchObject({ [member]: value });
  });

  test('null clears the description and the color', async () => {
    const before = await create(fullSurvey);
    expect(await update(before.id, { description: null, color: null })).toEqual({
      ...before,
      description: null,
      color: null,
      updated: time,
    });
  });

  test.each([
    ...Object.keys(without(fullSurvey, 'description', 'color')),
    'status',
    'message',
    ...Object.keys(without(fullTask, 'description')).map((member) => `tasks/0/${member}`),
    ...Object.keys(without(fullField, 'description', 'instructions', 'default')).map(
      (member) => `tasks/0/fields/0/${member}`,
    ),
  ])('null is no value for %s', async (place) => {
    const { id } = await create();
    const body: any = structuredClone({ tasks: [{ label: 'Task', fields: [text()] }] });
    const steps = place.split('/');
    const last = steps.pop()!;
    steps.reduce((value, step) => value[step], body)[last] = null;
    await expectRefused(() => send('PUT', one(id), body), [`invalid_type /${place}`]);
  });

  test('can_create and translations replace what was there', async () => {
    const { id } = await create(fullSurvey);
    const after = await update(id, { can_create: ['admin'], translations: { fr: { name: 'Inondation' } } });
    expect(after).toMatchObject({ can_create: ['admin'], translations: { fr: { name: 'Inondation' } } });
    expect(Object.keys(after.translations)).toEqual(['fr']);
    expect(await update(id, { can_create: [], translations: {} })).toMatchObject({ can_create: [], translations: {} });
  });

  test('status and message are accepted and ignored', async () => {
    const before = await create(report);
    expect(await update(before.id, { status: 200, message: 'Survey saved' })).toEqual(before);
  });

  test('members that the service owns and unknown ones are accepted and ignored', async () => {
    const before = await create(report);
    const { id } = before;
    expect(
      await update(id, {
        id: id + 1,
        created: 'x',
        updated: 'x',
        allowed_privileges: [],
        $$hashKey: 'object:1',
        flavour: 1,
      }),
    ).toEqual(before);
  });

  test.each<[what: string, body: object]>([
    ['a flood report', report],
    ['a survey with every member', fullSurvey],
    ['an empty survey', {}],
    [
      'translations without languages',
      {
        translations: { es: { name: 'Pozos' } },
        tasks: [
          { label: 'A', translations: { fr: { label: 'A' } }, fields: [text('a', { translations: { ar: {} } })] },
        ],
      },
    ],
    [
      'languages beside translations',
      { enabled_languages: { available: ['fr', 'es', 'fr'] }, translations: { ar: {}, es: {} } },
    ],
    [
      'languages with unusual names',
      { translations: { 1: { name: 'x' }, name: { name: 'y' }, description: {}, 'zh_Hant-': {} } },
    ],
    [
      'priorities that tie',
      {
        tasks: [
          { label: 'A', priority: 3 },
          { label: 'B', priority: 3 },
          { label: 'C', priority: 2147483647 },
        ],
      },
    ],
  ])('sending back %s as it was read changes nothing, not even `updated`', async (_, body) => {
    const { id } = await create(body);
    const before = await send('GET', one(id));
    const response = await send('PUT', one(id), before.json.results[0]);
    expect(response.status, response.text).toBe(200);
    expect(response.text).toBe(before.text);
    expect((await send('GET', one(id))).text).toBe(before.text);
  });

  test('`updated` tells when something changed last, `created` stays', async () => {
    const { id, created } = await create(report);
    await changeStored(db, id, { created: '2025-01-01T00:00:00.000Z' });
    const first = await update(id, { name: 'Once' });
    expect(first.created).toBe('2025-01-01T00:00:00.000Z');
    expect(first.updated >= created).toBe(true);
    await changeStored(db, id, { updated: '2025-01-02T00:00:00.000Z' });
    expect((await update(id, { name: 'Once' })).updated).toBe('2025-01-02T00:00:00.000Z');
    expect((await update(id, { tasks: [] })).updated > first.created).toBe(true);
    expect((await read(id)).updated >= created).toBe(true);
  });

  test('updates at the same time come one after the other', async () => {
    const { id } = await create(report);
    const names = ['One', 'Two', 'Three', 'Four'];
    const responses = await Promise.all(
      names.map((name) => send('PUT', one(id), { name, tasks: [{ label: name, fields: [text(name)] }] })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const last = await read(id);
    expect(labels(last.tasks)).toEqual([last.name]);
    expect(await db.query.selectFrom('fields').select('id').where('survey_id', '=', id).execute()).toEqual(
      last.tasks[0].fields.map(identified),
    );
  });

  test('a survey that does not exist cannot be updated', async () => {
    const before = await everything();
    const response = await send('PUT', one(1_000_000), { name: 'Nowhere' });
    expect([response.status, problems(response)]).toEqual([404, ['not_found']]);
    expect(await everything()).toEqual(before);
  });

  test('a body that is wrong is told before a survey that is missing', async () => {
    expect(problems(await send('PUT', one(1_000_000), { name: 'x' }))).toEqual(['too_short /name']);
  });

  test('a fault in the middle leaves everything as it was', async () => {
    const broken = await testService();
    const {
      json: {
        results: [survey],
      },
    } = await broken.send('POST', surveys, report);
    const before = await broken.send('GET', one(survey.id));
    await broken.db.query.schema.alterTable('fields').renameTo('hidden').execute();
    const change = {
      name: 'Half done',
      tasks: [{ label: 'New' }, { id: survey.tasks[1].id, label: 'Renamed', fields: [text()] }],
    };
    expect((await broken.send('PUT', one(survey.id), change)).status).toBe(500);
    await broken.db.query.schema.alterTable('hidden').renameTo('fields').execute();
    expect((await broken.send('GET', one(survey.id))).text).toBe(before.text);
    expect(await broken.db.query.selectFrom('tasks').select('id').execute()).toEqual(survey.tasks.map(identified));
  });
});

describe('updating tasks and fields', () => {
  /** Two tasks, with the fields a1, a2, a3 and b1. */
  const twoTasks = () =>
    create({
      tasks: [
        { label: 'A', fields: [text('a1'), text('a2'), text('a3')] },
        { label: 'B', fields: [text('b1')] },
      ],
    });
  const fieldIds = (survey: any) => survey.tasks.map((task: any) => task.fields.map(({ id }: any) => id));

  test('a task with its identifier is changed, and what is left out keeps its value', async () => {
    const {
      id,
      tasks: [before],
    } = await create({ tasks: [fullTask] });
    const {
      tasks: [after],
    } = await update(id, { tasks: [{ id: before.id, label: 'Renamed', priority: 4 }] });
    expect(after).toEqual({ ...before, label: 'Renamed' });
  });

  test('a field with its identifier is changed, and what is left out keeps its value', async () => {
    const {
      id,
      tasks: [before],
    } = await create({ tasks: [fullTask] });
    const field = { id: before.fields[0].id, label: 'Renamed', type: 'int', input: 'text', priority: 7 };
    const {
      tasks: [after],
    } = await update(id, { tasks: [{ id: before.id, label: 'Situation', priority: 4, fields: [field] }] });
    expect(after).toEqual({
      ...before,
      fields: [{ ...before.fields[0], label: 'Renamed', type: 'int', input: 'text' }],
    });
  });

  test.each(Object.entries(emptyTask).filter(([member]) => !['id', 'form_id', 'fields'].includes(member)))(
    '%s of a task changes alone',
    async (member, value) => {
      const {
        id,
        tasks: [before],
      } = await create({ tasks: [fullTask] });
      const {
        tasks: [after],
      } = await update(id, { tasks: [{ id: before.id, label: before.label, priority: 4, [member]: value }] });
      expect(after).toEqual({ ...before, [member]: value });
    },
  );

  test.each(Object.entries(emptyField).filter(([member]) => !['id', 'key'].includes(member)))(
    '%s of a field changes alone',
    async (member, value) => {
      const {
        id,
        tasks: [before],
      } = await create({ tasks: [fullTask] });
      const field = {
        id: before.fields[0].id,
        label: 'Water level',
        type: 'decimal',
        input: 'number',
        priority: 7,
        [member]: value,
      };
      const {
        tasks: [
          {
            fields: [after],
          },
        ],
      } = await update(id, { tasks: [{ id: before.id, label: before.label, fields: [field] }] });
      expect(after).toEqual({ ...before.fields[0], [member]: value });
    },
  );

  test('a field keeps its key, whatever is sent', async () => {
    const {
      id,
      tasks: [task],
    } = await twoTasks();
    const fields = task.fields.map((field: any) => ({
      ...field,
      key: task.fields[0].key,
      form_stage_id: 'interim_id_1',
    }));
    const after = await update(id, { tasks: [{ ...task, form_id: 1_000_000, fields }] });
    expect(after.tasks[0]).toEqual(task);
  });

  test.each([[undefined], [null], ['interim_id_1']])('a task or field with the identifier %s is new', async (draft) => {
    const {
      id,
      tasks: [a, b],
    } = await twoTasks();
    const after = await update(id, {
      tasks: [
        { id: a.id, label: 'A' },
        { id: b.id, label: 'B', fields: [...b.fields, text('Question', { id: draft })] },
        { id: draft, label: 'Task', fields: [text('Question', { id: draft })] },
      ],
    });
    expect(after.tasks[1].fields[1]).toEqual({ ...emptyField, priority: 1 });
    expect(after.tasks[2]).toEqual({ ...emptyTask, form_id: id, priority: 2, fields: [emptyField] });
    const all = fieldIds(after).flat();
    expect(new Set(all).size).toBe(6);
    expect(new Set(labels(after.tasks)).size).toBe(3);
    expect([a.id, b.id]).not.toContain(after.tasks[2].id);
  });

  test('the same interim identifier may be sent twice', async () => {
    const { id } = await twoTasks();
    const after = await update(id, {
      tasks: [
        { id: 'interim_id_1', label: 'A', fields: [text('a', { id: 'interim_id_1' })] },
        { id: 'interim_id_1', label: 'B' },
      ],
    });
    expect(labels(after.tasks)).toEqual(['A', 'B']);
  });

  test('a task without fields keeps those it had, an empty list deletes them', async () => {
    const {
      id,
      tasks: [a, b],
    } = await twoTasks();
    const kept = await update(id, {
      tasks: [
        { id: a.id, label: 'A' },
        { id: b.id, label: 'B', fields: [] },
      ],
    });
    expect(kept.tasks).toEqual([a, { ...b, fields: [] }]);
    expect(await db.query.selectFrom('fields').select('id').where('survey_id', '=', id).execute()).toEqual(
      a.fields.map(identified),
    );
  });

  test('a task or field that is not sent is deleted', async () => {
    const {
      id,
      tasks: [a, b],
    } = await twoTasks();
    const after = await update(id, { tasks: [{ id: a.id, label: 'A', fields: [a.fields[0], a.fields[2]] }] });
    expect(labels(after.tasks)).toEqual(['A']);
    expect(labels(after.tasks[0].fields)).toEqual(['a1', 'a3']);
    expect(await db.query.selectFrom('tasks').select('id').where('survey_id', '=', id).execute()).toEqual([
      identified(a),
    ]);
    expect(await db.query.selectFrom('fields').select('id').where('survey_id', '=', id).execute()).toEqual([
      identified(a.fields[0]),
      identified(a.fields[2]),
    ]);
    for (const [gone, pointer] of [
      [{ id: b.id, label: 'B' }, '/tasks/0/id'],
      [{ label: 'B', fields: [b.fields[0]] }, '/tasks/0/fields/0/id'],
    ] as const) {
      await expectRefused(() => send('PUT', one(id), { tasks: [gone] }), [`unknown_reference ${pointer}`]);
    }
    expect((await update(id, { tasks: [] })).tasks).toEqual([]);
  });

  test('an identifier is never given out again', async () => {
    const {
      id,
      tasks: [, b],
    } = await twoTasks();
    await update(id, { tasks: [] });
    const {
      tasks: [task],
    } = await update(id, { tasks: [{ label: 'New', fields: [text()] }] });
    expect(task.id).toBeGreaterThan(b.id);
    expect(task.fields[0].id).toBeGreaterThan(b.fields[0].id);
  });

  test('a field that is sent in another task moves there and keeps its id, its key and all it had', async () => {
    const {
      id,
      tasks: [a, b],
    } = await create({ tasks: [fullTask, { label: 'B' }] });
    const [field] = a.fields;
    const after = await update(id, {
      tasks: [
        { id: a.id, label: 'Situation', fields: [] },
        { id: b.id, label: 'B', fields: [{ id: field.id, label: 'Water level', type: 'decimal', input: 'number' }] },
      ],
    });
    expect(fieldIds(after)).toEqual([[], [field.id]]);
    expect(after.tasks[1].fields[0]).toEqual({ ...field, priority: 0 });
  });

  test('a task that is sent without fields loses those that moved to another task', async () => {
    const {
      id,
      tasks: [a, b],
    } = await twoTasks();
    const after = await update(id, {
      tasks: [
        { id: a.id, label: 'A' },
        { id: b.id, label: 'B', fields: [a.fields[1], b.fields[0]] },
      ],
    });
    expect(after.tasks.map((task: any) => labels(task.fields))).toEqual([
      ['a1', 'a3'],
      ['b1', 'a2'],
    ]);
    expect(fieldIds(after).flat().toSorted()).toEqual(
      fieldIds({ tasks: [a, b] })
        .flat()
        .toSorted(),
    );
  });

  test('fields move into a new task, out of a deleted one, and between two tasks at once', async () => {
    const {
      id,
      tasks: [a, b],
    } = await twoTasks();
    const into = await update(id, {
      tasks: [{ label: 'New', fields: [a.fields[0], b.fields[0]].map((field) => without(field, 'priority')) }],
    });
    expect(into.tasks).toEqual([
      {
        ...emptyTask,
        id: expect.any(Number),
        form_id: id,
        label: 'New',
        fields: [
          { ...a.fields[0], priority: 0 },
          { ...b.fields[0], priority: 1 },
        ],
      },
    ]);

    const second = await twoTasks();
    const [c, d] = second.tasks;
    const swapped = await update(second.id, {
      tasks: [
        { ...c, fields: d.fields },
        { ...d, fields: c.fields },
      ],
    });
    expect(swapped.tasks).toEqual([
      { ...c, fields: d.fields },
      { ...d, fields: c.fields },
    ]);
  });

  test.each([
    ['task', (id: number) => [{ id, label: 'A' }], '/tasks/0/id'],
    ['field', (id: number) => [{ label: 'A', fields: [text('a', { id })] }], '/tasks/0/fields/0/id'],
  ])('a %s that does not exist is an unknown reference', async (_, tasks, pointer) => {
    const { id } = await twoTasks();
    for (const unknown of [1_000_000, Number.MAX_SAFE_INTEGER]) {
      await expectRefused(
        () => send('PUT', one(id), { name: 'Never', tasks: tasks(unknown) }),
        [`unknown_reference ${pointer}`],
      );
    }
  });

  test('a task or field of another survey is a foreign reference, and the other survey is not touched', async () => {
    const [mine, other] = [await twoTasks(), await twoTasks()];
    const [task] = other.tasks;
    await expectRefused(
      () => send('PUT', one(mine.id), { tasks: [{ id: task.id, label: 'Stolen' }] }),
      ['foreign_reference /tasks/0/id'],
    );
    await expectRefused(
      () =>
        send('PUT', one(mine.id), {
          tasks: [{ id: mine.tasks[0].id, label: 'A', fields: [text('mine'), { ...task.fields[1], label: 'Stolen' }] }],
        }),
      ['foreign_reference /tasks/0/fields/1/id'],
    );
    expect(await read(other.id)).toEqual(other);
  });

  test('the identifier of a task names no field', async () => {
    const {
      id,
      tasks: [a],
    } = await create({ tasks: [{ label: 'A' }, ...Array.from({ length: 3 }, () => ({ label: 'B' }))] });
    const free = (
      await db.query
        .selectFrom('fields')
        .select(({ fn }) => fn.max('id').as('id'))
        .executeTakeFirstOrThrow()
    ).id;
    const beyond = Math.max(a.id, free + 1);
    await expectRefused(
      () => send('PUT', one(id), { tasks: [{ label: 'A', fields: [text('a', { id: beyond })] }] }),
      ['unknown_reference /tasks/0/fields/0/id'],
    );
  });

  test('a task or field that is sent twice is a duplicate reference, wherever it stands', async () => {
    const {
      id,
      tasks: [a, b],
    } = await twoTasks();
    const again = (...fields: unknown[]) => ({
      tasks: [
        { id: a.id, label: 'A', fields: [a.fields[0]] },
        { id: b.id, label: 'B', fields },
      ],
    });
    await expectRefused(
      () =>
        send('PUT', one(id), {
          tasks: [
            { id: a.id, label: 'A' },
            { id: a.id, label: 'A' },
          ],
        }),
      ['duplicate_reference /tasks/1/id'],
    );
    await expectRefused(
      () => send('PUT', one(id), again(b.fields[0], b.fields[0])),
      ['duplicate_reference /tasks/1/fields/1/id'],
    );
    await expectRefused(
      () => send('PUT', one(id), again(a.fields[0], a.fields[0])),
      ['duplicate_reference /tasks/1/fields/0/id', 'duplicate_reference /tasks/1/fields/1/id'],
    );
  });

  test('a task and a field may have the same identifier', async () => {
    const { send } = await testService();
    const {
      json: {
        results: [survey],
      },
    } = await send('POST', surveys, { tasks: [{ label: 'A', fields: [text('a'), text('b')] }, { label: 'B' }] });
    expect(survey.tasks[1].id).toBe(survey.tasks[0].fields[1].id);
    expect((await send('PUT', one(survey.id), survey)).json.results[0]).toEqual(survey);
    const swapped = [survey.tasks[1], { ...survey.tasks[0], fields: survey.tasks[0].fields.slice(1) }].map((task) => ({
      ...task,
      priority: 0,
    }));
    expect((await send('PUT', one(survey.id), { tasks: swapped })).json.results[0].tasks).toEqual(swapped);
  });

  test('every wrong reference of a body is told', async () => {
    const [
      {
        id,
        tasks: [a],
      },
      other,
    ] = [await twoTasks(), await twoTasks()];
    const response = () =>
      send('PUT', one(id), {
        tasks: [
          {
            id: a.id,
            label: 'A',
            fields: [text('x', { id: 1_000_000 }), text('t', { type: 'title' }), text('t', { type: 'title' })],
          },
          { id: other.tasks[0].id, label: 'B', fields: [text('y', { id: other.tasks[0].fields[0].id })] },
          { id: a.id, label: 'C' },
        ],
      });
    const found = await response();
    expect([found.status, problems(found).toSorted()]).toEqual([
      422,
      [
        'duplicate_field_type /tasks/0/fields/2',
        'duplicate_reference /tasks/2/id',
        'foreign_reference /tasks/1/fields/0/id',
        'foreign_reference /tasks/1/id',
        'unknown_reference /tasks/0/fields/0/id',
      ],
    ]);
    expect(await read(other.id)).toEqual(other);
  });
});

describe('order', () => {
  const order = async (tasks: object[]) => (await create({ tasks })).tasks;

  test('tasks and fields come back sorted by priority', async () => {
    const tasks = await order([
      {
        label: 'C',
        priority: 9,
        fields: [text('2', { priority: 2 }), text('0', { priority: 0 }), text('1', { priority: 1 })],
      },
      { label: 'A', priority: 0 },
      { label: 'B', priority: 8 },
    ]);
    expect(labels(tasks)).toEqual(['A', 'B', 'C']);
    expect(tasks.map(({ priority }: any) => priority)).toEqual([0, 8, 9]);
    expect(labels(tasks[2].fields)).toEqual(['0', '1', '2']);
    expect(tasks[2].fields.map(({ priority }: any) => priority)).toEqual([0, 1, 2]);
  });

  test('without priorities the sent order stays', async () => {
    const names = ['D', 'A', 'C', 'B'];
    const tasks = await order(names.map((label) => ({ label, fields: names.map((name) => text(name)) })));
    expect(labels(tasks)).toEqual(names);
    expect(labels(tasks[0].fields)).toEqual(names);
  });

  test('with the same priority the sent order stays', async () => {
    const names = ['D', 'A', 'C', 'B'];
    const tasks = await order(
      names.map((label) => ({ label, priority: 5, fields: names.map((name) => text(name, { priority: 2 })) })),
    );
    expect(labels(tasks)).toEqual(names);
    expect(labels(tasks[0].fields)).toEqual(names);
  });

  test('a task or field without priority stays behind the one it was sent behind', async () => {
    const parts = [
      ['late', 10],
      ['later', undefined],
      ['first', 0],
      ['second', undefined],
      ['third', undefined],
      ['end', 2147483647],
      ['last', undefined],
    ] as const;
    const expected = ['first', 'second', 'third', 'late', 'later', 'end', 'last'];
    const tasks = await order(
      parts.map(([label, priority]) => ({
        label,
        priority,
        fields: parts.map(([name, place]) => text(name, { priority: place })),
      })),
    );
    expect(labels(tasks)).toEqual(expected);
    expect(labels(tasks[0].fields)).toEqual(expected);
  });

  test('a new order is sent by sending another order without priorities, or other priorities', async () => {
    const { id, tasks } = await create({
      tasks: ['A', 'B', 'C'].map((label) => ({ label, fields: ['a', 'b', 'c'].map((name) => text(name)) })),
    });
    const reversed = tasks.toReversed().map((task: any) => ({
      ...without(task, 'priority'),
      fields: task.fields.toReversed().map((field: any) => without(field, 'priority')),
    }));
    const second = await update(id, { tasks: reversed });
    expect(labels(second.tasks)).toEqual(['C', 'B', 'A']);
    expect(labels(second.tasks[0].fields)).toEqual(['c', 'b', 'a']);
    expect(second.tasks.map(({ id }: any) => id)).toEqual(tasks.map(({ id }: any) => id).toReversed());
    const third = await update(id, {
      tasks: second.tasks.map((task: any, at: number) => ({ ...task, priority: [5, 1, 3][at] })),
    });
    expect(labels(third.tasks)).toEqual(['B', 'A', 'C']);
  });
});

describe('languages', () => {
  const languages = async (body: object) => (await create(body)).enabled_languages;

  test.each<[sent: object, base: string]>([
    [{}, 'en-US'],
    [{ base_language: 'fr-FR' }, 'fr-FR'],
    [{ enabled_languages: { default: 'ar' } }, 'ar'],
    [{ base_language: 'fr-FR', enabled_languages: { default: 'ar' } }, 'fr-FR'],
  ])('of %j the base language is %s', async (sent, base) => {
    const survey = await create(sent);
    expect([survey.base_language, survey.enabled_languages]).toEqual([base, { default: base, available: [] }]);
    const other = await create(fullSurvey);
    const changed = await update(other.id, sent);
    const kept = Object.keys(sent).length === 0 ? 'es-PE' : base;
    expect([changed.base_language, changed.enabled_languages]).toEqual([
      kept,
      { default: kept, available: ['qu', 'es'] },
    ]);
  });

  test('available are the languages that were sent and those of every translation, each once', async () => {
    expect(
      await languages({
        enabled_languages: { default: 'en-US', available: ['fr', 'es', 'fr'] },
        translations: { es: { name: 'Pozos' }, pt: {}, name: 'Wells' },
        tasks: [
          {
            label: 'A',
            translations: { ar: { label: 'أ' }, label: 'A' },
            fields: [text('a', { translations: { 'zh-Hant': { label: '甲' }, es: {} } })],
          },
        ],
      }),
    ).toEqual({ default: 'en-US', available: ['fr', 'es', 'pt', 'ar', 'zh-Hant'] });
  });

  test('a language leaves with its last translation, unless it was sent', async () => {
    const { id } = await create({
      enabled_languages: { available: ['fr'] },
      translations: { es: {}, fr: {} },
      tasks: [{ label: 'A', translations: { ar: {} } }],
    });
    expect((await read(id)).enabled_languages.available).toEqual(['fr', 'es', 'ar']);
    expect((await update(id, { tasks: [] })).enabled_languages.available).toEqual(['fr', 'es']);
    expect((await update(id, { translations: {} })).enabled_languages.available).toEqual(['fr']);
    expect((await update(id, { enabled_languages: { default: 'pt-BR' } })).enabled_languages).toEqual({
      default: 'pt-BR',
      available: ['fr'],
    });
    expect((await update(id, { enabled_languages: { available: [] } })).enabled_languages).toEqual({
      default: 'pt-BR',
      available: [],
    });
  });

  test('a language that was read and sent back is one that was sent', async () => {
    const { id, enabled_languages } = await create({ translations: { es: { name: 'Pozos' } } });
    await update(id, { enabled_languages });
    expect((await update(id, { translations: {} })).enabled_languages.available).toEqual(['es']);
  });
});

describe('translations', () => {
  test('languages keep the texts that belong there, and texts beside the languages are kept too', async () => {
    const extra = { $$hashKey: 'object:1', id: 3, flavour: { deep: true } };
    const survey = await create({
      translations: {
        name: 'Wells',
        description: 'All of them',
        label: 'no text of a survey',
        es: { name: 'Pozos', description: null, ...extra },
        ar: { ...extra },
      },
      tasks: [
        {
          label: 'A',
          translations: {
            label: 'A',
            description: 'first',
            name: 'no text of a task',
            es: { label: 'Á', description: '', ...extra },
          },
          fields: [
            text('a', {
              translations: {
                label: 'a',
                instructions: 'do',
                default: 'x',
                description: 'no translated text of a field',
                es: { label: 'á', instructions: 'haz', default: null, options: ['uno'], ...extra },
                ar: { options: { 0: 'واحد', 2: { nested: ['ثلاثة'] } } },
              },
            }),
          ],
        },
      ],
    });
    expect(survey.translations).toEqual({
      name: 'Wells',
      description: 'All of them',
      es: { name: 'Pozos', description: null },
      ar: {},
    });
    expect(survey.tasks[0].translations).toEqual({
      label: 'A',
      description: 'first',
      es: { label: 'Á', description: '' },
    });
    expect(survey.tasks[0].fields[0].translations).toEqual({
      label: 'a',
      instructions: 'do',
      default: 'x',
      es: { label: 'á', instructions: 'haz', default: null, options: ['uno'] },
      ar: { options: { 0: 'واحد', 2: { nested: ['ثلاثة'] } } },
    });
  });

  test.each([[[]], [['a', 1, null, { b: ['c'] }]], [{}], [{ 0: 'a', 7: 'b', x: null }], [null]])(
    'translated options are returned as they were sent: %j',
    async (options) => {
      const {
        tasks: [
          {
            fields: [field],
          },
        ],
      } = await create({ tasks: [{ label: 'A', fields: [text('a', { translations: { es: { options } } })] }] });
      expect(field.translations.es.options).toEqual(options);
    },
  );

  test('translations of a task or field replace those it had, and stay when they are left out', async () => {
    const {
      id,
      tasks: [task],
    } = await create({ tasks: [fullTask] });
    const [field] = task.fields;
    const send = (translations?: object) =>
      update(id, {
        tasks: [{ id: task.id, label: 'A', translations, fields: [text('a', { id: field.id, translations })] }],
      });
    const kept = (await send()).tasks[0];
    expect([kept.translations, kept.fields[0].translations]).toEqual([fullTask.translations, fullField.translations]);
    const replaced = (await send({ fr: { label: 'À' } })).tasks[0];
    expect([replaced.translations, replaced.fields[0].translations]).toEqual([
      { fr: { label: 'À' } },
      { fr: { label: 'À' } },
    ]);
    const emptied = (await send({})).tasks[0];
    expect([emptied.translations, emptied.fields[0].translations]).toEqual([{}, {}]);
  });

  test.each<[sent: unknown, problem: string]>([
    [{ es: [] }, 'no_match /translations/es'],
    [{ es: 1 }, 'no_match /translations/es'],
    [{ es: null }, 'no_match /translations/es'],
    [{ es: { name: 1 } }, 'invalid_type /translations/es/name'],
    [{ es: { name: 'x'.repeat(256) } }, 'too_long /translations/es/name'],
    [{ es: { description: 'x'.repeat(65536) } }, 'too_long /translations/es/description'],
    [{ name: 'x'.repeat(65536) }, 'too_long /translations/name'],
    [{ 'e s': {} }, 'invalid_name /translations'],
    [{ '': {} }, 'invalid_name /translations'],
    [{ ['x'.repeat(36)]: {} }, 'invalid_name /translations'],
    [Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`l${at}`, {}])), 'too_many_members /translations'],
    [[], 'invalid_type /translations'],
  ])('translations such as %j are refused', async (translations, problem) => {
    await expectRefused(() => send('POST', surveys, { translations }), [problem]);
  });

  test.each<[sent: object, problem: string]>([
    [{ label: 'x'.repeat(256) }, 'too_long'],
    [{ options: 'x' }, 'invalid_type'],
    [{ options: Array(1001).fill(0) }, 'too_many_items'],
    [{ options: Object.fromEntries(Array(1001).fill(0).entries()) }, 'too_many_members'],
    [{ default: 1 }, 'invalid_type'],
    [{ instructions: 'x'.repeat(65536) }, 'too_long'],
  ])('translations of a field such as %j are refused', async (es, code) => {
    const body = { tasks: [{ label: 'A', fields: [text('a', { translations: { es } })] }] };
    await expectRefused(
      () => send('POST', surveys, body),
      [`${code} /tasks/0/fields/0/translations/es/${Object.keys(es)[0]}`],
    );
  });
});

describe('bounds', () => {
  test.each([
    ['two', 'No'],
    ['255', 'x'.repeat(255)],
    ['255 beyond the basic plane', '🌊'.repeat(255)],
    ['emoji with joiners', '👩🏽‍🚒 🏳️‍🌈 1️⃣'],
    ['combining marks', 'Ze\u0301lia n\u0303 ก็ ẹ̀'],
    ['composed and decomposed', '\u00e9 e\u0301'],
    ['plus', 'Water + Sanitation ++'],
    ['right-to-left', 'تقرير عن \u200fالفيضان\u200e – דוח'],
    ['spaces at the ends', '  spaced  '],
    ['no-break space, line separator, BOM', 'a\u00a0b\u2028c\ufeffd'],
    ['private use and noncharacters', '\ue000\uffff\u{10ffff}'],
    ['quotes and markup', '"\'`\\</script>&amp;%00'],
    ['SQL', "'); DROP TABLE surveys; --"],
  ])('a name of %s is stored as it was sent', async (_, name) => {
    const { id } = await create({ name });
    expect((await read(id)).name).toBe(name);
  });

  const controls = [
    ...Array.from({ length: 32 }, (_, code) => code),
    ...Array.from({ length: 33 }, (_, at) => 0x7f + at),
  ];
  test('no control character may be in a name', async () => {
    for (const code of controls) {
      const response = await send('POST', surveys, { name: `ab${String.fromCharCode(code)}` });
      expect([code, response.status, problems(response)]).toEqual([
        code,
        422,
        [`${code === 0 ? 'invalid_character' : 'invalid_format'} /name`],
      ]);
    }
  });

  test('every other text may hold control characters but NUL', async () => {
    const value = controls
      .slice(1)
      .map((code) => String.fromCharCode(code))
      .join('');
    const survey = await create({
      description: value,
      tasks: [{ label: value, fields: [text(value, { config: { [value]: value }, options: [value] })] }],
    });
    expect(survey).toMatchObject({
      description: value,
      tasks: [{ label: value, fields: [{ label: value, config: { [value]: value }, options: [value] }] }],
    });
  });

  test.each([
    ['1d4ed8', '#1d4ed8'],
    ['#1D4ED8', '#1D4ED8'],
    ['AbCdEf', '#AbCdEf'],
    [null, null],
  ])('the color %s is returned as %s', async (sent, returned) => {
    const { id, color } = await create({ color: sent });
    expect([color, (await update(id, { color: sent })).color]).toEqual([returned, returned]);
    const other = await create({ color: '#000000' });
    expect((await update(other.id, { color: sent })).color).toBe(returned);
  });

  const allOf = (tasks: object[]) => ({ tasks });
  const fieldWith = (field: object) => allOf([{ label: 'A', fields: [text('a', field)] }]);
  const long = (length: number) => 'x'.repeat(length);
  test.each<[body: unknown, ...expected: string[]]>([
    [{ name: 'x' }, 'too_short /name'],
    [{ name: '' }, 'too_short /name'],
    [{ name: '🌊' }, 'too_short /name'],
    [{ name: long(256) }, 'too_long /name'],
    [{ name: 7 }, 'invalid_type /name'],
    [{ description: long(65536) }, 'too_long /description'],
    [{ description: 7 }, 'invalid_type /description'],
    [{ color: 'red' }, 'invalid_format /color'],
    [{ color: '#12345' }, 'invalid_format /color'],
    [{ color: '1234567' }, 'invalid_format /color'],
    [{ color: '##12345' }, 'invalid_format /color'],
    [{ color: '#GGGGGG' }, 'invalid_format /color'],
    [{ color: '' }, 'invalid_format /color'],
    [{ color: 7 }, 'invalid_type /color'],
    [{ base_language: '' }, 'invalid_format /base_language'],
    [{ base_language: 'e' }, 'invalid_format /base_language'],
    [{ base_language: 'en US' }, 'invalid_format /base_language'],
    [{ base_language: `en-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-dddddd` }, 'too_long /base_language'],
    [{ enabled_languages: { default: '-' } }, 'invalid_format /enabled_languages/default'],
    [{ enabled_languages: { available: ['es', ''] } }, 'invalid_format /enabled_languages/available/1'],
    [{ enabled_languages: { available: [7] } }, 'invalid_type /enabled_languages/available/0'],
    [{ enabled_languages: { available: 'es' } }, 'invalid_type /enabled_languages/available'],
    [{ enabled_languages: [] }, 'invalid_type /enabled_languages'],
    [{ type: long(51) }, 'too_long /type'],
    ...[
      'require_approval',
      'everyone_can_create',
      'disabled',
      'hide_author',
      'hide_time',
      'hide_location',
      'targeted_survey',
    ].flatMap((member): [object, string][] => [
      [{ [member]: 1 }, `invalid_type /${member}`],
      [{ [member]: 'true' }, `invalid_type /${member}`],
    ]),
    [{ can_create: 'admin' }, 'invalid_type /can_create'],
    [
      { can_create: ['', long(51), 7] },
      'too_short /can_create/0',
      'too_long /can_create/1',
      'invalid_type /can_create/2',
    ],
    [{ can_create: Array(101).fill('a') }, 'too_many_items /can_create'],
    [{ status: '200' }, 'invalid_type /status'],
    [{ message: 200 }, 'invalid_type /message'],
    [{ tasks: {} }, 'invalid_type /tasks'],
    [allOf(Array(201).fill({ label: 'A' })), 'too_many_items /tasks'],
    [{ tasks: ['A', null] }, 'invalid_type /tasks/0', 'invalid_type /tasks/1'],
    [allOf([{}]), 'required /tasks/0/label'],
    [allOf([{ label: '' }]), 'too_short /tasks/0/label'],
    [allOf([{ label: long(151) }]), 'too_long /tasks/0/label'],
    [allOf([{ label: 'A', description: 7 }]), 'invalid_type /tasks/0/description'],
    [allOf([{ label: 'A', type: 'Post' }]), 'not_allowed /tasks/0/type'],
    [allOf([{ label: 'A', priority: -1 }]), 'too_small /tasks/0/priority'],
    [allOf([{ label: 'A', priority: 1.5 }]), 'invalid_type /tasks/0/priority'],
    [allOf([{ label: 'A', priority: '1' }]), 'invalid_type /tasks/0/priority'],
    [allOf([{ label: 'A', priority: 2147483648 }]), 'too_large /tasks/0/priority'],
    ...['required', 'show_when_published', 'task_is_internal_only', 'is_public'].map((member): [object, string] => [
      allOf([{ label: 'A', [member]: 'yes' }]),
      `invalid_type /tasks/0/${member}`,
    ]),
    [allOf([{ label: 'A', id: 0 }]), 'too_small /tasks/0/id'],
    [allOf([{ label: 'A', id: -1 }]), 'too_small /tasks/0/id'],
    [allOf([{ label: 'A', id: 1.5 }]), 'no_match /tasks/0/id'],
    [allOf([{ label: 'A', id: '41' }]), 'invalid_format /tasks/0/id'],
    [allOf([{ label: 'A', id: 'interim_id_' }]), 'invalid_format /tasks/0/id'],
    [allOf([{ label: 'A', id: 'interim_id_x' }]), 'invalid_format /tasks/0/id'],
    [allOf([{ label: 'A', id: true }]), 'no_match /tasks/0/id'],
    [allOf([{ label: 'A', fields: {} }]), 'invalid_type /tasks/0/fields'],
    [allOf([{ label: 'A', fields: Array(501).fill(text()) }]), 'too_many_items /tasks/0/fields'],
    [
      allOf([{ label: 'A', fields: [{}] }]),
      'required /tasks/0/fields/0/label',
      'required /tasks/0/fields/0/type',
      'required /tasks/0/fields/0/input',
    ],
    [fieldWith({ label: '' }), 'too_short /tasks/0/fields/0/label'],
    [fieldWith({ label: long(151) }), 'too_long /tasks/0/fields/0/label'],
    [fieldWith({ type: 'number' }), 'not_allowed /tasks/0/fields/0/type'],
    [fieldWith({ input: 'varchar' }), 'not_allowed /tasks/0/fields/0/input'],
    [fieldWith({ cardinality: -1 }), 'too_small /tasks/0/fields/0/cardinality'],
    [fieldWith({ cardinality: null }), 'invalid_type /tasks/0/fields/0/cardinality'],
    [fieldWith({ cardinality: 2147483648 }), 'too_large /tasks/0/fields/0/cardinality'],
    [fieldWith({ priority: -1 }), 'too_small /tasks/0/fields/0/priority'],
    [fieldWith({ required: 1 }), 'invalid_type /tasks/0/fields/0/required'],
    [fieldWith({ response_private: 1 }), 'invalid_type /tasks/0/fields/0/response_private'],
    [fieldWith({ description: 1 }), 'invalid_type /tasks/0/fields/0/description'],
    [fieldWith({ instructions: long(65536) }), 'too_long /tasks/0/fields/0/instructions'],
    [fieldWith({ default: 0 }), 'invalid_type /tasks/0/fields/0/default'],
    [fieldWith({ config: [] }), 'invalid_type /tasks/0/fields/0/config'],
    [fieldWith({ options: {} }), 'invalid_type /tasks/0/fields/0/options'],
    [fieldWith({ options: Array(1001).fill(0) }), 'too_many_items /tasks/0/fields/0/options'],
    [fieldWith({ id: '7' }), 'invalid_format /tasks/0/fields/0/id'],
    [[], 'invalid_type '],
    ['"text"', 'invalid_type '],
    ['null', 'invalid_type '],
  ])('%j is refused, on creation and in an update', async (body, ...expected) => {
    const { id } = await create();
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    await expectRefused(() => sendText('POST', surveys, payload), expected);
    await expectRefused(() => sendText('PUT', one(id), payload), expected);
  });

  test.each<object>([
    { name: 'No', description: '', base_language: 'zh_Hant-TW', type: long(50), can_create: Array(100).fill(long(50)) },
    {
      description: long(65535),
      color: null,
      enabled_languages: { available: Array(200).fill('es') },
      status: -2147483648,
      message: long(65535),
    },
    allOf([
      { label: long(150), priority: 2147483647, id: 'interim_id_007' },
      { label: '🌊'.repeat(150), description: null, id: null },
    ]),
    allOf([
      {
        label: 'A',
        fields: [
          text(long(150), {
            cardinality: 0,
            priority: 2147483647,
            form_stage_id: null,
            default: '',
            instructions: null,
          }),
        ],
      },
    ]),
    allOf([{ label: 'A', fields: [text('a', { options: Array(1000).fill(null), form_stage_id: long(64) })] }]),
    allOf(Array(200).fill({ label: 'A' })),
    allOf([{ label: 'A', fields: Array(500).fill(text()) }]),
    { translations: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`l${at}`, { name: long(255) }])) },
    { translations: { ['x'.repeat(35)]: { description: long(65535) }, name: long(65535) } },
  ])('what is just within the bounds is accepted: #%#', async (body) => {
    await create(body);
  });

  const types = [
    'decimal',
    'int',
    'geometry',
    'text',
    'varchar',
    'markdown',
    'point',
    'datetime',
    'link',
    'relation',
    'media',
    'title',
    'description',
    'tags',
    'phone',
  ];
  const inputs = [
    'text',
    'textarea',
    'select',
    'radio',
    'checkbox',
    'checkboxes',
    'date',
    'datetime',
    'location',
    'number',
    'relation',
    'upload',
    'image',
    'audio',
    'document',
    'video',
    'markdown',
    'tags',
    'file',
  ];
  test('every type and every input of the interface is accepted', async () => {
    const fields = [...types.map((type) => text(type, { type })), ...inputs.map((input) => text(input, { input }))];
    const { tasks } = await create({
      tasks: [
        { label: 'A', type: 'post', fields },
        { label: 'B', type: 'task' },
      ],
    });
    expect(tasks.map(({ type }: any) => type)).toEqual(['post', 'task']);
    expect(tasks[0].fields.slice(0, types.length).map(({ type }: any) => type)).toEqual(types);
    expect(tasks[0].fields.slice(types.length).map(({ input }: any) => input)).toEqual(inputs);
  });

  test('all problems of a body are told at once', async () => {
    const { id } = await create();
    const body = {
      name: 'x',
      color: 'red',
      disabled: 1,
      can_create: [''],
      translations: { es: 1 },
      enabled_languages: { default: 1 },
      tasks: [
        { type: 'x', fields: [{ label: '', type: 'x', input: 'text', config: 1 }] },
        { label: 'B', priority: -1, translations: [] },
      ],
    };
    const expected = [
      'too_short /name',
      'invalid_format /color',
      'invalid_type /disabled',
      'too_short /can_create/0',
      'no_match /translations/es',
      'invalid_type /enabled_languages/default',
      'required /tasks/0/label',
      'not_allowed /tasks/0/type',
      'too_short /tasks/0/fields/0/label',
      'not_allowed /tasks/0/fields/0/type',
      'invalid_type /tasks/0/fields/0/config',
      'too_small /tasks/1/priority',
      'invalid_type /tasks/1/translations',
    ].toSorted();
    for (const response of [await send('POST', surveys, body), await send('PUT', one(id), body)]) {
      expect([response.status, problems(response).toSorted()]).toEqual([422, expected]);
      for (const error of response.json.errors)
        expect(error).toEqual({
          status: 422,
          code: expect.any(String),
          message: expect.stringMatching(/^\S.*\.$/),
          source: { pointer: expect.any(String) },
        });
    }
  });

  test.each<[what: string, payload: string]>([
    ['wrong values', JSON.stringify(allOf(Array(150).fill({})))],
    ['bad characters', JSON.stringify({ extra: Array(150).fill('\0') })],
    ['wrong values and bad characters', JSON.stringify({ extra: Array(80).fill('\0'), ...allOf(Array(80).fill({})) })],
    [
      'fields of type title',
      JSON.stringify(allOf([{ label: 'A', fields: Array(150).fill(text('a', { type: 'title' })) }])),
    ],
    [
      'private tags',
      JSON.stringify(
        allOf([{ label: 'A', fields: Array(150).fill(text('a', { type: 'tags', response_private: true })) }]),
      ),
    ],
  ])('of very many %s 100 are told', async (_, payload) => {
    const response = await sendText('POST', surveys, payload);
    expect([response.status, problems(response).length]).toEqual([422, 100]);
  });

  test('of very many unknown references 100 are told', async () => {
    const { id } = await create();
    const response = await send('PUT', one(id), {
      tasks: Array.from({ length: 150 }, (_, at) => ({ id: 1_000_000 + at, label: 'A' })),
    });
    expect([response.status, problems(response).length]).toEqual([422, 100]);
  });
});

describe('rules', () => {
  const sendBoth = async (tasks: object[], expected: string[]) => {
    const { id } = await create();
    await expectRefused(() => send('POST', surveys, { tasks }), expected);
    await expectRefused(() => send('PUT', one(id), { name: 'Never', tasks }), expected);
  };

  test.each(['title', 'description'])('a survey has at most one field of type %s', async (type) => {
    const field = text('a', { type });
    const { tasks } = await create({
      tasks: [{ label: 'A', fields: [field, text('b', { type: type === 'title' ? 'description' : 'title' })] }],
    });
    expect(tasks[0].fields).toHaveLength(2);
    await sendBoth([{ label: 'A', fields: [field, text(), field] }], ['duplicate_field_type /tasks/0/fields/2']);
    await sendBoth(
      [
        { label: 'A', fields: [field] },
        { label: 'B', fields: [field, field] },
      ],
      ['duplicate_field_type /tasks/1/fields/0', 'duplicate_field_type /tasks/1/fields/1'],
    );
  });

  test('a field that stays without being sent counts as well', async () => {
    const {
      id,
      tasks: [a, b],
    } = await create({
      tasks: [
        { label: 'A', fields: [text('a', { type: 'title' })] },
        { label: 'B', fields: [text('b')] },
      ],
    });
    await expectRefused(
      () =>
        send('PUT', one(id), {
          tasks: [
            { id: a.id, label: 'A' },
            { id: b.id, label: 'B', fields: [text('c', { type: 'title' })] },
          ],
        }),
      ['duplicate_field_type /tasks/1/fields/0'],
    );
    await expectRefused(
      () =>
        send('PUT', one(id), {
          tasks: [
            { label: 'C', fields: [text('c', { type: 'title' })] },
            { id: a.id, label: 'A' },
          ],
        }),
      ['duplicate_field_type /tasks/1'],
    );
    const swapped = await update(id, {
      tasks: [
        { id: a.id, label: 'A', fields: [text('a', { id: a.fields[0].id })] },
        { id: b.id, label: 'B', fields: [text('b', { id: b.fields[0].id, type: 'title' })] },
      ],
    });
    expect(swapped.tasks.map((task: any) => task.fields[0].type)).toEqual(['varchar', 'title']);
  });

  test('a field of type tags cannot be private', async () => {
    const tags = text('a', { type: 'tags', input: 'tags' });
    await sendBoth(
      [{ label: 'A', fields: [tags, { ...tags, response_private: true }] }],
      ['private_tags /tasks/0/fields/1/response_private'],
    );
    const {
      id,
      tasks: [task],
    } = await create({ tasks: [{ label: 'A', fields: [tags, text('b', { response_private: true })] }] });
    const [open, closed] = task.fields;
    const change = (...fields: object[]) => ({ tasks: [{ id: task.id, label: 'A', fields }] });
    await expectRefused(
      () => send('PUT', one(id), change({ ...tags, id: open.id, response_private: true })),
      ['private_tags /tasks/0/fields/0/response_private'],
    );
    await expectRefused(
      () => send('PUT', one(id), change({ ...tags, id: closed.id })),
      ['private_tags /tasks/0/fields/0/response_private'],
    );
    expect(
      (await update(id, change({ ...tags, id: closed.id, response_private: false }))).tasks[0].fields[0],
    ).toMatchObject({ id: closed.id, type: 'tags', response_private: false });
  });
});

describe('characters and free-form values', () => {
  /** Sent as escapes: raw, NUL is not JSON and half a surrogate pair is not UTF-8. */
  const fieldStart = '{"label":"a","type":"int","input":"text",';
  const bad = ['\\u0000', '\\ud800', '\\uDC00', '\\udc00\\ud800', 'ok\\uD83D'];

  test.each(bad)('%s is refused wherever it stands', async (character) => {
    const { id } = await create();
    for (const [payload, expected] of [
      [`{"description":"a${character}b"}`, ['invalid_character /description']],
      [`{"flavour":{"a/b":["${character}"]}}`, ['invalid_character /flavour/a~1b/0']],
      [`{"a~b":"${character}"}`, ['invalid_character /a~0b']],
      [`{"${character}":1}`, ['invalid_character ']],
      [`{"tasks":[{"label":"A","x${character}":{"y":"fine"}}]}`, ['invalid_character /tasks/0']],
      [
        `{"tasks":[{"label":"A","fields":[${fieldStart}"config":{"k":{"${character}":1}}}]}]}`,
        ['invalid_character /tasks/0/fields/0/config/k'],
      ],
      [`{"translations":{"es":{"description":"${character}"}}}`, ['invalid_character /translations/es/description']],
    ] as const) {
      await expectRefused(() => sendText('POST', surveys, payload), [...expected]);
      await expectRefused(() => sendText('PUT', one(id), payload), [...expected]);
    }
  });

  test('bad characters are told together with whatever else is wrong', async () => {
    const response = await sendText('POST', surveys, '{"description":"\\u0000","type":"\\ud800","color":"red"}');
    expect([response.status, problems(response).toSorted()]).toEqual([
      422,
      ['invalid_character /description', 'invalid_character /type', 'invalid_format /color'],
    ]);
  });

  test('text that only looks like an escape, and whole surrogate pairs, are fine', async () => {
    const response = await sendText(
      'POST',
      surveys,
      String.raw`{"name":"\\u0000 \\ud800 \ud83c\udf0a","description":"\ud83c\udf0a\\udc00"}`,
    );
    expect(response.json.results[0]).toMatchObject({ name: '\\u0000 \\ud800 🌊', description: '🌊\\udc00' });
  });

  test('bytes that are not UTF-8 are not JSON', async () => {
    const payload = Buffer.from('{"name":"a\xed\xa0\x80b"}', 'latin1');
    const response = await send('POST', surveys, payload, { headers: { 'content-type': 'application/json' } });
    expect([response.status, problems(response)]).toEqual([400, ['malformed_json']]);
  });

  test('members named like those that objects have anyway are members like any other', async () => {
    const config =
      '{"constructor":{"prototype":1},"toString":"x","toJSON":2,"hasOwnProperty":null,' +
      '"__proto__":{"deep":[{"__proto__":1}]},"":"","a/b~c":[]}';
    const translations = '{"constructor":{"name":"x"},"__proto__":{"name":"y","__proto__":"z"}}';
    const tasks = `[{"label":"A","fields":[${fieldStart}"config":${config}}]}]`;
    const { text: created, json } = await sendText(
      'POST',
      surveys,
      `{"__proto__":{"name":"Polluted"},"translations":${translations},"tasks":${tasks}}`,
    );
    expect(json.results[0].name).toBe('Untitled survey');
    expect(created).toContain(`"config":${config}`);
    expect(created).toContain('"translations":{"constructor":{"name":"x"},"__proto__":{"name":"y"}}');
    expect((await send('GET', one(json.results[0].id))).text).toBe(created);
    expect(({} as any).deep).toBeUndefined();
  });

  const nested = (depth: number, array = false): unknown => {
    const inner = depth === 1 ? 'deep' : nested(depth - 1, array);
    return array ? [inner] : { inner };
  };
  const field = (more: object) => ({ tasks: [{ label: 'A', fields: [text('a', more)] }] });

  test('config, options and translated options may be 32 levels deep', async () => {
    const deep = {
      config: nested(32),
      options: nested(32, true),
      translations: { es: { options: nested(32) }, fr: { options: nested(32, true) } },
    };
    const {
      tasks: [
        {
          fields: [stored],
        },
      ],
    } = await create(field(deep));
    expect(stored).toMatchObject(deep);
    const mixed = { a: [{ b: [nested(28)] }] };
    expect((await create(field({ config: mixed }))).tasks[0].fields[0].config).toEqual(mixed);
  });

  test.each<[more: object, place: string]>([
    [{ config: nested(33) }, 'config'],
    [{ config: { wide: 1, deep: nested(32, true) } }, 'config'],
    [{ options: nested(33, true) }, 'options'],
    [{ options: [0, nested(32)] }, 'options'],
    [{ translations: { es: { options: nested(33) } } }, 'translations/es/options'],
    [{ translations: { es: { options: nested(33, true) } } }, 'translations/es/options'],
  ])('33 levels are too deep: #%#', async (more, place) => {
    const { id } = await create();
    await expectRefused(() => send('POST', surveys, field(more)), [`too_deep /tasks/0/fields/0/${place}`]);
    await expectRefused(() => send('PUT', one(id), field(more)), [`too_deep /tasks/0/fields/0/${place}`]);
  });

  test('a body is refused that is nested deeper than any survey, also where it is not stored', async () => {
    const unknown = await sendText(
      'POST',
      surveys,
      `{"flavour":${'['.repeat(100_000)}${']'.repeat(100_000)},"name":"Deep"}`,
    );
    expect([unknown.status, problems(unknown)]).toEqual([422, ['too_deep ']]);
    const config = await sendText(
      'POST',
      surveys,
      JSON.stringify(field({ config: 'X' })).replace('"X"', `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`),
    );
    expect([config.status, problems(config)]).toEqual([422, ['too_deep /tasks/0/fields/0/config']]);
  });

  test('numbers that no double can hold are refused', async () => {
    const { id } = await create();
    for (const number of ['1e999', '-1E+0999', `1${'0'.repeat(400)}`, `1${'0'.repeat(299)}e10`]) {
      for (const [more, place] of [
        ['"config":{"a":[X]}', 'config/a/0'],
        ['"options":[X]', 'options/0'],
        ['"translations":{"es":{"options":[X]}}', 'translations/es/options/0'],
      ] as const) {
        const payload = `{"tasks":[{"label":"A","fields":[${fieldStart}${more.replace('X', number)}}]}]}`;
        await expectRefused(() => sendText('POST', surveys, payload), [`too_large /tasks/0/fields/0/${place}`]);
        await expectRefused(() => sendText('PUT', one(id), payload), [`too_large /tasks/0/fields/0/${place}`]);
      }
    }
    await expectRefused(
      () => sendText('POST', surveys, '{"tasks":[{"label":"A","priority":1e999}]}'),
      ['too_large /tasks/0/priority'],
    );
  });

  test('free-form values are returned as they were sent, in the same order', async () => {
    const config = {
      z: 1,
      a: [null, true, false, 0, -1.5, 1e300, 5e-324, '', {}],
      é: { 'x y': [] },
      big: 9007199254740991,
    };
    const options = [null, 'a', 1, { b: [] }, ['c'], true];
    const { id } = await create(field({ config, options }));
    const { text: returned } = await send('GET', one(id));
    expect(returned).toContain(`"config":${JSON.stringify(config)},"options":${JSON.stringify(options)}`);
  });
});

describe('who sees what', () => {
  const hidden = [
    { label: 'Internal', task_is_internal_only: true },
    { label: 'Unpublished', show_when_published: false },
    { label: 'Both', task_is_internal_only: true, show_when_published: false },
  ];

  test('a survey that is disabled does not exist for those who do not edit surveys', async () => {
    const { id } = await create({ name: 'Out of use', disabled: true });
    for (const query of ['', '?only=id', '?only=disabled', '?hydrate=tasks']) {
      expect((await send('GET', `${one(id)}${query}`, undefined, { as: 'user' })).status).toBe(404);
      const { json } = await send('GET', `${surveys}${query}`, undefined, { as: 'user' });
      expect(json.results.map((survey: any) => survey.id)).not.toContain(id);
      for (const as of ['admin', 'manager'] as const) {
        expect((await read(id, query, as)).id).toBe(id);
        expect(
          (await send('GET', `${surveys}${query}`, undefined, { as })).json.results.map((survey: any) => survey.id),
        ).toContain(id);
      }
    }
    await update(id, { disabled: false });
    expect((await read(id, '', 'user')).name).toBe('Out of use');
    const missing = await send('GET', one(1_000_000), undefined, { as: 'user' });
    await update(id, { disabled: true });
    const invisible = await send('GET', one(id), undefined, { as: 'user' });
    expect(invisible.json.errors[0].message.replace(String(id), '')).toBe(
      missing.json.errors[0].message.replace('1000000', ''),
    );
  });

  test('limit and offset count only the surveys that the caller sees', async () => {
    for (let at = 0; at < 8; at += 1) await create({ name: `Survey ${at}`, disabled: at % 2 === 0 });
    const listed = async (query: string) =>
      (await send('GET', `${surveys}?${query}`, undefined, { as: 'user' })).json.results
        .map(({ name }: any) => name)
        .join();
    expect(await listed('limit=2')).toBe('Survey 1,Survey 3');
    expect(await listed('limit=2&offset=2')).toBe('Survey 5,Survey 7');
    expect(await listed('orderby=disabled&order=desc')).toBe('Survey 1,Survey 3,Survey 5,Survey 7');
  });

  test('tasks that are internal or not published are hidden from all but editors, whatever `only` says', async () => {
    const { id } = await create({ tasks: [hidden[0], { label: 'Open', fields: [text()] }, hidden[1], hidden[2]] });
    for (const query of ['', '?only=tasks', '?only=name,tasks', '?hydrate=tasks', '?only=tasks&hydrate=tasks']) {
      const { text: returned, json } = await send('GET', `${surveys}${query}`, undefined, { as: 'user' });
      const listed = json.results.find((survey: any) => survey.id === id);
      for (const survey of [await read(id, query, 'user'), listed]) expect(labels(survey.tasks)).toEqual(['Open']);
      expect(returned).not.toMatch(/Internal|Unpublished|Both/);
      for (const as of ['admin', 'manager'] as const)
        expect(labels((await read(id, query, as)).tasks)).toEqual(['Internal', 'Open', 'Unpublished', 'Both']);
    }
  });

  test('a task is hidden and shown again when it is changed', async () => {
    const {
      id,
      tasks: [task],
    } = await create({ tasks: [{ label: 'A' }] });
    const seen = async () => labels((await read(id, '', 'user')).tasks);
    expect(await seen()).toEqual(['A']);
    await update(id, { tasks: [{ id: task.id, label: 'A', task_is_internal_only: true }] });
    expect(await seen()).toEqual([]);
    await update(id, { name: 'Something else' });
    expect(await seen()).toEqual([]);
    await update(id, { tasks: [{ id: task.id, label: 'B', task_is_internal_only: false }] });
    expect(await seen()).toEqual(['B']);
    await update(id, { tasks: [{ id: task.id, label: 'C', show_when_published: false }] });
    expect(await seen()).toEqual([]);
  });

  test('what others see is the rest of the survey, unchanged', async () => {
    const survey = await create({
      ...fullSurvey,
      disabled: false,
      tasks: [...hidden, { ...fullTask, task_is_internal_only: false, show_when_published: true }],
    });
    expect(await read(survey.id, '', 'user')).toEqual({
      ...survey,
      tasks: [survey.tasks[3]],
      allowed_privileges: ['read', 'search'],
    });
  });

  test.each<[role: Role, privileges: string[]]>([
    ['admin', ['read', 'create', 'update', 'delete', 'search']],
    ['manager', ['read', 'create', 'update', 'delete', 'search']],
    ['user', ['read', 'search']],
  ])('%s is told what they may do', async (role, privileges) => {
    const { id } = await create();
    expect((await read(id, '?only=allowed_privileges', role)).allowed_privileges).toEqual(privileges);
  });

  test.each<[method: string, at: (id: number) => string, scope: string]>([
    ['POST', () => surveys, 'surveys:write'],
    ['PUT', one, 'surveys:write'],
    ['DELETE', one, 'surveys:delete'],
  ])('a user may not %s', async (method, at, scope) => {
    const { id } = await create(report);
    const before = await everything();
    for (const url of [at(id), at(1_000_000)]) {
      const response = await send(method, url, method === 'DELETE' ? undefined : { name: 'Mine' }, { as: 'user' });
      expect([response.status, problems(response)]).toEqual([403, ['insufficient_scope']]);
      expect(response.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
    expect(await everything()).toEqual(before);
  });

  test('a manager creates, updates and deletes', async () => {
    const created = await send('POST', surveys, report, { as: 'manager' });
    const { id } = created.json.results[0];
    expect(created.status).toBe(201);
    expect((await send('PUT', one(id), { name: 'Managed' }, { as: 'manager' })).json.results[0].name).toBe('Managed');
    expect((await send('DELETE', one(id), undefined, { as: 'manager' })).json).toEqual({ result: { deleted: id } });
  });

  test.each([
    ['GET', surveys],
    ['POST', surveys],
    ['GET', one(1)],
    ['PUT', one(1)],
    ['DELETE', one(1)],
  ])('without a token there is no %s %s', async (method, url) => {
    const before = await everything();
    const response = await send(method, url, ['POST', 'PUT'].includes(method) ? {} : undefined, { as: null });
    expect([response.status, problems(response), response.headers['www-authenticate']]).toEqual([
      401,
      ['unauthorized authorization'],
      'Bearer',
    ]);
    expect(await everything()).toEqual(before);
  });
});

describe('deleting', () => {
  test('a deleted survey is gone', async () => {
    const { id } = await create(report);
    const other = await create(report);
    const response = await send('DELETE', one(id));
    expect([response.status, response.text]).toEqual([200, `{"result":{"deleted":${id}}}`]);
    for (const [method, body] of [['GET'], ['PUT', { name: 'Ghost' }], ['DELETE']] as const) {
      const again = await send(method, one(id), body);
      expect([method, again.status, problems(again)]).toEqual([method, 404, ['not_found']]);
    }
    expect((await send('GET', `${surveys}?only=id`)).json.results).not.toContainEqual({ id });
    expect(await read(other.id)).toEqual(other);
  });

  test('its tasks and fields go with it', async () => {
    const { id } = await create(report);
    const rows = async () => [
      await db.query.selectFrom('tasks').selectAll().where('survey_id', '=', id).execute(),
      await db.query.selectFrom('fields').selectAll().where('survey_id', '=', id).execute(),
    ];
    expect((await rows()).map(({ length }) => length)).toEqual([2, 12]);
    await send('DELETE', one(id));
    expect(await rows()).toEqual([[], []]);
  });

  test('a task of a deleted survey is an unknown reference', async () => {
    const {
      id,
      tasks: [task],
    } = await create(report);
    await send('DELETE', one(id));
    const other = await create();
    await expectRefused(
      () => send('PUT', one(other.id), { tasks: [{ id: task.id, label: 'A' }] }),
      ['unknown_reference /tasks/0/id'],
    );
  });

  test('identifiers are never given out again', async () => {
    const { id, tasks } = await create(report);
    await send('DELETE', one(id));
    const next = await create(report);
    expect(next.id).toBeGreaterThan(id);
    expect(next.tasks[0].id).toBeGreaterThan(tasks.at(-1).id);
    expect(Math.min(...next.tasks.flatMap((task: any) => task.fields.map(({ id }: any) => id)))).toBeGreaterThan(
      Math.max(...tasks.flatMap((task: any) => task.fields.map(({ id }: any) => id))),
    );
  });

  test('a survey that is disabled can be deleted', async () => {
    const { id } = await create({ disabled: true });
    expect((await send('DELETE', one(id))).status).toBe(200);
  });
});
