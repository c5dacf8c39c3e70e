/** Bodies of `multipart/form-data`: parts come to the handler one by one, files as streams. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { operation, refusal, response, serve } from '../support/small-contract.ts';

const properties = {
  title: { type: 'string', maxLength: 9 },
  year: { type: 'integer' },
  tags: { type: 'array', items: { type: 'integer' }, maxItems: 2 },
  place: { type: 'object', required: ['lat'], properties: { lat: { type: 'number' } } },
  file: { type: 'string', format: 'binary', maxLength: 400_000 },
  photos: { type: 'array', minItems: 1, items: { type: 'string', contentMediaType: 'image/png' } },
};
const unbounded = {
  type: 'object',
  properties: { title: { type: 'string' }, file: { type: 'string', format: 'binary' } },
};
const schema = { type: 'object', required: ['title', 'file'], properties };

/** A handler that reads all parts. */
async function readAll({ body }: any) {
  const parts = [];
  for await (const part of body) {
    const { stream, ...rest } = part;
    parts.push(stream ? { ...rest, content: String(await buffer(stream)) } : rest);
  }
  return { status: 200, body: parts };
}

/** Serves one operation that takes parts. */
async function taking(use: (request: any) => Promise<any> = readAll, more: object = {}, bodyLimit = 2 ** 16) {
  const content = {
    'multipart/form-data': { schema: { ...schema, ...more }, encoding: { photos: { contentType: 'image/*' } } },
  };
  const app = await serve({
    paths: operation(content, { 200: response({ 'application/json': {} }), 404: response() }),
    handlers: { use },
    bodyLimit,
  });
  return async (form: FormData | string | Buffer | Readable) => {
    const { headers, ...request } = form instanceof FormData ? await encoded(form) : raw(form);
    return app.inject({ method: 'POST', url: '/things', headers, ...request });
  };
}

const raw = (payload: string | Buffer | Readable) => ({
  payload,
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
});

async function encoded(form: FormData) {
  const request = new Request('http://x', { method: 'POST', body: form });
  return {
    payload: Buffer.from(await request.arrayBuffer()),
    headers: { 'content-type': request.headers.get('content-type')! },
  };
}

function form(...parts: [name: string, value: string | Blob, filename?: string][]): FormData {
  const data = new FormData();
  for (const [name, value, filename] of parts)
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, filename);
  return data;
}

const file = (content: string, type = 'text/plain') => new Blob([content], { type });

test('parts come in the order in which they were sent, fields with their types, files as streams', async () => {
  const send = await taking();
  const sent = form(
    ['title', 'Flood é'],
    ['file', file('content'), 'a.txt'],
    ['year', '2026'],
    ['tags', '1'],
    ['tags', '2'],
    ['place', '{"lat":1.5}'],
    ['unknown', 'x'],
    ['photos', file('png', 'image/png'), 'p.png'],
  );
  expect((await send(sent)).json()).toEqual([
    { name: 'title', value: 'Flood é' },
    { name: 'file', filename: 'a.txt', contentType: 'text/plain', content: 'content' },
    { name: 'year', value: 2026 },
    { name: 'tags', value: 1 },
    { name: 'tags', value: 2 },
    { name: 'place', value: { lat: 1.5 } },
    { name: 'photos', filename: 'p.png', contentType: 'image/png', content: 'png' },
  ]);
});

const title: [string, string] = ['title', 'Flood'];
const some: [string, Blob, string] = ['file', file('content'), 'a.txt'];

