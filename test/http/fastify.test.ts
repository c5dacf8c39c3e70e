/** HTTP as it comes over a socket: refusals and their order, media types, methods, and what is no HTTP at all. */
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Role } from '../../src/api/caller.ts';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { connect } from '../../src/database/database.ts';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import { grantToken } from '../../src/users/store.ts';
import { type Answer, emptyDatabase, problems, service, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const jsonType = 'application/json';
/** The size of a body that this service refuses. */
const limit = 20_000;

let shared: Awaited<ReturnType<typeof service>>;
let port: number;
beforeAll(async () => {
  shared = await service({ BODY_LIMIT: String(limit) });
  await shared.app.listen({ host: '127.0.0.1', port: 0 });
  port = (shared.app.server.address() as AddressInfo).port;
});
afterAll(() => shared.close());

/** A connection whose bytes are kept. */
async function dial(to = port): Promise<{ socket: Socket; received: () => string }> {
  const chunks: Buffer[] = [];
  const socket = connectSocket(to, '127.0.0.1');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => Buffer.concat(chunks).toString() };
}

function parse(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => [
      header.slice(0, header.indexOf(':')).toLowerCase(),
      header.slice(header.indexOf(':') + 1).trim(),
    ]),
  );
  const body = rest.join('\r\n\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers,
    text: body,
    json: /json/.test(headers['content-type'] ?? '') && body !== '' ? JSON.parse(body) : undefined,
  };
}

/** Writes bytes as they are and waits for the server to hang up, which it must do by itself. */
async function raw(...parts: (string | Buffer)[]): Promise<Answer> {
  const { socket, received } = await dial();
  const end = new Promise((resolve, reject) => {
    socket.once('close', resolve);
    setTimeout(reject, 5000, new Error(`no end after: ${received()}`)).unref();
  });
  for (const part of parts) socket.write(part);
  await end;
  return parse(received());
}

