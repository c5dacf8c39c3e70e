/** Conditional requests on surveys and HXL records: entity tags, 304, 412 and 428. */
import { describe, expect, test } from 'vitest';
import { problems, type TestResponse, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const hxl = '/api/v3/hxl';
const metadata = {
  private: false,
  dataset_title: 'People displaced',
  license_id: 1,
  organisation_id: 'red-cross',
  organisation_name: 'Red Cross',
  source: 'Field teams',
};
const tagOf = ({ headers }: TestResponse) => headers.etag as string;

describe('a survey', () => {
  /** A service with one survey, and its tag. */
  async function withSurvey(env?: Record<string, string>) {
    const { send, ...service } = await testService(env);
    const made = await send('POST', surveys, { name: 'Flood', tasks: [{ label: 'Report' }] });
    const put = (body: object, headers: Record<string, string> = {}) => send('PUT', `${surveys}/1`, body, { headers });
    const get = (headers: Record<string, string> = {}, query = '') =>
      send('GET', `${surveys}/1${query}`, undefined, { headers });
    return { ...service, send, made, put, get };
  }

  test('has the same strong tag and time wherever it is written and read whole', async () => {
    const { made, put, get } = await withSurvey();
    expect(tagOf(made)).toMatch(/^"1-[\w-]+"$/);
    const read = await get();
    expect([tagOf(read), read.headers['last-modified']]).toEqual([tagOf(made), made.headers['last-modified']]);
    expect(new Date(read.headers['last-modified'] as string).toISOString().slice(0, 19)).toBe(
      read.json.results[0].created.slice(0, 19),
    );
    const changed = await put({ name: 'Flood, second round' });
    expect(tagOf(changed)).toMatch(/^"2-/);
    expect(tagOf(await get())).toBe(tagOf(changed));
  });

  test('may be cached by its caller, who has to ask', async () => {
    const { get, made } = await withSurvey();
    for (const { headers } of [await get(), await get({ 'if-none-match': tagOf(made) })])
      expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'authorization, accept-encoding' });
    expect(made.headers['cache-control']).toBe('private, no-store');
  });

  test('keeps its revision, its tag and its time when a change changes nothing', async () => {
    const { put, get, made } = await withSurvey();
    const { json } = await get();
    for (const body of [{}, { name: 'Flood' }, json.results[0]]) {
      const same = await put(body);
      expect([same.status, tagOf(same)]).toEqual([200, tagOf(made)]);
      expect(same.json).toEqual(json);
    }
  });

  test.each(['', '?only=name', '?hydrate=', '?only=name&hydrate=tasks'])(
    'is not sent again to those who have it: %s',
    async (query) => {
      const { get, put, send } = await withSurvey();
      const first = await get({}, query);
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await send(method, `${surveys}/1${query}`, undefined, {
          headers: { 'if-none-match': `"other", ${tagOf(first)}` },
        });
        expect([status, text, headers.etag]).toEqual([304, '', tagOf(first)]);
        expect(headers).not.toHaveProperty('content-type');
        expect(headers['last-modified']).toBe(first.headers['last-modified']);
      }
      expect((await get({ 'if-modified-since': first.headers['last-modified'] as string }, query)).status).toBe(304);
      await put({ tasks: [] });
      const again = await get({ 'if-none-match': tagOf(first) }, query);
      expect([again.status, again.json.results.length]).toEqual([200, 1]);
      expect(tagOf(again)).not.toBe(tagOf(first));
    },
  );

  test('has another tag for each way to read it', async () => {
    const { get, send } = await withSurvey();
    const ways = ['', '?only=name', '?only=id', '?hydrate='];
    const tags = [];
    for (const way of ways) tags.push(tagOf(await get({}, way)));
    tags.push(tagOf(await send('GET', `${surveys}/1`, undefined, { as: 'user' })));
    expect(new Set(tags).size).toBe(ways.length + 1);
    expect(tagOf(await get({}, '?only=name,id'))).toBe(tags[1]);
  });

  test('is changed only in the state that was read, whatever was read of it', async () => {
    const { get, put } = await withSurvey();
    const stale = tagOf(await get({}, '?only=name'));
    expect((await put({ name: 'First' }, { 'if-match': stale })).status).toBe(200);
    const refused = await put({ name: 'Second', tasks: [] }, { 'if-match': stale });
    expect([refused.status, problems(refused)]).toEqual([412, ['precondition_failed']]);
    const now = await get();
    expect(tagOf(refused)).toBe(tagOf(now));
    expect(now.json.results[0]).toMatchObject({ name: 'First', tasks: [{ label: 'Report' }] });
    expect((await put({ name: 'Second' }, { 'if-match': `${stale}, ${tagOf(refused)}` })).status).toBe(200);
    expect((await put({ name: 'Third' }, { 'if-match': '*' })).status).toBe(200);
    expect((await put({ name: 'Fourth' }, { 'if-match': `W/${tagOf(await get())}` })).status).toBe(412);
    expect((await put({ name: 'Fourth' }, { 'if-none-match': '*' })).status).toBe(412);
    expect((await put({ name: 'Fourth' }, { 'if-none-match': '"0-x"' })).status).toBe(200);
  });

  test('is changed only as long as it was not changed since a time', async () => {
    const { put } = await withSurvey();
    const long = 'Sun, 01 Mar 2020 09:30:00 GMT';
    expect((await put({ name: 'Late' }, { 'if-unmodified-since': long })).status).toBe(412);
    const soon = new Date(Date.now() + 60_000).toUTCString();
    expect((await put({ name: 'In time' }, { 'if-unmodified-since': soon })).status).toBe(200);
    expect((await put({ name: 'No time' }, { 'if-unmodified-since': 'soon' })).status).toBe(200);
  });

  test('is deleted only in the state that was read', async () => {
    const { put, send, made } = await withSurvey();
    const current = tagOf(await put({ name: 'Changed' }));
    const remove = (tag: string) => send('DELETE', `${surveys}/1`, undefined, { headers: { 'if-match': tag } });
    const refused = await remove(tagOf(made));
    expect([refused.status, tagOf(refused)]).toEqual([412, current]);
    expect((await remove(current)).status).toBe(200);
    expect((await remove(current)).status).toBe(404);
    expect((await put({}, { 'if-match': current })).status).toBe(404);
  });

  test('is read only in a state that is named, too', async () => {
    const { get, made, put } = await withSurvey();
    expect((await get({ 'if-match': tagOf(made) })).status).toBe(200);
    await put({ name: 'Changed' });
    expect(problems(await get({ 'if-match': tagOf(made) }))).toEqual(['precondition_failed']);
    expect((await get({ 'if-unmodified-since': 'Sun, 01 Mar 2020 09:30:00 GMT' })).status).toBe(412);
  });

  test('a tag that is none is refused, so that nobody believes to be safe', async () => {
    const { put, get, made } = await withSurvey();
    for (const tag of ['1', tagOf(made).slice(1), '"1" "2"']) {
      expect(problems(await put({}, { 'if-match': tag }))).toEqual(['invalid_header if-match']);
      expect(problems(await get({ 'if-none-match': tag }))).toEqual(['invalid_header if-none-match']);
    }
  });

  test('with REQUIRE_IF_MATCH is changed and deleted with If-Match only', async () => {
    const { put, send, made } = await withSurvey({ REQUIRE_IF_MATCH: 'true' });
    expect(made.status).toBe(201);
    for (const response of [await put({ name: 'Unsafe' }), await send('DELETE', `${surveys}/1`)])
      expect([response.status, problems(response)]).toEqual([428, ['precondition_required if-match']]);
    expect((await put({ name: 'Safe' }, { 'if-match': tagOf(made) })).status).toBe(200);
  });

  test('is not found by those who may not see it, whatever tag they know', async () => {
    const { put, send } = await withSurvey();
    const { headers } = await put({ disabled: true });
    for (const name of ['if-none-match', 'if-match']) {
      const options = { as: 'user' as const, headers: { [name]: headers.etag as string } };
      expect((await send('GET', `${surveys}/1`, undefined, options)).status).toBe(404);
    }
  });
});