test.each<[string, FormData, unknown[]]>([
  ['a field that does not fit', form(['year', '20x6']), [422, 'invalid_type /year']],
  ['a field that is too long', form(['title', 'x'.repeat(10)]), [422, 'too_long /title']],
  ['an item that does not fit', form(['tags', 'x']), [422, 'invalid_type /tags']],
  ['too many items', form(title, some, ['tags', '1'], ['tags', '2'], ['tags', '3']), [422, 'too_many_items /tags']],
  ['a field that is sent twice', form(title, title), [422, 'invalid_type /title']],
  ['JSON that does not fit', form(['place', '{"lat":"x"}']), [422, 'invalid_type /place/lat']],
  ['JSON that lacks a member', form(['place', '{}']), [422, 'required /place/lat']],
  ['JSON that is none', form(['place', '{']), [400, 'malformed_json']],
  ['JSON that is too deep', form(['place', '['.repeat(65) + ']'.repeat(65)]), [422, 'too_deep /place']],
  ['NUL', form(['title', 'a\0']), [422, 'invalid_character /title']],
  ['a file in place of a field', form(['title', file('x'), 'a']), [422, 'invalid_type /title']],
  ['a field in place of a file', form(['file', 'x']), [422, 'invalid_type /file']],
  ['a file of another type', form(['photos', file('x', 'text/plain'), 'a']), [422, 'invalid_format /photos']],
  ['a missing field', form(some), [422, 'required /title']],
  ['a missing file', form(title), [422, 'required /file']],
  ['nothing', form(), [422, 'required /title', 'required /file']],
])('%s is refused', async (_, sent, expected) => {
  for (const use of [readAll, async () => ({ status: 200, body: 'read nothing' })]) {
    const send = await taking(use);
    expect(refusal(await send(sent))).toEqual(expected);
  }
});

test('unknown parts are refused where the contract says so', async () => {
  const send = await taking(readAll, { additionalProperties: false });
  expect(refusal(await send(form(title, some, ['other', 'x'])))).toEqual([422, 'unknown_member ']);
});

test.each([
  ['no boundary in it', 'nothing'],
  ['cut off', '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nFlood'],
  ['a file that is cut off', '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'],
])('a body that is malformed is 400: %s', async (_, body) => {
  expect(refusal(await (await taking())(body))).toEqual([400, 'malformed_request']);
});

test('all parts together are not larger than a body may be, whether the handler reads them or not', async () => {
  const large = file('x'.repeat(40_000));
  const sent = () => form(title, ['file', large, 'a'], ['photos', file('y'.repeat(40_000), 'image/png'), 'b']);
  for (const use of [readAll, async () => ({ status: 200, body: 'read nothing' })]) {
    expect(refusal(await (await taking(use))(sent()))).toEqual([413, 'body_too_large']);
    expect((await (await taking(use, {}, 2 ** 17))(sent())).statusCode).toBe(200);
  }
});

test('a handler may stop reading: what it leaves is checked after a success, and goes by after a refusal', async () => {
  const first = async ({ body }: any) => {
    for await (const { name } of body)
      return name === 'title' ? { status: 200, body: 'one' } : { status: 404, problems: [] };
  };
  const send = await taking(first);
  const large = ['file', file('x'.repeat(60_000)), 'a'] as [string, Blob, string];
  expect((await send(form(title, large))).json()).toBe('one');
  expect(refusal(await send(form(title, ['year', 'x'])))).toEqual([422, 'invalid_type /year']);
  expect((await send(form(large, title))).statusCode).toBe(404);
});

