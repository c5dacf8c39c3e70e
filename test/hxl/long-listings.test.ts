/** Listings of many metadata records and organisations: sent while they are read, and the same as in pages. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller } from '../../src/api/caller.ts';
import type { Context, Request } from '../../src/api/handler.ts';
import type { Json } from '../../src/contract/json-body.ts';
import { listHxlMetadata } from '../../src/hxl/handlers.ts';
import { service, testService } from '../support/service.ts';

const base = '/api/v3/hxl';
const count = 350;

type Service = Awaited<ReturnType<typeof service>>;

/** Adds records of two users, some of them private, with ties in every member. */
async function fill({ db }: Service, records: number, firstId?: number): Promise<void> {
  const rows = Array.from({ length: records }, (_, at) => {
    const organisation = `Org ${(at * 7) % 150}`;
    return {
      ...(firstId !== undefined && { id: firstId + at }),
      user_id: 1 + (at % 2),
      private: at % 5 === 0 ? (1 as const) : (0 as const),
      dataset_title: `Título ${(at * 13) % 50}`,
      license_id: 1 + (at % 8),
      organisation_id: at % 3 === 0 ? organisation.toUpperCase() : organisation,
      organisation_name: `Name "${at % 17}"`,
      source: `Source ${at % 3}`,
      created: `2025-01-0${1 + (at % 9)}T00:00:00.000+00:00`,
      updated: at % 4 === 0 ? null : '2025-02-01T00:00:00.000+00:00',
      dataset_title_key: `título ${(at * 13) % 50}`,
      organisation_key: organisation.toLowerCase(),
    };
  });
  for (let at = 0; at < records; at += 200)
    await db.query
      .insertInto('hxl_metadata')
      .values(rows.slice(at, at + 200))
      .execute();
}

// After as many records it is read in a thread of its own.
describe.each([1, 10_000])('a long listing, from record %i on', (firstId) => {
  let shared: Service;
  beforeAll(async () => {
    // In development replies are put together and checked, and so not streamed.
    shared = await service({ NODE_ENV: 'production' });
    await fill(shared, count, firstId);
  });
  afterAll(() => shared.close());

  /** What a listing has, read in pages of 100, which are not streamed. */
  async function inPages(url: string, as: 'admin' | 'manager' | 'user'): Promise<any> {
    const results: object[] = [];
    for (let offset = 0; ; offset += 100) {
      const { status, json } = await shared.send('GET', `${url}&limit=100&offset=${offset}`, undefined, { as });
      expect(status).toBe(200);
      results.push(...json.results);
      if (json.results.length < 100) return { results, total: json.total_count };
    }
  }

  test.each([
    'metadata?',
    'metadata?order=desc',
    'metadata?orderby=url',
    'metadata?orderby=dataset_title',
    'metadata?orderby=updated&order=desc',
    'metadata?orderby=private',
    'metadata?name=T%C3%ADtulo%207',
    'metadata?order=desc&code=hrinfo-by',
    'metadata?organisation_id=ORG%207',
    'organisations?',
    'organisations?order=desc',
    'organisations?orderby=name',
    'organisations?orderby=metadata_count&order=desc',
  ])('%s has what its pages have, in the same order', async (listing) => {
    for (const as of ['admin', 'manager', 'user'] as const) {
      const url = `${base}/${listing}`;
      const { results, total } = await inPages(url, as);
      expect(total).toBe(results.length);
      const ask = async (query: string) => {
        const { status, json } = await shared.send('GET', `${url}${query}`, undefined, { as });
        expect(status).toBe(200);
        return json;
      };
      for (const [query, part] of [
        ['', results],
        ['&offset=0', results],
        ['&offset=1', results.slice(1)],
        ['&offset=150', results.slice(150)],
        ['&offset=2147483647', []],
        ['&limit=101', results.slice(0, 101)],
        ['&limit=1000', results],
        ['&limit=1000&offset=30', results.slice(30)],
      ] as const) {
        const { results: found, count, total_count, ...rest } = await ask(query);
        expect([query, count, total_count]).toEqual([query, part.length, total]);
        expect(found).toEqual(part);
        const few = await ask(`${query.replace(/&limit=\d+/, '')}&limit=1`);
        expect(Object.keys({ ...rest, results: 0, count: 0, total_count: 0 }).toSorted()).toEqual(
          Object.keys(few).toSorted(),
        );
        expect([rest.offset, rest.order, rest.orderby]).toEqual([few.offset, few.order, few.orderby]);
        const limit = /limit=(\d+)/.exec(query)?.[1] ?? null;
        expect([rest.limit, rest.curr]).toEqual([limit, few.curr.replace('&limit=1', limit ? `&limit=${limit}` : '')]);
      }
    }
  });

  test('has the text that the contract serialises of a short one', async () => {
    for (const listing of ['metadata', 'organisations']) {
      const ask = async (query: string) => (await shared.send('GET', `${base}/${listing}?${query}`)).text;
      const [long, short] = [await ask('limit=101'), await ask('limit=100')];
      // The short one with one record more, and the links and the count of the long one.
      const last = JSON.stringify(JSON.parse(long).results[100]);
      const expected = short.replace('"count":100', '"count":101').replaceAll('limit=100', 'limit=101');
      expect(long).toBe(
        `${expected.replace('"limit":"100"', '"limit":"101"').replace('offset=100', 'offset=101').slice(0, -2)},${last}]}`,
      );
    }
  });

  test('has no body when only its head is asked for', async () => {
    const head = await shared.send('HEAD', `${base}/metadata`);
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ]);
  });
});

