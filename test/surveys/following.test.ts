/** Lists that can be filtered, and followed to their end by links, while others write. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problems, service, type TestResponse, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const hxl = '/api/v3/hxl';
const origin = 'http://service.test';

/** The links to other pages, by their relation, as paths. */
function links({ headers }: TestResponse): Record<string, string> {
  const found = String(headers.link).matchAll(/<([^>]*)>; rel="(first|prev|next)"/g);
  return Object.fromEntries([...found].map(([, address, relation]) => [relation, address!.replace(origin, '')]));
}

const idsOf = ({ json }: TestResponse): number[] => json.results.map(({ id }: { id: number }) => id);

type Send = Awaited<ReturnType<typeof service>>['send'];

/** The identifiers on all pages from this one on. */
async function follow(send: Send, url: string, as: 'admin' | 'user' = 'admin', meanwhile?: () => Promise<unknown>) {
  const pages: number[][] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const response: TestResponse = await send('GET', next, undefined, { as });
    expect([response.status, next, response.json.errors]).toEqual([200, next, undefined]);
    pages.push(idsOf(response));
    next = links(response).next;
    await meanwhile?.();
    expect(pages.length).toBeLessThan(200);
  }
  return pages;
}

describe('a list of surveys', () => {
  let running: Awaited<ReturnType<typeof service>>;
  const count = 45;
  beforeAll(async () => {
    running = await service();
    for (let at = 0; at < count; at += 1)
      await running.send('POST', surveys, {
        name: `Survey ${(at * 7) % 11}`,
        description: at % 4 === 0 ? null : `Number ${at % 5}`,
        color: at % 3 === 0 ? null : '#1D4ED8',
        base_language: at % 2 === 0 ? 'en' : 'es-PE',
        disabled: at % 5 === 0,
        translations: at % 6 === 0 ? { ar: { name: 'مسح' } } : {},
      });
    for (const id of [3, 9, 40]) await running.send('PUT', `${surveys}/${id}`, { type: 'post' });
  });
  afterAll(() => running.close());
  const get = (query: string, as: 'admin' | 'user' = 'admin') =>
    running.send('GET', `${surveys}?${query}`, undefined, { as });

  const members = ['id', 'name', 'description', 'color', 'disabled', 'created', 'updated', 'type', 'base_language'];

  test.each(members.flatMap((member) => [`orderby=${member}`, `orderby=${member}&order=DESC`]))(
    'can be followed to its end and back: %s',
    async (order) => {
      for (const as of ['admin', 'user'] as const) {
        const all = idsOf(await get(order, as));
        for (const limit of [1, 7, 30]) {
          const pages = await follow(running.send, `${surveys}?${order}&only=id&limit=${limit}`, as);
          expect(pages.flat()).toEqual(all);
          expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        }
        // And back from the last page.
        let page = await get(`${order}&limit=7`, as);
        while (links(page).next) page = await running.send('GET', links(page).next!, undefined, { as });
        const back = [idsOf(page)];
        for (let prev = links(page).prev; prev !== undefined; prev = links(page).prev) {
          page = await running.send('GET', prev, undefined, { as });
          back.unshift(idsOf(page));
        }
        expect(back.flat()).toEqual(all);
      }
    },
  );

  test('says how many surveys there are, and where the first page is', async () => {
    for (const [as, total] of [
      ['admin', count],
      ['user', count - 9],
    ] as const) {
      for (const query of ['', 'limit=20', 'limit=20&offset=40', 'limit=0']) {
        const response = await get(query, as);
        expect(response.headers['x-total-count']).toBe(String(total));
        expect(links(response).first).toBe(
          query.includes('=20') ? `${surveys}?orderby=id&order=asc&limit=20` : undefined,
        );
      }
    }
    expect(links(await get('limit=20&offset=40')).prev).toContain('offset=20');
    expect(links(await get('limit=20&offset=40')).next).toBeUndefined();
  });

  test.each([
    ['ids=3,1,99,3', (at: number) => [0, 2].includes(at)],
    ['base_language=es-PE', (at: number) => at % 2 === 1],
    ['language=ar', (at: number) => at % 6 === 0],
    ['language=fr', () => false],
    ['disabled=true', (at: number) => at % 5 === 0],
    ['disabled=false', (at: number) => at % 5 !== 0],
    ['created_since=2020-01-01T00:00:00Z', () => true],
    ['created_since=2999-01-01T00:00:00%2B02:00', () => false],
    ['updated_since=2020-01-01T00:00:00Z', () => true],
    ['created_since=2016-12-31T23:59:60Z', () => true],
    ['created_since=0000-01-01T00:00:00%2B14:00', () => true],
    ['created_since=9999-12-31T23:59:59-14:00', () => false],
    ['language=ar&base_language=en&disabled=false', (at: number) => at % 6 === 0 && at % 5 !== 0],
  ])('has only what fits its filters: %s', async (query, fits) => {
    for (const as of ['admin', 'user'] as const) {
      const expected = Array.from({ length: count }, (_, at) => at)
        .filter((at) => fits(at) && (as === 'admin' || at % 5 !== 0))
        .map((at) => at + 1);
      const whole = await get(query, as);
      expect([idsOf(whole), whole.headers['x-total-count']]).toEqual([expected, String(expected.length)]);
      expect((await follow(running.send, `${surveys}?${query}&limit=4`, as)).flat()).toEqual(expected);
    }
  });

  test('updated_since finds what was changed since', async () => {
    const { json } = await get('ids=9');
    const since = encodeURIComponent(json.results[0].updated);
    const found = idsOf(await get(`updated_since=${since}`));
    expect(found).toEqual(expect.arrayContaining([9, 40]));
    expect(found).not.toContain(1);
  });

  test.each([
    'cursor=x',
    'cursor=WzFd',
    'ids=a',
    'ids=',
    `ids=${Array(101).fill(1)}`,
    'created_since=yesterday',
    'disabled=1',
  ])('refuses what it cannot read: %s', async (query) => {
    const response = await get(query);
    expect([response.status, problems(response)]).toEqual([400, [`invalid_parameter ${query.split('=')[0]}`]]);
  });

  test('takes a cursor only in the list that gave it', async () => {
    const cursor = /cursor=([^&]+)/.exec(links(await get('limit=4&orderby=name')).next!)![1];
    expect((await get(`limit=9&orderby=name&only=id&cursor=${cursor}`)).status).toBe(200);
    for (const other of [
      'orderby=id',
      'orderby=name&order=desc',
      'orderby=name&disabled=false',
      'orderby=name&offset=3',
    ])
      expect(problems(await get(`limit=4&${other}&cursor=${cursor}`))).toEqual(['invalid_parameter cursor']);
  });
});