describe('lists and records', () => {
  test.each([
    surveys,
    `${surveys}?limit=2&only=name`,
    hxl,
    `${hxl}/tags?limit=3`,
    `${hxl}/licenses`,
    `${hxl}/metadata?limit=5`,
    `${hxl}/organisations`,
  ])('a page has a weak tag, and is not sent again to those who have it: %s', async (url) => {
    const { send } = await testService();
    await send('POST', surveys, { name: 'One' });
    await send('POST', `${hxl}/metadata`, metadata);
    const first = await send('GET', url);
    expect(tagOf(first)).toMatch(/^W\/"[\w-]{22}"$/);
    const headers = { 'if-none-match': tagOf(first) };
    // The second time it may come from memory.
    for (const _ of ['anew', 'again', 'from memory']) {
      const second = await send('GET', url, undefined, { headers });
      expect([second.status, second.text, tagOf(second)]).toEqual([304, '', tagOf(first)]);
    }
    await send('PUT', `${surveys}/1`, { name: 'Another' });
    await send('POST', `${hxl}/metadata`, metadata);
    const changes = !/tags|licenses|hxl$/.test(url);
    expect((await send('GET', url, undefined, { headers })).status).toBe(changes ? 200 : 304);
  });

  test.each([`${hxl}/tags/1`, `${hxl}/licenses/1`, `${hxl}/metadata/1`])(
    'a record has a strong tag: %s',
    async (url) => {
      const { send } = await testService();
      const made = await send('POST', `${hxl}/metadata`, metadata);
      const { status, headers } = await send('GET', url);
      expect([status, headers.etag]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)]);
      if (url.includes('metadata'))
        expect([made.headers.etag, headers['last-modified']]).toEqual([headers.etag, made.headers['last-modified']]);
      for (const [name, expected] of [
        ['if-none-match', 304],
        ['if-match', 200],
      ] as const)
        expect((await send('GET', url, undefined, { headers: { [name]: headers.etag as string } })).status).toBe(
          expected,
        );
      expect((await send('GET', url, undefined, { headers: { 'if-match': '"x"' } })).status).toBe(412);
    },
  );

  test('what two callers may see differently has different tags', async () => {
    const { send } = await testService();
    await send('POST', surveys, { name: 'Hidden', disabled: true });
    const tags = [];
    for (const as of ['admin', 'user'] as const) tags.push(tagOf(await send('GET', surveys, undefined, { as })));
    expect(tags[0]).not.toBe(tags[1]);
  });
});