test('a long listing is streamed, a short one is sent in one piece, and so is one without a limit', async () => {
  const running = await testService({ NODE_ENV: 'production' });
  await fill(running, 100);
  const length = async () => (await running.send('GET', `${base}/metadata`)).headers['content-length'];
  expect(await length()).toBeDefined();
  await fill(running, 1);
  expect(await length()).toBeUndefined();
});

test.each(['', 'order=desc', 'orderby=dataset_title', 'orderby=source&order=desc'])(
  'records that are added while a listing is being sent are not in it, and its counts are right (%s)',
  async (query) => {
    const running = await testService();
    const { db } = running;
    await fill(running, 300);
    const context: Context = {
      db,
      surveySizeLimit: 2 ** 22,
      ifMatchRequired: false,
      caller: new Caller({ id: 1, role: 'admin' }),
      url: (path) => `http://service.test${path}`,
    };
    const before = JSON.parse((await running.send('GET', `${base}/metadata?${query}`)).text);
    const request = {
      query: { offset: 0, orderby: 'id', order: 'asc', ...Object.fromEntries(new URLSearchParams(query)) },
    } as unknown as Request<'listHxlMetadata'>;
    const { body } = await listHxlMetadata(request, context);
    let text = '';
    for await (const piece of (body as Json<unknown>).text as AsyncIterable<string>) {
      text += piece;
      await fill(running, 20);
    }
    expect(JSON.parse(text)).toEqual(before);
    expect(before.results).toHaveLength(300);
  },
);

test('others are served while a long listing is read as fast as possible', async () => {
  const running = await testService({ NODE_ENV: 'production' });
  await fill(running, 3000);
  let ended = false;
  const listing = running.send('GET', `${base}/metadata`).then(({ json }) => {
    ended = true;
    return json;
  });
  let served = 0;
  while (!ended) {
    expect((await running.send('GET', `${base}/licenses?limit=1&offset=${served % 8}`)).status).toBe(200);
    served += 1;
    // What is sent with `inject` does not wait for the event loop.
    await setImmediate();
  }
  expect((await listing).count).toBe(3000);
  expect(served).toBeGreaterThan(5);
});
