/** Responses in the content codings that clients ask for: which one, its headers, and what conditions make of its tag. */
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import report from '../fixtures/flood-report.json' with { type: 'json' };
import { testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const tags = '/api/v3/hxl/tags';

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  zstd: zlib.zstdDecompressSync,
};

/** A service with a survey of several KB, and requests to it. */
async function compressing(env?: Record<string, string>) {
  const { app, send, tokens } = await testService(env);
  const created = await send('POST', surveys, report);
  const id: number = created.json.results[0].id;
  /** A request that accepts these codings. `text` is what is left when the coding is undone. */
  async function ask(accepted: string | undefined, method: string, url: string, more: any = {}) {
    const { body, headers: sent, as = tokens.admin } = more;
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(as && { authorization: `Bearer ${as}` }),
        ...(accepted !== undefined && { 'accept-encoding': accepted }),
        ...sent,
      },
      ...(body && { payload: body }),
    });
    const { statusCode: status, headers, rawPayload: bytes } = response;
    const decode = decoders[headers['content-encoding'] as string];
    return { status, headers, bytes, text: decode && bytes.length > 0 ? String(decode(bytes)) : String(bytes) };
  }
  return { ask, id, one: `${surveys}/${id}`, tokens };
}

test.each([
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0.5 , gzip ; q=0.5', 'br'],
  ['zstd;q=0, *', 'br'],
  ['*', 'zstd'],
  ['*;q=0, gzip;q=0.001', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=x', undefined],
  ['identity', undefined],
  ['deflate, compress', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding: %s', async (accepted, coding) => {
  const { ask } = await compressing();
  const plain = await ask(undefined, 'GET', tags);
  const { headers, bytes, text } = await ask(accepted, 'GET', tags);
  expect(headers['content-encoding']).toBe(coding);
  expect(headers.vary).toBe('authorization, accept-encoding');
  expect(headers['content-length']).toBe(String(bytes.length));
  expect(text).toBe(plain.text);
  if (coding !== undefined) expect(bytes.length).toBeLessThan(plain.bytes.length / 10);
});

test('a response of at most 1 KiB is sent as it is', async () => {
  const { ask } = await compressing();
  const { headers, bytes } = await ask('gzip, br, zstd', 'GET', `${surveys}?only=id,name`);
  expect([headers['content-encoding'], bytes.length < 1024]).toEqual([undefined, true]);
});

test('what is compressed is the same from memory, and follows changes', async () => {
  const { ask, one } = await compressing();
  const texts = async () => {
    const all = [];
    for (let time = 0; time < 4; time += 1)
      for (const accepted of [undefined, 'br', 'gzip']) all.push((await ask(accepted, 'GET', one)).text);
    return new Set(all);
  };
  expect((await texts()).size).toBe(1);
  await ask('br', 'PUT', one, { body: { name: 'Second round' } });
  const [changed, ...others] = await texts();
  expect([JSON.parse(changed!).results[0].name, others]).toEqual(['Second round', []]);
});

test('HEAD has the headers of GET, and no body', async () => {
  const { ask, one } = await compressing();
  for (const accepted of [undefined, 'br'])
    for (const url of [one, tags]) {
      const { headers } = await ask(accepted, 'GET', url);
      const head = await ask(accepted, 'HEAD', url);
      expect(head.bytes).toHaveLength(0);
      for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
        expect(head.headers[name], `${name} of ${url}`).toBe(headers[name]);
    }
});

test('a 304 says nothing of a length, also to HEAD', async () => {
  const { ask, one } = await compressing();
  for (const method of ['GET', 'HEAD']) {
    const { etag } = (await ask(undefined, method, one)).headers;
    const { status, headers } = await ask(undefined, method, one, { headers: { 'if-none-match': etag } });
    expect([status, headers['content-length'], headers.etag]).toEqual([304, undefined, etag]);
  }
});

test('a strong entity tag differs with the coding, a weak one does not', async () => {
  const { ask, one } = await compressing();
  const tagsOf = async (url: string) => {
    const found = [];
    for (const accepted of [undefined, 'br', 'gzip', 'zstd'])
      found.push((await ask(accepted, 'GET', url)).headers.etag);
    return found as string[];
  };
  const [plain, ...coded] = await tagsOf(one);
  expect(plain).toMatch(/^"1-[\w-]+"$/);
  expect(coded).toEqual(['br', 'gzip', 'zstd'].map((coding) => plain!.replace(/"$/, `;${coding}"`)));
  expect(new Set(await tagsOf(tags)).size).toBe(1);
});

test('the entity tag of any coding tells whether there is something new in that coding', async () => {
  const { ask, one } = await compressing();
  const ifNoneMatch = async (accepted: string | undefined, url: string, tag: unknown) => {
    const { status, headers, bytes } = await ask(accepted, 'GET', url, { headers: { 'if-none-match': tag } });
    expect(headers.vary).toBe('authorization, accept-encoding');
    if (status === 304) expect([headers['content-encoding'], bytes.length]).toEqual([undefined, 0]);
    return [status, headers.etag];
  };
  const plain = (await ask(undefined, 'GET', one)).headers.etag;
  const coded = (await ask('br', 'GET', one)).headers.etag;
  expect(await ifNoneMatch('br', one, coded)).toEqual([304, coded]);
  expect(await ifNoneMatch('br', one, `"other", ${coded}`)).toEqual([304, coded]);
  expect(await ifNoneMatch('br', one, `W/${coded}`)).toEqual([304, coded]);
  expect(await ifNoneMatch('br', one, plain)).toEqual([304, plain]);
  expect(await ifNoneMatch(undefined, one, plain)).toEqual([304, plain]);
  // These bytes are not the ones that the client would get.
  expect(await ifNoneMatch(undefined, one, coded)).toEqual([200, plain]);
  expect((await ifNoneMatch('gzip', one, coded))[0]).toBe(200);
  const list = (await ask('br', 'GET', tags)).headers.etag;
  for (const accepted of ['br', undefined]) expect(await ifNoneMatch(accepted, tags, list)).toEqual([304, list]);
  // Its entity tag is made of the content.
  const license = '/api/v3/hxl/tags/1';
  const tag = (await ask('gzip', 'GET', license)).headers.etag;
  expect(await ifNoneMatch('gzip', license, tag)).toEqual([304, tag]);
});

test('a change may name the state that was read in any coding', async () => {
  const { ask, one } = await compressing();
  for (const accepted of ['br', 'gzip', 'zstd', undefined]) {
    const { etag } = (await ask(accepted, 'GET', one)).headers;
    const change = (headers: object) => ask(accepted, 'PUT', one, { headers, body: { name: `With ${accepted}` } });
    const read = await ask(accepted, 'GET', one, { headers: { 'if-match': etag } });
    expect(read.status).toBe(200);
    expect((await change({ 'if-none-match': etag })).status).toBe(412);
    const changed = await change({ 'if-match': etag });
    expect(changed.status).toBe(200);
    expect((await change({ 'if-match': etag })).status).toBe(412);
    // The tag of what a change returned is as good.
    const again = await ask(accepted, 'PUT', one, { headers: { 'if-match': changed.headers.etag }, body: {} });
    expect(again.status).toBe(200);
  }
  const { etag } = (await ask('br', 'GET', one)).headers;
  expect((await ask('br', 'DELETE', one, { headers: { 'if-match': etag } })).status).toBe(200);
});

test('a refusal of more than 1 KiB is compressed too', async () => {
  const { ask } = await compressing();
  const body = { tasks: Array.from({ length: 50 }, () => ({})) };
  const plain = await ask(undefined, 'POST', surveys, { body });
  expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding']);
  for (const coding of ['br', 'gzip', 'zstd']) {
    const { status, headers, bytes, text } = await ask(coding, 'POST', surveys, { body });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([422, coding, 'accept-encoding']);
    expect(JSON.parse(text).errors).toEqual(JSON.parse(plain.text).errors);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
  }
  const small = await ask('br', 'GET', `${surveys}/999`);
  expect([small.status, small.headers['content-encoding'], small.headers.vary]).toEqual([404, undefined, undefined]);
});

test('nothing is compressed where it is turned off', async () => {
  const { ask, one } = await compressing({ COMPRESSION: 'false' });
  for (const url of [one, tags, surveys]) {
    const { headers } = await ask('br, gzip, zstd', 'GET', url);
    expect(headers['content-encoding']).toBeUndefined();
    expect(String(headers.vary)).not.toMatch(/encoding/);
  }
});

test.each(['br', 'gzip', 'zstd'])('a list is compressed with %s while it is sent', async (coding) => {
  // In development replies are put together and checked, and so not streamed.
  const { ask } = await compressing({ NODE_ENV: 'production' });
  for (let count = 1; count < 30; count += 1) await ask(undefined, 'POST', surveys, { body: report });
  const plain = await ask(undefined, 'GET', surveys);
  const { headers, bytes, text } = await ask(coding, 'GET', surveys);
  expect([headers['content-encoding'], headers['content-length']]).toEqual([coding, undefined]);
  expect(headers.vary).toBe('accept-encoding');
  expect(text).toBe(plain.text);
  expect(bytes.length).toBeLessThan(plain.bytes.length / 10);
  const head = await ask(coding, 'HEAD', surveys);
  expect([head.bytes.length, head.headers['content-encoding']]).toEqual([0, coding]);
});

test('a compressed list with something damaged in it is refused, or breaks off when its begin is on the way', async () => {
  const { app, db, send, tokens } = await testService({ NODE_ENV: 'production' });
  for (let count = 0; count < 60; count += 1) await send('POST', surveys, report);
  await db.query.updateTable('surveys').set({ name: 'Damaged' }).where('id', '=', 60).execute();
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const coding of ['br', 'gzip', 'zstd']) {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'accept-encoding': coding };
    const read = async () => {
      const response = await fetch(`${origin}${surveys}`, { headers });
      const { errors } = (await response.json()) as { errors: { code: string }[] };
      return [response.status, errors[0]!.code];
    };
    const result = await read().catch(() => 'broken off');
    expect([[500, 'content_corrupt'], 'broken off']).toContainEqual(result);
  }
  expect((await send('GET', `${surveys}/1`)).status).toBe(200);
});