interface Sent {
  as?: Role | null;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** One request over a socket, with just these headers, a length and the credentials of this role. */
async function send(method: string, url: string, { as = 'admin', headers = {}, body }: Sent = {}): Promise<Answer> {
  const lines = [
    `${method} ${url} HTTP/1.1`,
    'Host: service.test',
    'Connection: close',
    ...(as ? [`Authorization: Bearer ${shared.tokens[as]}`] : []),
    ...Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`)),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return raw(`${lines.join('\r\n')}\r\n\r\n`, ...(body === undefined ? [] : [body]));
}

const post = (body: string | Buffer, type: string | string[] = jsonType, as: Role | null = 'admin') =>
  send('POST', surveys, { as, body, headers: { 'Content-Type': type } });

/** The codes of a refusal, after a look at its shape. */
function refusal(answer: Answer): [status: number, ...problems: string[]] {
  const { status, headers, json } = answer;
  expect({ text: answer.text, type: headers['content-type'] }).toEqual({
    text: answer.text,
    type: 'application/json; charset=utf-8',
  });
  expect(Object.keys(json)).toEqual(['errors', 'request_id']);
  expect(json.request_id).toMatch(/^[\w-]+$/);
  expect(json.errors.length).toBeGreaterThan(0);
  for (const error of json.errors) {
    expect(error).toMatchObject({
      status,
      message: expect.stringMatching(/^\S.*\.$/),
      code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    });
    expect(Object.keys(error).filter((name) => !['status', 'message', 'code', 'source'].includes(name))).toEqual([]);
    expect(error.message).not.toMatch(/\/work|node_modules|\bat .*:\d+|SQLITE|FST_|select |insert /);
  }
  return [status, ...problems(answer)];
}

const created = async () => (await post('{"name":"A survey"}')).json.results[0].id as number;

describe('the order of refusals', () => {
  interface Request extends Sent {
    method: string;
    url: string;
  }
  interface Fault {
    name: string;
    answer: [number, ...string[]];
    /** What of the request it needs for itself: two that need the same do not come together. */
    place: string;
    add: (request: Request) => void;
  }
  const inBody =
    (body: string): Fault['add'] =>
    (request) => {
      request.body = body + ' '.repeat(Math.max(0, (request.body?.length ?? 0) - body.length));
    };
  const faults: Fault[] = [
    {
      name: 'an unknown path',
      answer: [404, 'not_found'],
      place: 'path',
      add: (request) => (request.url = request.url.replace('surveys', 'nothing')),
    },
    {
      name: 'a wrong method',
      answer: [405, 'method_not_allowed'],
      place: 'method',
      add: (request) => (request.method = 'PATCH'),
    },
    {
      name: 'no credentials',
      answer: [401, 'unauthorized authorization'],
      place: 'token',
      add: (request) => (request.as = null),
    },
    { name: 'no scope', answer: [403, 'insufficient_scope'], place: 'token', add: (request) => (request.as = 'user') },
    {
      name: 'a wrong media type',
      answer: [415, 'unsupported_media_type content-type'],
      place: 'type',
      add: (request) => (request.headers = { 'Content-Type': 'text/plain' }),
    },
    {
      name: 'a wrong charset',
      answer: [415, 'unsupported_media_type content-type'],
      place: 'type',
      add: (request) => (request.headers = { 'Content-Type': `${jsonType}; charset=latin1` }),
    },
    {
      name: 'a body too large',
      answer: [413, 'body_too_large'],
      place: 'size',
      add: (request) => (request.body = request.body!.toString().padEnd(limit + 1)),
    },
    { name: 'malformed JSON', answer: [400, 'malformed_json'], place: 'body', add: inBody('{"name":') },
    { name: 'an empty body', answer: [400, 'malformed_json'], place: 'body', add: inBody('') },
    {
      name: 'a bad id',
      answer: [400, 'invalid_parameter id'],
      place: 'id',
      add: (request) => (request.url = request.url.replace(/\d+$/, 'one')),
    },
    { name: 'a wrong body', answer: [422, 'invalid_type /name'], place: 'body', add: inBody('{"name":7}') },
    {
      name: 'a missing survey',
      answer: [404, 'not_found'],
      place: 'id',
      add: (request) => (request.url = request.url.replace(/\d+$/, '999999')),
    },
  ];
  const request = (...added: Fault[]): Request => {
    const sent: Request = {
      method: 'PUT',
      url: `${surveys}/1`,
      headers: { 'Content-Type': jsonType },
      body: '{"name":"Flood"}',
    };
    for (const { add } of added) add(sent);
    return sent;
  };
  const pairs = faults.flatMap((first, index) =>
    faults
      .slice(index + 1)
      .filter(({ place }) => place !== first.place)
      .map((second) => [first, second] as const),
  );
  beforeAll(() => shared.send('POST', surveys, {}));

  test('begins with a request that nothing is wrong with', async () => {
    const { method, url, ...rest } = request();
    expect((await send(method, url, rest)).status).toBe(200);
  });

  test.each(faults.map((fault) => [fault.name, fault] as const))('%s alone is refused for itself', async (_, fault) => {
    const { method, url, ...rest } = request(fault);
    expect(refusal(await send(method, url, rest))).toEqual(fault.answer);
  });

  test.each(pairs.map(([first, second]) => [first.name, second.name, first, second] as const))(
    '%s comes before %s',
    async (_, __, first, second) => {
      const { method, url, as = 'admin', headers, body } = request(first, second);
      expect(refusal(await send(method, url, { as, headers: headers!, body: body! }))).toEqual(first.answer);
      const { app, tokens } = shared;
      const injected = await app.inject({
        method: method as 'GET',
        url,
        payload: body!,
        headers: { ...headers, ...(as && { authorization: `Bearer ${tokens[as]}` }) } as Record<string, string>,
      });
      expect([injected.statusCode, ...problems({ json: injected.json() } as Answer)]).toEqual(first.answer);
    },
  );

  test('a body that is not sent at all comes before a bad id', async () => {
    expect(refusal(await send('PUT', `${surveys}/one`))).toEqual([400, 'malformed_json']);
  });

  test('a bad query parameter and a bad id are told together', async () => {
    expect(refusal(await send('GET', `${surveys}/one?only=%00`)).sort()).toEqual([
      400,
      'invalid_parameter id',
      'invalid_parameter only',
    ]);
  });
});

describe('an error has the one shape', () => {
  test.each<[string, string, Sent, [number, ...string[]]]>([
    ['GET', '/nothing', {}, [404, 'not_found']],
    ['GET', '/api', {}, [404, 'not_found']],
    ['GET', '/API/v5/surveys', {}, [404, 'not_found']],
    ['GET', '/api/v5//surveys', {}, [404, 'not_found']],
    ['GET', `/nothing/${'x'.repeat(5000)}`, {}, [404, 'not_found']],
    ['POST', '/nothing', { as: null, body: '{', headers: { 'Content-Type': 'text/plain' } }, [404, 'not_found']],
    ['POST', '/nothing', { body: ' '.repeat(limit + 1), headers: { 'Content-Type': jsonType } }, [404, 'not_found']],
    ['GET', `${surveys}/%ZZ`, {}, [400, 'malformed_url']],
    ['POST', `${surveys}/%`, { body: '{}', headers: { 'Content-Type': jsonType } }, [400, 'malformed_url']],
    ['GET', '/nothing/%C3%28', {}, [400, 'malformed_url']],
    ['GET', `${surveys}/${'1'.repeat(1025)}`, {}, [414, 'url_too_long']],
    ['GET', `${surveys}/${'1'.repeat(1000)}`, {}, [400, 'invalid_parameter id']],
  ])('%s %.40s', async (method, url, sent, expected) => {
    expect(refusal(await send(method, url, sent))).toEqual(expected);
  });

  test.each([
    [
      'headers that are too large',
      `GET ${surveys} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'an address that is too large',
      `GET ${surveys}?x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['what is not HTTP', 'Hello, is anybody there?\r\n\r\n', 400, 'malformed_request'],
    ['TLS', Buffer.from('16030100c2010000be0303', 'hex'), 400, 'malformed_request'],
    ['a method that no one knows', `FETCH ${surveys} HTTP/1.1\r\nHost: x\r\n\r\n`, 400, 'malformed_request'],
    ['a version that no one knows', `GET ${surveys} HTTP/9.9\r\nHost: x\r\n\r\n`, 400, 'malformed_request'],
    [
      'two lengths',
      `POST ${surveys} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
      'malformed_request',
    ],
    [
      'a length and chunks',
      `POST ${surveys} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'a length that is no number',
      `POST ${surveys} HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n{}`,
      400,
      'malformed_request',
    ],
    ['no host', `GET ${surveys} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'malformed_request host'],
  ])('for %s', async (_, bytes, status, code) => {
    const answer = await raw(bytes);
    expect(refusal(answer)).toEqual([status, code]);
    expect(answer.headers.connection).toBe('close');
  });

  test('for broken chunks', async () => {
    const head = `POST ${surveys} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shared.tokens.admin}\r\nContent-Type: ${jsonType}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(refusal(await raw(head, 'ZZ\r\n{}\r\n0\r\n\r\n'))).toEqual([400, 'malformed_request']);
  });

  test('for an expectation that no one knows, or it is ignored', async () => {
    const answer = await send('GET', `${surveys}?only=id`, { headers: { Expect: 'miracles' } });
    expect([200, 417]).toContain(answer.status);
    if (answer.status !== 200) refusal(answer);
  });

  test('and each one an id of its own', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await send('GET', '/nothing')).json.request_id));
    expect(new Set(ids).size).toBe(3);
  });
});

describe('bodies', () => {
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
  ])('%s is refused', async (_, body, expected) => {
    expect(refusal(await post(body))).toEqual(expected);
  });

  test('a byte order mark is no harm', async () => {
    const { status, json } = await post('\uFEFF{"name":"Überschwemmung"}');
    expect([status, json.results?.[0].name]).toEqual([201, 'Überschwemmung']);
  });

  test('may come in chunks, cut anywhere', async () => {
    const body = Buffer.from('{"name":"Überschwemmung 👍"}');
    const { socket, received } = await dial();
    socket.write(
      `POST ${surveys} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${shared.tokens.admin}\r\nContent-Type: ${jsonType}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const byte of body) socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
    socket.write('0\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect([parse(received()).status, received().includes('Überschwemmung 👍')]).toEqual([201, true]);
  });

  test('of just the largest size are taken', async () => {
    expect((await post('{"name":"Flood"}'.padEnd(limit))).status).toBe(201);
    expect(refusal(await post('{"name":"Flood"}'.padEnd(limit + 1)))).toEqual([413, 'body_too_large']);
  });

  test('that say they are too large are refused before they come', async () => {
    const head = (token: string) =>
      `POST ${surveys} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${jsonType}\r\n`;
    const answer = await raw(`${head(shared.tokens.admin)}Content-Length: 900000000\r\n\r\n`);
    expect([...refusal(answer), answer.headers.connection]).toEqual([413, 'body_too_large', 'close']);
  });

  test('that turn out to be too large are refused then', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const head = `POST ${surveys} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shared.tokens.admin}\r\nContent-Type: ${jsonType}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { socket, received } = await dial();
    socket.write(head + chunk + chunk);
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
  ])('of %s %s %s as %s are not waited for: %i', async (method, url, type, as, status) => {
    const { socket, received } = await dial();
    const token = as ? `Authorization: Bearer ${shared.tokens[as]}\r\n` : '';
    socket.write(
      `${method} ${url} HTTP/1.1\r\nHost: x\r\n${token}Content-Type: ${type}\r\nContent-Length: 900000000\r\n\r\n{"name":`,
    );
    await expect.poll(received).toContain('request_id');
    expect(refusal(parse(received()))[0]).toBe(status);
  });

  test('nested beyond reason do no harm', async () => {
    const deep = (open: string, close: string) => open.repeat(9000) + close.repeat(9000);
    expect((await post(`{"name":"Deep","unknown":${deep('[', ']')}}`)).status).toBe(201);
    expect(refusal(await post(`{"tasks":${deep('[', ']')}}`))[0]).toBe(422);
    expect(refusal(await post(deep('[', ']')))[0]).toBe(422);
  });

  test('with __proto__ and constructor among their members do no harm', async () => {
    const body =
      '{"name":"Flood","__proto__":{"name":7,"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":null}';
    const { status, json, text } = await post(body);
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
});

describe('media types', () => {
  test.each<string | string[]>([
    jsonType,
    'Application/JSON',
    'APPLICATION/json',
    `${jsonType}; charset=utf-8`,
    `${jsonType};charset=UTF-8`,
    `${jsonType}; charset="utf-8"`,
    `${jsonType} ; profile=x`,
    [jsonType, 'text/plain'],
  ])('%s is JSON and is validated', async (type) => {
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
  ])('%j is refused, whatever the body', async (type) => {
    for (const body of ['{"name":"Flood"}', '{"name":7}', '{'])
      expect(refusal(await post(body, type))).toEqual([415, 'unsupported_media_type content-type']);
  });

  test('a body of none is refused', async () => {
    expect(refusal(await send('POST', surveys, { body: '{"name":"Flood"}' }))).toEqual([
      415,
      'unsupported_media_type content-type',
    ]);
  });

  test('no body of none is an empty body', async () => {
    expect(refusal(await send('POST', surveys))).toEqual([400, 'malformed_json']);
    expect(refusal(await send('POST', surveys, { body: '' }))).toEqual([400, 'malformed_json']);
  });

  test.each(['{"name":7}', '{', '', ' '.repeat(limit + 1)])(
    'GET and DELETE do not mind a body they do not read (%.12j)',
    async (body) => {
      for (const type of [jsonType, 'text/plain', '???', 'multipart/form-data', `${jsonType}; charset=latin1`]) {
        const id = await created();
        const read = await send('GET', `${surveys}/${id}?only=name`, { body, headers: { 'Content-Type': type } });
        expect([type, read.status, read.json.results]).toEqual([type, 200, [{ id, name: 'A survey' }]]);
        const removed = await send('DELETE', `${surveys}/${id}`, { body, headers: { 'Content-Type': type } });
        expect([type, removed.status, removed.json]).toEqual([type, 200, { result: { deleted: id } }]);
      }
    },
  );

  test('GET and DELETE do not mind a body in chunks, and the connection goes on', async () => {
    const id = await created();
    const head = (method: string, path: string) =>
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shared.tokens.admin}\r\n`;
    const chunked = 'Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n';
    const { socket, received } = await dial();
    socket.write(head('GET', `${surveys}/${id}?only=id`) + chunked);
    await expect.poll(received).toContain(`{"results":[{"id":${id}}]}`);
    socket.write(head('DELETE', `${surveys}/${id}`) + chunked);
    await expect.poll(received).toContain(`{"result":{"deleted":${id}}}`);
  });
});

