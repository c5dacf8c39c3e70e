/** Request bodies over a socket: what is JSON, how large it may be, how it may arrive, and its media type. */
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Role } from '../../src/api/caller.ts';
import { bodyLimit, head, jsonType, listeningService, parse, refusal } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { dial, raw, send, tokens } = await listeningService();

/** Posts a body as a survey. */
const post = (body: string | Buffer, type: string | string[] = jsonType, as: Role | null = 'admin') =>
  send('POST', surveys, { as, body, headers: { 'Content-Type': type } });

/** Creates a survey and returns its id. */
const created = async () => (await post('{"name":"A survey"}')).json.results[0].id as number;

test.each<[string, string | Buffer, [number, ...string[]]]>([
  ['half of an object', '{"name":"Flood"', [400, 'malformed_json']],
  ['two values', '{} {}', [400, 'malformed_json']],
  ['a comment', '{/* */}', [400, 'malformed_json']],
  ['NaN', '{"name":NaN}', [400, 'malformed_json']],
  ['nothing', '', [400, 'malformed_json']],
  ['white space', ' \r\n\t', [400, 'malformed_json']],
  ['a byte order mark alone', '\uFEFF', [400, 'malformed_json']],
  ['two byte order marks', '\uFEFF\uFEFF{}', [400, 'malformed_json']],
  ['Latin-1', Buffer.from('{"name":"\xE9t\xE9"}', 'latin1'), [400, 'malformed_json']],
  ['UTF-16', Buffer.from('\uFEFF{"name":"Flood"}', 'utf16le'), [400, 'malformed_json']],
  ['a surrogate in UTF-8', Buffer.from('7b226e616d65223a22eda0806162227d', 'hex'), [400, 'malformed_json']],
  ['gzip', gzipSync('{"name":"Flood"}'), [400, 'malformed_json']],
  ['an escaped NUL', '{"name":"a\\u0000b"}', [422, 'invalid_character /name']],
  ['half of a surrogate pair', '{"name":"a\\ud800b"}', [422, 'invalid_character /name']],
  ['an array', '[]', [422, 'invalid_type ']],
  ['null', 'null', [422, 'invalid_type ']],
  ['a name that is a number', '{"name":7}', [422, 'invalid_type /name']],
])('a body that is %s is refused', async (_, body, expected) => {
  expect(refusal(await post(body))).toEqual(expected);
});

test('a byte order mark before the JSON is allowed', async () => {
  const { status, json } = await post('\uFEFF{"name":"Überschwemmung"}');
  expect([status, json.results?.[0].name]).toEqual([201, 'Überschwemmung']);
});

