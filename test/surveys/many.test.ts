/** Lists of so many surveys that they are sorted and filtered in a thread of their own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDigests } from '../support/digests.ts';
import { service } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const count = 5200;

/** What differs between the surveys. */
const rows = Array.from({ length: count }, (_, at) => at + 1).map((id) => ({
  id,
  name: id % 3 === 0 ? 'Same name' : `Name ${(id * 7919) % count}`,
  search_text: id % 2000 === 0 ? 'rare\nrarely' : `common ${id}`,
  type: ['report', 'post', 'other'][id % 3]!,
  disabled: id % 4 === 0 ? (1 as const) : (0 as const),
  updated: id % 5 === 0 ? null : `2025-01-01T00:00:00.${String((id * 31) % 1000).padStart(3, '0')}+00:00`,
}));
type Row = (typeof rows)[number];

describe('a list of many surveys', () => {
  let running: Awaited<ReturnType<typeof service>>;
  beforeAll(async () => {
    running = await service();
    const { query } = running.db;
    await running.send('POST', surveys, { translations: { ar: { name: 'مسح' } } });
    const first = await query.selectFrom('surveys').selectAll().executeTakeFirstOrThrow();
    await query.deleteFrom('surveys').execute();
    const stored = rows.map((row) => withDigests({ ...first, ...row }));
    for (let at = 0; at < count; at += 100) {
      const some = stored.slice(at, at + 100);
      await query.insertInto('surveys').values(some).execute();
    }
  });
  afterAll(() => running.close());

  const everything = () => true;
  test.each<[query: string, by: keyof Row, fits: (row: Row) => boolean]>([
    ['orderby=id', 'id', everything],
    ['orderby=name', 'name', everything],
    ['orderby=type', 'type', everything],
    ['orderby=updated', 'updated', everything],
    ['orderby=disabled', 'disabled', everything],
    ['q=rare', 'id', ({ id }) => id % 2000 === 0],
    ['q=rare&orderby=type', 'type', ({ id }) => id % 2000 === 0],
    ['q=common&orderby=name', 'name', ({ id }) => id % 2000 !== 0],
    ['disabled=false&orderby=updated', 'updated', ({ disabled }) => disabled === 0],
    ['language=ar&base_language=en-US&q=1', 'id', ({ search_text }) => search_text.includes('1')],
    [
      'updated_since=2025-01-01T00:00:00.990Z',
      'id',
      ({ updated }) => updated === null || updated >= '2025-01-01T00:00:00.990',
    ],
    ['language=fr', 'id', () => false],
    ['ids=5,4,4999,9999&orderby=name', 'name', ({ id }) => [5, 4, 4999].includes(id)],
  ])('is in order, whole and page by page: %s', async (query, by, fits) => {
    const rank = (row: Row) => row[by] ?? '';
    for (const descending of [false, true]) {
      for (const as of ['admin', 'user'] as const) {
        const get = (more: string) =>
          running.send('GET', `${surveys}?${query}&order=${descending ? 'desc' : 'asc'}&only=id${more}`, undefined, {
            as,
          });
        const ids = (response: Awaited<ReturnType<typeof get>>) => response.json.results.map(({ id }: Row) => id);
        const sign = descending ? -1 : 1;
        const expected = rows
          .filter((row) => fits(row) && (as === 'admin' || row.disabled === 0))
          .sort((one, other) =>
            rank(one) === rank(other) ? one.id - other.id : rank(one) < rank(other) ? -sign : sign,
          )
          .map(({ id }) => id);
        expect(ids(await get(''))).toEqual(expected);
        const page = await get('&limit=15&offset=10');
        expect(ids(page)).toEqual(expected.slice(10, 25));
        expect(page.headers['x-total-count']).toBe(
          expected.length > 1000 && fits !== everything ? undefined : String(expected.length),
        );
        const next = /<http:\/\/service.test([^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1];
        expect(next === undefined).toBe(expected.length <= 25);
        if (next !== undefined)
          expect(ids(await running.send('GET', next, undefined, { as }))).toEqual(expected.slice(25, 40));
      }
    }
  });
});
