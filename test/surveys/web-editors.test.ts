/** What existing web editors send, and other services have accepted. */
import { afterAll, expect, test } from 'vitest';
import { problems, service } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const { send, close } = await service();
afterAll(close);

const question = (more: object = {}) => ({ label: 'Question', type: 'varchar', input: 'text', ...more });

async function stored(method: string, url: string, body: object): Promise<any> {
  const response = await send(method, url, body);
  expect(response.status, response.text).toBeLessThan(300);
  return response.json.results[0];
}

test('a new question of a task that exists names it by its identifier', async () => {
  const { id, tasks } = await stored('POST', surveys, { tasks: [{ label: 'A', fields: [question()] }] });
  const [task] = tasks;
  const added = question({ id: 'interim_id_1', label: 'New', form_stage_id: task.id });
  const changed = await stored('PUT', `${surveys}/${id}`, { tasks: [{ ...task, fields: [...task.fields, added] }] });
  expect(changed.tasks[0].fields.map(({ label }: { label: string }) => label)).toEqual(['Question', 'New']);
  expect(changed.tasks[0].fields[1]).not.toHaveProperty('form_stage_id');
});

test('an empty type of a survey counts as left out', async () => {
  const { id, type } = await stored('POST', surveys, { type: '' });
  expect(type).toBe('report');
  await stored('PUT', `${surveys}/${id}`, { type: 'alert' });
  expect((await stored('PUT', `${surveys}/${id}`, { type: '' })).type).toBe('alert');
});

test.each([undefined, 'handling=strict'])(
  'translations that are null count as left out (Prefer: %s)',
  async (prefer) => {
    const headers = prefer ? { prefer } : {};
    const es = { name: null, description: 'Texto' };
    const body = {
      name: 'Flood',
      translations: { name: null, description: 'Text', es },
      tasks: [
        {
          label: 'A',
          translations: { label: null, es: { label: 'Uno' } },
          fields: [question({ translations: { label: null, options: null, es: { label: 'Dos' } } })],
        },
      ],
    };
    const response = await send('POST', surveys, body, { headers });
    expect(response.status, response.text).toBe(201);
    const [survey] = response.json.results;
    const { translations, enabled_languages, tasks } = survey;
    expect(translations).toEqual({ description: 'Text', es });
    expect(enabled_languages.available).toEqual(['es']);
    expect(tasks[0].translations).toEqual({ es: { label: 'Uno' } });
    expect(tasks[0].fields[0].translations).toEqual({ es: { label: 'Dos' } });
  },
);

test('a language is not null', async () => {
  const response = await send('POST', surveys, { translations: { es: null, name: null } });
  expect([response.status, problems(response)]).toEqual([422, ['no_match /translations/es']]);
});