test('a list is followed without a gap and without a repetition while others write', async () => {
  const { send } = await testService();
  for (let at = 0; at < 30; at += 1) await send('POST', surveys, { name: `Survey ${at % 7}` });
  const lasting = Array.from({ length: 30 }, (_, at) => at + 1).filter((id) => id % 3 !== 0);
  let turn = 0;
  const others = async () => {
    turn += 1;
    await send('DELETE', `${surveys}/${turn * 3}`);
    await send('POST', surveys, { name: `Survey ${turn % 7}` });
  };
  const seen = (await follow(send, `${surveys}?orderby=name&only=name&limit=4`, 'admin', others)).flat();
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((id) => lasting.includes(id)).sort((one, other) => one - other)).toEqual(lasting);
});

test('languages are found as they are after each change', async () => {
  const { send } = await testService();
  await send('POST', surveys, { enabled_languages: { available: ['es', 'es', 'fr'] } });
  const having = async (language: string) => idsOf(await send('GET', `${surveys}?language=${language}`));
  expect([await having('es'), await having('fr'), await having('ar')]).toEqual([[1], [1], []]);
  await send('PUT', `${surveys}/1`, {
    enabled_languages: { available: ['ar'] },
    translations: { es: { name: 'Encuesta' } },
  });
  expect([await having('es'), await having('fr'), await having('ar')]).toEqual([[1], [], [1]]);
  await send('DELETE', `${surveys}/1`);
  expect(await having('ar')).toEqual([]);
});