describe('methods', () => {
  const declared = Object.entries(contract.paths).map(
    ([path, item]) =>
      [
        path.replaceAll(/\{\w+\}/g, '1'),
        Object.keys(item)
          .filter((name) => /^(get|put|post|delete|patch)$/.test(name))
          .map((name) => name.toUpperCase()),
      ] as const,
  );
  const own = ['/', '/docs', '/docs/page.js', '/openapi.json', '/openapi.yaml', '/health/live', '/health/ready'].map(
    (path) =>
      // Pages of other origins may read the documents, for which their browsers ask first.
      [path, path.startsWith('/openapi') ? ['GET', 'OPTIONS'] : ['GET']] as const,
  );
  const methods = [
    'GET',
    'POST',
    'PUT',
    'DELETE',
    'OPTIONS',
    'PATCH',
    'TRACE',
    'PROPFIND',
    'SEARCH',
    'QUERY',
    'LOCK',
    'M-SEARCH',
  ];

  test.each([...declared, ...own])('of %s are %j, and HEAD where there is GET', async (path, has) => {
    const allowed = new Set(has.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
    for (const method of methods.filter((name) => !allowed.has(name))) {
      for (const url of [path, `${path}?limit=x`, ...(path === '/' ? [] : [`${path}/`])]) {
        const answer = await shared.send(method, url, undefined, { as: null });
        expect({ method, url, status: answer.status }).toEqual({ method, url, status: 405 });
        expect(refusal(answer)).toEqual([405, 'method_not_allowed']);
        expect(new Set(String(answer.headers.allow).split(', '))).toEqual(allowed);
      }
    }
  });

  test('are refused over a socket too, body or no body', async () => {
    for (const method of ['OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'LOCK']) {
      for (const sent of [{}, { body: '{', headers: { 'Content-Type': jsonType } }]) {
        expect((await send(method, `${surveys}/1`, { as: null, ...sent })).headers.allow).toBe(
          'GET, HEAD, PUT, DELETE',
        );
        expect(refusal(await send(method, '/docs', sent))).toEqual([405, 'method_not_allowed']);
        expect(refusal(await send(method, '/nothing', sent))).toEqual([404, 'not_found']);
      }
    }
  });

  test.each([
    ...declared.filter(([, has]) => has.includes('GET')).map(([path]) => path),
    ...own.map(([path]) => path),
    `${surveys}/999999`,
    `${surveys}/one`,
    '/nothing',
  ])('HEAD %s has the headers of GET and no body', async (path) => {
    for (const as of ['admin', null] as const) {
      const get = await send('GET', path, { as });
      const head = await send('HEAD', path, { as });
      const { date: _, ...expected } = get.headers;
      const { date: __, ...headers } = head.headers;
      expect([head.status, headers, head.text]).toEqual([get.status, expected, '']);
    }
  });

  test('HEAD of a long list has no body either', async () => {
    for (let count = 0; count < 150; count += 1) await shared.send('POST', surveys, {});
    const get = await send('GET', surveys);
    const head = await send('HEAD', surveys);
    expect([head.status, head.headers['content-type'], head.text]).toEqual([200, get.headers['content-type'], '']);
  });
});

describe('addresses', () => {
  test.each([
    surveys,
    `${surveys}/1`,
    '/api/v3/hxl',
    '/api/v3/hxl/tags',
    '/api/v3/hxl/tags/1',
    '/api/v3/users/1',
    '/docs',
    '/health/live',
    '/openapi.json',
  ])('%s is the same with a slash at its end', async (path) => {
    const plain = await send('GET', path);
    const slashed = await send('GET', `${path}/`);
    expect([slashed.status, slashed.text]).toEqual([plain.status, plain.text]);
    expect(plain.status).toBe(200);
    expect((await send('GET', `${path}/?only=id`)).status).toBe(200);
  });

  test('a slash does not matter when something is created, changed or deleted', async () => {
    const made = await send('POST', `${surveys}/`, { body: '{}', headers: { 'Content-Type': jsonType } });
    expect([made.status, made.headers.location]).toEqual([
      201,
      `http://service.test${surveys}/${made.json.results[0].id}`,
    ]);
    const path = `${surveys}/${made.json.results[0].id}/`;
    expect(
      (await send('PUT', path, { body: '{"name":"Changed"}', headers: { 'Content-Type': jsonType } })).json.results[0]
        .name,
    ).toBe('Changed');
    expect((await send('DELETE', path)).status).toBe(200);
  });

  test('links lead to the server for a client that names no host, as HTTP/1.0 allows', async () => {
    const { app, tokens } = await testService({ PUBLIC_URL: '' });
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const { socket, received } = await dial((app.server.address() as AddressInfo).port);
    socket.write(`GET /api/v3/hxl/licenses/1 HTTP/1.0\r\nAuthorization: Bearer ${tokens.user}\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(parse(received()).json.url).toBe(`${origin}/api/v3/hxl/licenses/1`);
  });

  test('query parameters that nobody knows are ignored', async () => {
    const { status, json } = await send(
      'GET',
      '/api/v3/hxl/licenses?limit=2&page=7&_=1700000000&a&=b&&limit[]=x&LIMIT=9&%00=1&x=%ZZ',
    );
    expect([status, json.limit, json.curr]).toEqual([
      200,
      '2',
      'http://service.test/api/v3/hxl/licenses?orderby=id&order=asc&limit=2&offset=0',
    ]);
    expect(
      (await send('POST', `${surveys}?limit=abc&only=1`, { body: '{}', headers: { 'Content-Type': jsonType } })).status,
    ).toBe(201);
  });

  test('an escaped character is that character', async () => {
    expect((await send('GET', `${surveys}/%31?only=id`)).json.results).toEqual([{ id: 1 }]);
    expect((await send('GET', `${surveys}%2F1`)).status).toBe(404);
  });
});

describe('what goes wrong inside', () => {
  /** The service with its log, as text. */
  async function logged() {
    let log = '';
    const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: emptyDatabase() });
    const db = await connect(config.databaseUrl);
    const app = await buildApp(
      config,
      db,
      pino(
        {},
        new Writable({
          write: (chunk, _, done) => {
            log += chunk;
            done();
          },
        }),
      ),
    );
    onTestFinished(async () => {
      await app.close();
      await db.destroy().catch(() => {});
    });
    const headers = { authorization: `Bearer ${await grantToken(db, 'admin', 'admin', null)}` };
    const get = async (url: string) => {
      const response = await app.inject({ url, headers });
      return {
        status: response.statusCode,
        headers: response.headers,
        text: response.body,
        json: response.json(),
      } as Answer;
    };
    return {
      db,
      get,
      headers,
      app,
      lines: () =>
        log
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    };
  }

  test('is a 500 without detail, and logged under its id and operation', async () => {
    const { db, get, lines } = await logged();
    await db.schema.dropTable('hxl_tags').execute();
    const answer = await get('/api/v3/hxl/tags');
    expect(refusal(answer)).toEqual([500, 'internal_error']);
    expect(answer.text).not.toMatch(/hxl_tags|no such table/);
    const fault = lines().find(({ level }) => level >= 50);
    expect(fault).toMatchObject({
      operationId: 'listHxlTags',
      reqId: answer.json.request_id,
      err: { message: expect.stringContaining('no such table') },
    });
    expect(lines().find(({ msg }) => msg === 'answered')).toMatchObject({
      operationId: 'listHxlTags',
      reqId: answer.json.request_id,
      status: 500,
      method: 'GET',
    });
    expect((await get('/api/v3/hxl/licenses')).status).toBe(200);
  });

  test('while authenticating is a 500 too, not a 401', async () => {
    const { db, get } = await logged();
    await db.schema.dropTable('tokens').execute();
    expect(refusal(await get('/api/v3/hxl/tags'))).toEqual([500, 'internal_error']);
  });

  test('in the database makes the service alive but not ready', async () => {
    const { db, get } = await logged();
    expect((await get('/health/ready')).json).toEqual({ status: 'ok' });
    await db.destroy();
    expect([(await get('/health/live')).status, refusal(await get('/health/ready'))]).toEqual([
      200,
      [503, 'service_unavailable'],
    ]);
  });

  test('with an address is logged under the id that was answered', async () => {
    const { get, lines } = await logged();
    for (const url of ['/nothing', `${surveys}/one`, `${surveys}/%ZZ`]) {
      const { json } = await get(url);
      expect({ url, logged: lines().some(({ reqId }) => reqId === json.request_id) }).toEqual({ url, logged: true });
    }
  });
});

test('no answer tells what it runs on', async () => {
  const { send } = await testService();
  for (const url of [surveys, '/docs', '/nothing', '/health/live', `${surveys}/%ZZ`]) {
    const { headers, text } = await send('GET', url);
    expect(Object.keys(headers)).not.toContain('x-powered-by');
    expect(Object.keys(headers)).not.toContain('server');
    if (url !== '/docs') expect(text).not.toMatch(/fastify|node_modules|\.ts:\d+/i);
  }
});
