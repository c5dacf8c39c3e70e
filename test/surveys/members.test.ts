/** One line in a table of members is enough: the member is in every response, with its default, and updates keep it. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { service } from '../support/service.ts';

// A scalar and a relation more for surveys, one member more for tasks and for fields. Nothing else knows them.
vi.mock('../../src/surveys/members.ts', async (importOriginal) => {
  const { surveyMembers, taskMembers, fieldMembers } = await importOriginal<object & Record<string, object>>();
  const { nullableText, json } = await import('../../src/surveys/column.ts');
  return {
    surveyMembers: {
      ...surveyMembers,
      motto: { kind: 'scalar', column: nullableText, by: 'client', initial: 'Nothing yet' },
      sources: { kind: 'relation', column: json, by: 'client', initial: [] },
    },
    taskMembers: { ...taskMembers, icon: { by: 'client', initial: 'circle' } },
    fieldMembers: { ...fieldMembers, unit: { by: 'client', initial: null } },
  };
});

const surveys = '/api/v5/surveys';
// Not in development, where responses are compared with the contract: it does not have these members.
const { db, send, close } = await service({ NODE_ENV: 'production' });
await db.query.schema.alterTable('surveys').addColumn('motto', 'text').execute();
await db.query.schema.alterTable('surveys').addColumn('sources', 'text').execute();
afterAll(close);

const field = { label: 'How many?', type: 'int', input: 'number' };
const body = {
  name: 'Wells',
  motto: 'Count all',
  sources: [{ team: 'north' }],
  tasks: [{ label: 'Step', icon: 'drop', fields: [{ ...field, unit: 'litres' }, field] }],
};
const added = {
  motto: 'Count all',
  sources: [{ team: 'north' }],
  tasks: [{ icon: 'drop', fields: [{ unit: 'litres' }, { unit: null }] }],
};
const defaults = { motto: 'Nothing yet', sources: [] };

async function request(method: string, url: string, sent?: object): Promise<any> {
  const { json } = await send(method, url, sent);
  return json.results[0];
}

describe('a member that is added to the tables', () => {
  test('is in what creation returns, in what is read, and in a list', async () => {
    const created = await request('POST', surveys, body);
    expect(created).toMatchObject(added);
    expect(await request('GET', `${surveys}/${created.id}`)).toEqual(created);
    expect(await request('GET', `${surveys}?limit=1&orderby=id&order=desc`)).toEqual(created);
    expect((await send('GET', surveys)).json.results).toContainEqual(created);
  });

  test('has its default when it is left out', async () => {
    const created = await request('POST', surveys, { tasks: [{ label: 'Step', fields: [field] }] });
    const tasks = [{ icon: 'circle', fields: [{ unit: null }] }];
    expect(created).toMatchObject({ ...defaults, tasks });
    expect(await request('GET', `${surveys}/${created.id}`)).toMatchObject({ ...defaults, tasks });
  });

  test('keeps its value in an update that leaves it out, and gets the one that is sent', async () => {
    const created = await request('POST', surveys, body);
    const url = `${surveys}/${created.id}`;
    expect(await request('PUT', url, { name: 'Springs' })).toMatchObject({ ...added, name: 'Springs' });
    const [{ id, label }] = created.tasks;
    expect(await request('PUT', url, { tasks: [{ id, label }] })).toMatchObject(added);
    const changed = { motto: null, sources: [], tasks: [{ id, label, icon: 'square' }] };
    expect(await request('PUT', url, changed)).toMatchObject(changed);
    expect(await request('GET', url)).toMatchObject({ ...changed, name: 'Springs' });
  });

  test('is selected by `only` and `hydrate`', async () => {
    const { id } = await request('POST', surveys, body);
    const { motto, sources } = added;
    for (const [query, expected] of [
      ['only=motto', { id, motto }],
      ['only=sources', { id, sources }],
      ['only=name', { id, name: 'Wells' }],
      ['only=name&hydrate=sources', { id, name: 'Wells', sources }],
    ] as const) {
      expect(await request('GET', `${surveys}/${id}?${query}`), query).toEqual(expected);
      expect((await send('GET', `${surveys}?${query}`)).json.results, query).toContainEqual(expected);
    }
    expect(await request('GET', `${surveys}/${id}?hydrate=`)).not.toHaveProperty('sources');
  });
});