describe('a search', () => {
  const names = ['Flood 100%_', 'École à Zürich', 'ΟΔΟΣ', '健康調査', 'a\\b "c"', 'ﬁne', 'İstanbul'];
  let running: Awaited<ReturnType<typeof service>>;
  beforeAll(async () => {
    running = await service();
    for (const name of names) await running.send('POST', surveys, { name });
    const translations = { ar: { name: 'مسح الفيضانات', description: 'hidden' }, fr: { name: 'INONDATION' }, es: {} };
    await running.send('POST', surveys, { name: 'Translated', translations });
    await running.send('POST', surveys, { name: 'Flood too', disabled: true });
  });
  afterAll(() => running.close());
  const search = async (q: string, more = '') =>
    idsOf(await running.send('GET', `${surveys}?q=${encodeURIComponent(q)}${more}`));

  test.each([
    ['flood', [1, 9]],
    ['LOOD 1', [1]],
    ['%', [1]],
    ['0%_', [1]],
    ['_', [1]],
    ['ÉCOLE', [2]],
    ['e\u0301cole', [2]],
    ['ecole', []],
    ['zürich', [2]],
    ['οδο', [3]],
    ['οδος', [3]],
    ['ΟΔΟΣ', [3]],
    ['健康', [4]],
    ['康', [4]],
    ['\\', [5]],
    ['"C"', [5]],
    ["'", []],
    ['i\u0307stan', [7]],
    ['الفيضان', [8]],
    ['inondation', [8]],
    ['hidden', []],
    ['translated مسح', []],
    ['d', [1, 8, 9]],
  ])('for %s', async (q, ids) => {
    expect(await search(q)).toEqual(ids);
  });

  test('goes together with filters, orders and pages', async () => {
    expect(await search('flood', '&disabled=false')).toEqual([1]);
    expect(await search('l', '&language=fr')).toEqual([8]);
    expect(await search('flood', '&orderby=name&order=desc')).toEqual([9, 1]);
    const pages = await follow(running.send, `${surveys}?q=flood&limit=1&orderby=name`);
    expect(pages.flat()).toEqual([1, 9]);
    const first = await running.send('GET', `${surveys}?q=flood&limit=1`);
    expect([links(first).next, first.headers['x-total-count']]).toEqual([expect.stringContaining('q=flood'), '2']);
  });

  test('finds a survey by its names as they are after each change', async () => {
    const { send } = await testService();
    const found = async (q: string) => idsOf(await send('GET', `${surveys}?q=${q}`));
    await send('POST', surveys, { name: 'Before', translations: { fr: { name: 'Avant' } } });
    expect([await found('before'), await found('avant')]).toEqual([[1], [1]]);
    await send('PUT', `${surveys}/1`, { name: 'After' });
    expect([await found('before'), await found('after'), await found('avant')]).toEqual([[], [1], [1]]);
    await send('PUT', `${surveys}/1`, { translations: { fr: { name: 'Après' } } });
    expect([await found('avant'), await found('apr%C3%A8s')]).toEqual([[], [1]]);
    await send('DELETE', `${surveys}/1`);
    expect(await found('after')).toEqual([]);
  });

  test.each(['', 'a%00b', 'a%0Ab', 'x'.repeat(256)])('is refused for text that no name can have: %s', async (q) => {
    const response = await running.send('GET', `${surveys}?q=${q}`);
    expect([response.status, problems(response)]).toEqual([400, ['invalid_parameter q']]);
  });
});

test('the number of surveys is right after any changes', async () => {
  const { send } = await testService();
  const alive = new Map<number, boolean>();
  const change = fc.record({
    kind: fc.constantFrom('create', 'update', 'delete'),
    at: fc.nat(8),
    disabled: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (changes) => {
      for (const { kind, at, disabled } of changes) {
        const id = [...alive.keys()][at];
        if (kind === 'create') alive.set((await send('POST', surveys, { disabled })).json.results[0].id, disabled);
        else if (id !== undefined && kind === 'update') {
          await send('PUT', `${surveys}/${id}`, { disabled });
          alive.set(id, disabled);
        } else if (id !== undefined) {
          await send('DELETE', `${surveys}/${id}`);
          alive.delete(id);
        }
      }
      const total = async (as: 'admin' | 'user') =>
        Number((await send('GET', `${surveys}?limit=1`, undefined, { as })).headers['x-total-count']);
      const visible = [...alive.values()].filter((hidden) => !hidden).length;
      expect([await total('admin'), await total('user')]).toEqual([alive.size, visible]);
    }),
    { numRuns: 15 },
  );
});

