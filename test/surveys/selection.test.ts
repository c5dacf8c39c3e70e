/** However `only` and `hydrate` are spelled: what means the same is the same request. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Caller } from '../../src/api/caller.ts';
import type { Context, Request } from '../../src/api/handler.ts';
import { handlers, normalized } from '../../src/handlers.ts';
import { allMembers } from '../../src/surveys/selection.ts';
import { testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const body = {
  name: 'Survey',
  description: 'What for',
  can_create: ['team'],
  translations: { es: { name: 'Encuesta' } },
  tasks: [{ label: 'Task', fields: [{ label: 'Field', type: 'varchar', input: 'text' }] }],
};

/** Lists of names: of members and of nothing, in any order and case, with spaces, empty and twice. */
const names = fc
  .array(fc.oneof(fc.constantFrom(...allMembers, ...allMembers, '', 'Name', 'x', 'listed_languages'), fc.string()), {
    maxLength: 8,
  })
  .chain((list) =>
    fc
      .array(fc.constantFrom('', ' ', '  ', '\t', ',', '\u00a0'), { minLength: list.length, maxLength: list.length })
      .map((spaces) => list.map((name, at) => `${spaces[at]}${name}${spaces.at(-1 - at)}`).join(',')),
  )
  .filter((text) => !text.includes('\0') && text.isWellFormed());
const selection = fc.record({ only: names, hydrate: names }, { requiredKeys: [] });

/** `count` ways to ask for the name and the tasks. */
function spellings(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const list = at % 2 === 0 ? ['name', 'tasks'] : ['tasks', 'id', 'name'];
    const filler = at.toString(2).replaceAll('0', ' ,').replaceAll('1', 'x,');
    return at % 3 === 0
      ? `only=${encodeURIComponent(`${filler}${list.join(`,${filler}`)}`)}`
      : `only=name,${encodeURIComponent(filler)}&hydrate=tasks,y${at}`;
  });
}

// Nothing is kept in memory where others may have written meanwhile.
test.skipIf(process.env.TEST_DATABASE_URL).each([
  ['getSurvey', `${surveys}/1?`],
  ['listSurveys', `${surveys}?limit=5&order=DESC&`],
])('%s: a thousand spellings of one selection are one response in memory', async (_, url) => {
  const { db, send } = await testService({ NODE_ENV: 'production' });
  await send('POST', surveys, body);
  const { rows } = db;
  let queries = 0;
  db.rows = (...call) => {
    queries += 1;
    return rows.apply(db, call as never) as never;
  };
  const texts = new Set<string>();
  const queriesBefore = [];
  for (const spelling of spellings(1000)) {
    queriesBefore.push(queries);
    texts.add((await send('GET', `${url}${spelling}`)).text);
  }
  expect([...texts]).toEqual([expect.stringMatching(/^\{"results":\[\{"id":1,"name":"Survey","tasks":\[/)]);
  // A response is kept when it is made for the second time, and the first one of all shows whether it has links.
  expect(queries).toBe(queriesBefore[3]);
});

test('the case of the order and a limit of 0 do not make another request', async () => {
  const { listSurveys } = normalized;
  const request = (query: Partial<Request<'listSurveys'>['query']>) => ({
    path: {},
    headers: {},
    body: undefined,
    query: { offset: 0, orderby: 'name' as const, order: 'asc', ...query },
  });
  for (const [one, other] of [
    [{ order: 'DESC' }, { order: 'desc' }],
    [{ limit: 0 }, {}],
    [
      { limit: 5, order: 'asc' },
      { order: 'Asc', limit: 5 },
    ],
  ])
    expect(JSON.stringify(listSurveys(request(one!)))).toBe(JSON.stringify(listSurveys(request(other!))));
  expect(listSurveys(request({ limit: 5 }))).not.toEqual(listSurveys(request({})));
});

test('a request that was made the same has the response that it had, and stays as it is', async () => {
  const { db, send } = await testService();
  await send('POST', surveys, body);
  await send('POST', surveys, { name: 'Another' });
  for (const role of ['admin', 'user']) {
    const context: Context = {
      db,
      surveySizeLimit: 2 ** 22,
      ifMatchRequired: false,
      caller: new Caller({ id: 1, role }),
      url: (path) => path,
    };
    const seen = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(
        selection,
        fc.constantFrom('asc', 'DESC'),
        fc.constantFrom(0, 1, 5),
        async (query, order, limit) => {
          const list = {
            path: {},
            headers: {},
            body: undefined,
            query: { ...query, limit, offset: 0, orderby: 'id' as const, order },
          };
          const one = { path: { id: 1 }, headers: {}, body: undefined, query };
          const [sameList, sameOne] = [normalized.listSurveys(list), normalized.getSurvey(one)];
          // Links are spelled as the request that made them.
          const { headers: _, ...listed } = await handlers.listSurveys(sameList, context);
          expect(await handlers.listSurveys(list, context)).toMatchObject(listed);
          const response = await handlers.getSurvey(sameOne, context);
          expect(response).toEqual(await handlers.getSurvey(one, context));
          expect([normalized.listSurveys(sameList), normalized.getSurvey(sameOne)]).toEqual([sameList, sameOne]);
          // One response, one request.
          const text = JSON.stringify(response);
          const request = JSON.stringify(sameOne);
          expect(seen.get(text) ?? request).toBe(request);
          seen.set(text, request);
        },
      ),
      { numRuns: 300 },
    );
  }
});