test('a body may arrive in chunks, cut anywhere', async () => {
  const body = Buffer.from('{"name":"Überschwemmung 👍"}');
  const { socket, received } = await dial();
  const headers = ['Connection: close', `Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked'];
  socket.write(`${head('POST', surveys, tokens.admin, ...headers)}\r\n`);
  for (const byte of body) socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
  socket.write('0\r\n\r\n');
  await once(socket, 'close');
  expect([parse(received()).status, received().includes('Überschwemmung 👍')]).toEqual([201, true]);
});

test('a body of the largest size is accepted, one byte more is refused', async () => {
  expect((await post('{"name":"Flood"}'.padEnd(bodyLimit))).status).toBe(201);
  expect(refusal(await post('{"name":"Flood"}'.padEnd(bodyLimit + 1)))).toEqual([413, 'body_too_large']);
});

test('a body whose length is announced as too large is refused before it arrives', async () => {
  const headers = ['Connection: close', `Content-Type: ${jsonType}`, 'Content-Length: 900000000'];
  const response = await raw(`${head('POST', surveys, tokens.admin, ...headers)}\r\n`);
  expect([...refusal(response), response.headers.connection]).toEqual([413, 'body_too_large', 'close']);
});

test('a body in chunks is refused once it is too large', async () => {
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const headers = [`Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked'];
  const { socket, received } = await dial();
  socket.write(`${head('POST', surveys, tokens.admin, ...headers)}\r\n${chunk}${chunk}`);
  await expect.poll(received).toContain('"code":"body_too_large"');
  expect(refusal(parse(received()))).toEqual([413, 'body_too_large']);
});

test.each<[string, string, string, Role | null, number]>([
  ['POST', surveys, jsonType, null, 401],
  ['POST', surveys, jsonType, 'user', 403],
  ['PATCH', surveys, jsonType, null, 405],
  ['POST', '/nothing', jsonType, null, 404],
  ['POST', surveys, 'text/plain', 'admin', 415],
  ['PUT', '/docs', jsonType, null, 405],
])(
  '%s %s with a body of %s as %s is refused before the body arrives, with %i',
  async (method, url, type, as, status) => {
    const { socket, received } = await dial();
    const lines = [
      `${method} ${url} HTTP/1.1`,
      'Host: x',
      ...(as ? [`Authorization: Bearer ${tokens[as]}`] : []),
      `Content-Type: ${type}`,
      'Content-Length: 900000000',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"name":`);
    await expect.poll(received).toContain('request_id');
    expect(refusal(parse(received()))[0]).toBe(status);
  },
);

test('a body with the members __proto__ and constructor does no harm', async () => {
  const members = [
    '"name":"Flood"',
    '"__proto__":{"name":7,"polluted":true}',
    '"constructor":{"prototype":{"polluted":true}}',
    '"toString":1',
    '"hasOwnProperty":null',
  ];
  const { status, json, text } = await post(`{${members.join()}}`);
  expect([status, json.results?.[0].name, text.includes('polluted')]).toEqual([201, 'Flood', false]);
  expect(refusal(await post('{"__proto__":{"name":"Flood"},"name":7}'))).toEqual([422, 'invalid_type /name']);
  expect('polluted' in {}).toBe(false);
  const metadata = await send('POST', '/api/v3/hxl/metadata', {
    body: '{"__proto__":{"dataset_title":"Flood","source":"Flood"},"constructor":{}}',
    headers: { 'Content-Type': jsonType },
  });
  expect(refusal(metadata)).toContain('required /dataset_title');
  const { status: read } = await send('GET', `${surveys}?__proto__=1&constructor=2&toString=3&limit[]=0`);
  expect(read).toBe(200);
});

test.each<string | string[]>([
  jsonType,
  'Application/JSON',
  'APPLICATION/json',
  `${jsonType}; charset=utf-8`,
  `${jsonType};charset=UTF-8`,
  `${jsonType}; charset="utf-8"`,
  `${jsonType} ; profile=x`,
  [jsonType, 'text/plain'],
])('a body of type %s is read as JSON and validated', async (type) => {
  expect((await post('{"name":"Flood"}', type)).status).toBe(201);
  expect(refusal(await post('{"name":7}', type))).toEqual([422, 'invalid_type /name']);
});

test.each<string | string[]>([
  'application/jsonx',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/vnd.api+json',
  'application/x-json',
  'text/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application',
  '*/*',
  'application/*',
  'json',
  '',
  `text/plain; x=${jsonType}`,
  `text/plain, ${jsonType}`,
  `${jsonType}, text/plain`,
  `${jsonType} text/plain`,
  `x${jsonType}`,
  `${jsonType}\tx`,
  ['text/plain', jsonType],
  `${jsonType}; charset=latin1`,
  `${jsonType}; charset=utf-16`,
  `${jsonType}; charset="iso-8859-1"`,
  `${jsonType}; charset=utf-80`,
])('a body of type %j is refused, whatever it contains', async (type) => {
  for (const body of ['{"name":"Flood"}', '{"name":7}', '{'])
    expect(refusal(await post(body, type))).toEqual([415, 'unsupported_media_type content-type']);
});

test('a body without a media type is refused', async () => {
  expect(refusal(await send('POST', surveys, { body: '{"name":"Flood"}' }))).toEqual([
    415,
    'unsupported_media_type content-type',
  ]);
});

test('a request without body and media type is refused for its empty body', async () => {
  expect(refusal(await send('POST', surveys))).toEqual([400, 'malformed_json']);
  expect(refusal(await send('POST', surveys, { body: '' }))).toEqual([400, 'malformed_json']);
});

test.each(['{"name":7}', '{', '', ' '.repeat(bodyLimit + 1)])('GET and DELETE ignore a body (%.12j)', async (body) => {
  for (const type of [jsonType, 'text/plain', '???', 'multipart/form-data', `${jsonType}; charset=latin1`]) {
    const id = await created();
    const read = await send('GET', `${surveys}/${id}?only=name`, { body, headers: { 'Content-Type': type } });
    expect([type, read.status, read.json.results]).toEqual([type, 200, [{ id, name: 'A survey' }]]);
    const removed = await send('DELETE', `${surveys}/${id}`, { body, headers: { 'Content-Type': type } });
    expect([type, removed.status, removed.json]).toEqual([type, 200, { result: { deleted: id } }]);
  }
});

test('GET and DELETE ignore a body in chunks, and the connection stays open', async () => {
  const id = await created();
  const chunked = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n';
  const { socket, received } = await dial();
  socket.write(head('GET', `${surveys}/${id}?only=id`, tokens.admin) + chunked);
  await expect.poll(received).toContain(`{"results":[{"id":${id}}]}`);
  socket.write(head('DELETE', `${surveys}/${id}`, tokens.admin) + chunked);
  await expect.poll(received).toContain(`{"result":{"deleted":${id}}}`);
});

test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'x'])('a body with the encoding %s is refused', async (encoding) => {
  const headers = { 'Content-Type': jsonType, 'Content-Encoding': encoding };
  const response = await send('POST', surveys, { body: gzipSync('{"name":"Flood"}'), headers });
  expect(refusal(response)).toEqual([415, 'unsupported_content_encoding content-encoding']);
  expect(response.headers['accept-encoding']).toBe('identity');
});

test('a body that is called compressed and is not is refused', async () => {
  const headers = { 'Content-Type': jsonType, 'Content-Encoding': 'gzip' };
  for (const [method, url] of [
    ['POST', surveys],
    ['PUT', `${surveys}/${await created()}`],
    ['POST', '/api/v3/hxl/metadata'],
  ] as const) {
    const response = await send(method, url, { body: '{"name":"Flood"}', headers });
    expect(refusal(response)).toEqual([415, 'unsupported_content_encoding content-encoding']);
    expect(response.headers['accept-encoding']).toBe('identity');
  }
});

test('a part of a survey cannot be put', async () => {
  const url = `${surveys}/${await created()}`;
  const headers = { 'Content-Type': jsonType, 'Content-Range': 'bytes 0-15/100' };
  const body = '{"name":"Other"}';
  expect(refusal(await send('PUT', url, { body, headers }))).toEqual([400, 'invalid_header content-range']);
  expect((await send('GET', url)).json.results[0].name).toBe('A survey');
  // Other methods ignore the header (RFC 9110, section 14.4).
  expect((await send('POST', surveys, { body, headers })).status).toBe(201);
});

test.each(['identity', 'Identity', ''])('a body with the encoding %j is read', async (encoding) => {
  const headers = { 'Content-Type': jsonType, 'Content-Encoding': encoding };
  expect((await send('POST', surveys, { body: '{"name":"Flood"}', headers })).status).toBe(201);
});

test('the encoding of a body matters only where the body is read', async () => {
  const headers = { 'Content-Type': jsonType, 'Content-Encoding': 'gzip' };
  expect((await send('GET', `${surveys}?only=id`, { body: '{}', headers })).status).toBe(200);
  for (const [as, status] of [
    [null, 401],
    ['user', 403],
  ] as const) {
    expect(refusal(await send('POST', surveys, { as, body: '{}', headers }))[0]).toBe(status);
  }
});

/** Sends the begin of a request that waits to be asked for its body. */
async function expecting(method: string, url: string, token: string, ...headers: string[]) {
  const { socket, received } = await dial();
  const closed = once(socket, 'close');
  const lines = [`Content-Type: ${jsonType}`, 'Expect: 100-continue', ...headers];
  socket.write(`${head(method, url, token, ...lines)}\r\n`);
  await expect.poll(received).toMatch(/\r\n\r\n/);
  return { socket, received, closed };
}

test('a client that waits for 100 Continue gets it when its body is going to be read', async () => {
  const body = '{"name":"Asked for"}';
  for (const length of [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']) {
    const { socket, received, closed } = await expecting('POST', surveys, tokens.admin, length, 'Connection: close');
    expect(received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(length.startsWith('C') ? body : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    await closed;
    expect(parse(received().replace(/^.*\r\n\r\n/, '')).status).toBe(201);
  }
});

test('a client that waits for 100 Continue is refused without it', async () => {
  for (const [method, url, token, header, status] of [
    ['POST', surveys, 'nobody', 'Content-Length: 10', 401],
    ['POST', surveys, tokens.user, 'Content-Length: 10', 403],
    ['POST', '/nothing', tokens.admin, 'Content-Length: 10', 404],
    ['PATCH', surveys, tokens.admin, 'Content-Length: 10', 405],
    ['POST', surveys, tokens.admin, `Content-Length: ${bodyLimit + 1}`, 413],
    ['POST', surveys, tokens.admin, 'Content-Length: 10\r\nContent-Encoding: gzip', 415],
    ['PUT', `${surveys}/1`, 'nobody', 'Transfer-Encoding: chunked', 401],
  ] as const) {
    const { received, closed } = await expecting(method, url, token, header);
    await closed;
    const response = parse(received());
    expect([refusal(response)[0], response.headers.connection]).toEqual([status, 'close']);
  }
});

test('a client whose body is ignored gets no 100 Continue', async () => {
  const id = await created();
  const { received, closed } = await expecting('DELETE', `${surveys}/${id}`, tokens.admin, 'Content-Length: 10');
  await closed;
  expect(parse(received()).json).toEqual({ result: { deleted: id } });
});
