/** How large one survey may become, however often it is changed. */
import { describe, expect, test } from 'vitest';
import { changeStored } from '../support/digests.ts';
import { problems, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';

type Service = Awaited<ReturnType<typeof testService>>;

/** Everything that a request could change. */
async function everything({ db }: Service): Promise<unknown> {
  const tables = [];
  for (const table of ['surveys', 'tasks', 'fields'] as const)
    tables.push(await db.query.selectFrom(table).selectAll().orderBy('id').execute());
  return tables;
}

/** What the database holds of this survey beside its times and digests, in bytes of text. */
async function storedSize({ db }: Service, id: number): Promise<number> {
  const row = await db.query.selectFrom('surveys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const texts = Object.entries({ ...row, created: 0, updated: 0, digests: 0, search_text: 0 }).map(
    ([, value]) => value,
  );
  return texts.reduce<number>((sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0), 0);
}

const field = (label: string, more: object = {}) => ({ label, type: 'varchar', input: 'text', ...more });
const fields = (count: number) => Array.from({ length: count }, (_, at) => field(`${at}`));

describe('the size of a survey', () => {
  test('is limited when it is created: nothing of it is stored', async () => {
    const service = await testService({ SURVEY_SIZE_LIMIT: '20000' });
    const before = await everything(service);
    const response = await service.send('POST', surveys, {
      description: 'é'.repeat(10_000),
      tasks: [{ label: 'Task' }],
    });
    expect([response.status, problems(response)]).toEqual([422, ['survey_too_large']]);
    expect(response.json.errors[0].message).toMatch(/^The survey would take \d+ bytes; at most 20000 are stored\. /);
    expect(await everything(service)).toEqual(before);
    expect((await service.send('POST', surveys, { description: 'e'.repeat(10_000) })).status).toBe(201);
  });

  test('is limited when it grows by an update: nothing of the update is stored', async () => {
    const service = await testService({ SURVEY_SIZE_LIMIT: '20000' });
    const { send } = service;
    const { json } = await send('POST', surveys, { tasks: [{ label: 'Task', fields: [field('One')] }] });
    const [{ id, tasks }] = json.results;
    let before: unknown;
    let response: Awaited<ReturnType<typeof send>>;
    let added = 0;
    do {
      before = await everything(service);
      const task = { label: `Task ${added}`, fields: [field('New', { instructions: 'x'.repeat(2000) })] };
      const [survey] = (await send('GET', `${surveys}/${id}?only=tasks`)).json.results;
      const kept = survey.tasks.map((old: { id: number; label: string }) => ({ id: old.id, label: old.label }));
      response = await send('PUT', `${surveys}/${id}`, { tasks: [...kept, task] });
      added += 1;
    } while (response.status === 200 && added < 50);
    expect([response.status, problems(response)]).toEqual([422, ['survey_too_large']]);
    expect(await everything(service)).toEqual(before);
    expect(await storedSize(service, id)).toBeLessThanOrEqual(20_000);
    // One that deletes and adds at once is undone as well.
    const fat = field('New', { options: Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(100, 'x')) });
    response = await send('PUT', `${surveys}/${id}`, { tasks: [{ id: tasks[0].id, label: 'Task', fields: [fat] }] });
    expect([response.status, problems(response)]).toEqual([422, ['survey_too_large']]);
    expect(await everything(service)).toEqual(before);
  });

  test('counts every byte that is stored, and the limit itself is allowed', async () => {
    const service = await testService();
    const body = {
      description: 'ä€😀'.repeat(1000),
      tasks: [{ label: 'A', task_is_internal_only: true }, { label: 'B' }],
    };
    const { json } = await service.send('POST', surveys, body);
    const size = await storedSize(service, json.results[0].id);
    const post = async (SURVEY_SIZE_LIMIT: number) =>
      (await (await testService({ SURVEY_SIZE_LIMIT: `${SURVEY_SIZE_LIMIT}` })).send('POST', surveys, body)).status;
    expect([await post(size), await post(size - 1)]).toEqual([201, 422]);
  });

  test('above a limit that was lowered can only shrink', async () => {
    const service = await testService({ SURVEY_SIZE_LIMIT: '5000' });
    const { send, db } = service;
    const { json } = await send('POST', surveys, { description: 'short' });
    const [{ id }] = json.results;
    await changeStored(db, id, { description: 'x'.repeat(9000) });
    const put = async (body: object) => (await send('PUT', `${surveys}/${id}`, body)).status;
    expect(await put({ disabled: true })).toBe(200);
    expect(await put({ description: 'x'.repeat(8900) })).toBe(200);
    expect(await put({ description: 'x'.repeat(8901) })).toBe(422);
    expect(await put({ description: 'x' })).toBe(200);
    expect(await put({ description: 'x'.repeat(8900) })).toBe(422);
  });

  test('is 4 MiB at most when nothing else is set', async () => {
    const service = await testService();
    const options = (label: string) => field(label, { options: Array.from({ length: 900 }, () => 'x'.repeat(1000)) });
    const { json } = await service.send('POST', surveys, {});
    const [{ id }] = json.results;
    const kept: object[] = [];
    const statuses = [];
    for (let at = 0; at < 5; at += 1) {
      const response = await service.send('PUT', `${surveys}/${id}`, {
        tasks: [...kept, { label: `Task ${at}`, fields: [options('F')] }],
      });
      statuses.push(response.status);
      if (response.status === 200) kept.push({ id: response.json.results[0].tasks.at(-1).id, label: `Task ${at}` });
    }
    expect(statuses).toEqual([200, 200, 200, 200, 422]);
  });
});

describe('the fields of a survey', () => {
  test('are 10000 at most, those of tasks that are sent without fields included', async () => {
    const service = await testService({ SURVEY_SIZE_LIMIT: `${2 ** 25}` });
    const { send } = service;
    const full = (at: number) => ({ label: `Task ${at}`, fields: fields(500) });
    const create = await send('POST', surveys, { tasks: Array.from({ length: 20 }, (_, at) => full(at)) });
    expect(create.status, create.text.slice(0, 200)).toBe(201);
    const [{ id, tasks }] = create.json.results;
    const kept = tasks.map((task: { id: number; label: string }) => ({ id: task.id, label: task.label }));
    const before = await everything(service);
    const put = (sent: object[]) => send('PUT', `${surveys}/${id}`, { tasks: sent });
    const response = await put([...kept, { label: 'One more', fields: fields(1) }]);
    expect([response.status, problems(response)]).toEqual([422, ['too_many_items /tasks']]);
    expect(response.json.errors[0].message).toBe(
      'A survey has at most 10000 fields, and with these tasks it would have 10001. ' +
        'Those of tasks that are sent without fields count as well.',
    );
    expect(await everything(service)).toEqual(before);
    const { id: moved, label, type, input } = tasks[0].fields[0];
    expect((await put([...kept, { label: 'One more', fields: [{ id: moved, label, type, input }] }])).status).toBe(200);
  });

  test('are counted when a survey is created', async () => {
    const { send } = await testService({ SURVEY_SIZE_LIMIT: `${2 ** 25}` });
    const tasks = Array.from({ length: 21 }, (_, at) => ({ label: `${at}`, fields: fields(at === 20 ? 1 : 500) }));
    const response = await send('POST', surveys, { tasks });
    expect([response.status, problems(response)]).toEqual([422, ['too_many_items /tasks']]);
  });
});