test('more than a thousand that fit a filter are not counted', async () => {
  const { send, db } = await testService();
  await send('POST', surveys, {});
  const { id: _, ...row } = await db.query.selectFrom('surveys').selectAll().executeTakeFirstOrThrow();
  for (let at = 0; at < 10; at += 1) await db.query.insertInto('surveys').values(Array(100).fill(row)).execute();
  const { headers } = await send('GET', `${surveys}?only=id&disabled=false&limit=1&cursor=`.replace('&cursor=', ''));
  expect(headers).not.toHaveProperty('x-total-count');
});

describe('HXL', () => {
  test.each([`${hxl}/tags`, `${hxl}/licenses`, `${hxl}/metadata`, `${hxl}/organisations`])(
    'a listing can be followed to its end: %s',
    async (url) => {
      const { send } = await testService();
      for (let at = 0; at < 12; at += 1)
        await send('POST', `${hxl}/metadata`, {
          private: at % 2 === 0,
          dataset_title: `Dataset ${at}`,
          license_id: 1 + (at % 3),
          organisation_id: `org-${at}`,
          organisation_name: 'Name',
          source: 'Field teams',
        });
      const whole = await send('GET', url);
      expect(whole.headers['x-total-count']).toBe(String(whole.json.total_count));
      expect(links(whole)).toEqual({});
      for (const limit of [3, 4, 100]) {
        const pages = await follow(send, `${url}?limit=${limit}`);
        expect(pages.flat()).toEqual(idsOf(whole));
        expect(pages.length).toBe(Math.ceil(whole.json.total_count / limit));
      }
      const second = await send('GET', `${url}?limit=3&offset=3`);
      expect(links(second)).toMatchObject({
        first: second.json.prev.replace(origin, ''),
        prev: second.json.prev.replace(origin, ''),
      });
    },
  );

  test.each([
    ['tag_name=Population', ['population']],
    ['tag_name=popul', []],
    ['tag_name=%25', []],
    ['form_attribute_type=INT&tag_name=population', ['population']],
    ['form_attribute_type=in', []],
    ['hxl_attribute=displaced&tag_name=population', ['population']],
    ['hxl_attribute=displace', []],
    ['hxl_attribute=%25', []],
  ])('tags are found by %s', async (query, names) => {
    const { send } = await testService();
    const { json } = await send('GET', `${hxl}/tags?${query}`);
    expect(json.results.map(({ tag_name }: { tag_name: string }) => tag_name)).toEqual(names);
    expect(json.curr).toContain(query.split('&')[0]!.split('=')[0]);
  });

  test('tags are found by each of their types and attributes', async () => {
    const { send } = await testService();
    const all = (await send('GET', `${hxl}/tags`)).json.results;
    const typesOf = (tag: any): string[] => tag.form_attribute_types.map((one: any) => one.form_attribute_type);
    const attributesOf = (tag: any): string[] => Object.values(tag.hxl_attributes).map((one: any) => one.attribute);
    for (const [parameter, valuesOf] of [
      ['form_attribute_type', typesOf],
      ['hxl_attribute', attributesOf],
    ] as const) {
      const values = new Set<string>(all.flatMap(valuesOf));
      expect(values.size).toBeGreaterThan(4);
      for (const value of values)
        expect(idsOf(await send('GET', `${hxl}/tags?${parameter}=${value}`)), value).toEqual(
          all.filter((tag: any) => valuesOf(tag).includes(value)).map(({ id }: any) => id),
        );
    }
  });

  test.each([
    ['dataset_title=DATASET%203', [4], [4]],
    ['private=true', [1, 3, 5], [1]],
    ['private=false', [2, 4, 6], [2, 4, 6]],
    ['license_id=2', [2, 5], [2]],
    ['license_id=2&private=true', [5], []],
    ['name=Dataset%203&dataset_title=Dataset%204', [], []],
  ])('metadata is found by %s', async (query, admin, user) => {
    const { send } = await testService();
    for (let at = 0; at < 6; at += 1)
      await send('POST', `${hxl}/metadata`, {
        private: at % 2 === 0,
        dataset_title: `Dataset ${at}`,
        license_id: 1 + (at % 3),
        organisation_id: 'org',
        organisation_name: 'Name',
        source: 'Field teams',
        ...(at === 0 && { user_id: 3 }),
      });
    for (const [as, expected] of [
      ['admin', admin],
      ['user', user],
    ] as const) {
      const response = await send('GET', `${hxl}/metadata?${query}`, undefined, { as });
      expect([idsOf(response), response.json.total_count]).toEqual([expected, expected.length]);
    }
  });
});