test('a large file flows through in pieces, over a connection that is used again', async () => {
  const size = 5 * 2 ** 20;
  let pieces = 0;
  const count = async ({ body }: any) => {
    let bytes = 0;
    for await (const { stream } of body)
      for await (const piece of stream ?? []) {
        pieces += 1;
        bytes += piece.length;
      }
    return { status: 200, body: bytes };
  };
  const app = await serve({
    paths: operation({ 'multipart/form-data': { schema: unbounded } }, { 200: response({ 'application/json': {} }) }),
    handlers: { use: count },
    bodyLimit: 2 * size,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  for (let times = 0; times < 2; times += 1) {
    const body = form(title, ['file', file('x'.repeat(size)), 'a']);
    expect(await (await fetch(`${url}/things`, { method: 'POST', body })).json()).toBe(size);
  }
  expect(pieces).toBeGreaterThan(20);
});

test('a file is not larger than its schema says, whether the handler reads it or not', async () => {
  for (const use of [readAll, async () => ({ status: 200, body: 'read nothing' })]) {
    const send = await taking(use, {}, 2 ** 20);
    expect((await send(form(title, ['file', file('x'.repeat(400_000)), 'a']))).statusCode).toBe(200);
    const large = form(['file', file('x'.repeat(400_001)), 'a'], title);
    expect(refusal(await send(large))).toEqual([422, 'too_long /file']);
  }
});

test('a body that nobody knows the size of is refused when it has become too large', async () => {
  const app = await serve({
    paths: operation({ 'multipart/form-data': { schema: unbounded } }, { 200: response({ 'application/json': {} }) }),
    handlers: { use: readAll },
  });
  const start = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const payload = Readable.from([Buffer.from(start), ...Array.from({ length: 100 }, () => Buffer.alloc(2 ** 14))]);
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  expect(refusal(await app.inject({ method: 'POST', url: '/things', headers, payload }))).toEqual([
    413,
    'body_too_large',
  ]);
});

test('a handler may look at the beginning of a file only', async () => {
  const look = async ({ body }: any) => {
    const beginnings = [];
    for await (const { stream } of body)
      for await (const piece of stream ?? []) {
        beginnings.push(String(piece).slice(0, 3));
        break;
      }
    return { status: 200, body: beginnings };
  };
  const long = file('abc'.repeat(100_000));
  const sent = form(['file', long, 'a'], title, ['photos', file('def', 'image/png'), 'b']);
  expect((await (await taking(look, {}, 2 ** 20))(sent)).json()).toEqual(['abc', 'def']);
});

/** A part of the Content-Type application/json. */
const jsonPart = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${value}\r\n`;

test('JSON has the same limits, whether its part says that it is JSON or not', async () => {
  const send = await taking();
  const tooDeep = '['.repeat(65) + ']'.repeat(65);
  for (const sent of [form(['place', '{"lat":1e400}']), `${jsonPart('place', '{"lat":1e400}')}--x--\r\n`])
    expect(refusal(await send(sent))).toEqual([422, 'too_large /place/lat']);
  expect(refusal(await send(`${jsonPart('place', tooDeep)}--x--\r\n`))).toEqual([422, 'too_deep /place']);
  expect(refusal(await send(`${jsonPart('place', '{')}--x--\r\n`))).toEqual([400, 'malformed_json']);
});

test('a part that says that it is JSON is read as JSON', async () => {
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n';
  const sent = [jsonPart('title', '"Flood"'), file, jsonPart('year', '2026'), jsonPart('tags', '1')].join('');
  const photo =
    '--x\r\nContent-Disposition: form-data; name="photos"; filename="p"\r\nContent-Type: image/png\r\n\r\np\r\n';
  const send = await taking();
  expect((await send(`${sent}${photo}--x--\r\n`)).json().filter(({ value }: any) => value)).toEqual([
    { name: 'title', value: 'Flood' },
    { name: 'year', value: 2026 },
    { name: 'tags', value: 1 },
  ]);
  expect(refusal(await send(`${jsonPart('tags', '[1,2]')}--x--\r\n`))).toEqual([422, 'invalid_type /tags']);
});

test.each([
  ['JSON', jsonPart('other', JSON.stringify({ text: 'x'.repeat(40_000) }))],
  ['text', `--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n${'é'.repeat(20_000)}\r\n`],
])('parts that the contract does not have count with all their bytes: %s', async (_, part) => {
  const send = await taking(readAll, {}, 2 ** 16);
  expect(refusal(await send(`${part}${part}--x--\r\n`))).toEqual([413, 'body_too_large']);
});

test('text that is not UTF-8 is refused', async () => {
  const send = await taking();
  const sent = '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\n\xe9\r\n--x--\r\n';
  expect(refusal(await send(Buffer.from(sent, 'latin1')))).toEqual([400, 'malformed_request /title']);
});

test('a body has at most 1000 parts', async () => {
  const send = await taking(readAll, { required: [], properties: { tags: { ...properties.tags, maxItems: 2000 } } });
  const tags = (count: number) => form(...Array.from({ length: count }, (): [string, string] => ['tags', '1']));
  expect((await send(tags(1000))).json()).toHaveLength(1000);
  expect(refusal(await send(tags(1001)))).toEqual([413, 'body_too_large']);
});

test('parts that the handler has not asked for stay with the client', async () => {
  const part = `--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n${'1'.repeat(50_000)}\r\n`;
  const first = '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nFlood\r\n';
  let sent = 0;
  function* pieces() {
    yield Buffer.from(first);
    for (; sent < 500; sent += 1) yield Buffer.from(part);
  }
  const sentMeanwhile = Promise.withResolvers<number>();
  const wait = async ({ body }: any) => {
    await body.next();
    await setTimeout(300);
    sentMeanwhile.resolve(sent);
    return { status: 404, problems: [] };
  };
  const send = await taking(wait);
  const responded = send(Readable.from(pieces()));
  expect(await sentMeanwhile.promise).toBeLessThan(20);
  await responded;
});
