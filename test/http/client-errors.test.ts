/** What is not a request: text that is no HTTP, contradictory lengths, headers that are too large. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { service } from '../support/service.ts';
import { dial, head, jsonType, listeningService, parse, refusal } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { dial: connection, inject, raw, tokens } = await listeningService();

/** The begin of a request that creates a survey, with this much of its body. */
function creating(body: string, length = body.length, token = tokens.admin): string {
  return `${head('POST', surveys, token, `Content-Type: ${jsonType}`, `Content-Length: ${length}`)}\r\n${body}`;
}

/** The responses in what was received; the body of each has no line that begins like another. */
const responses = (received: string) => received.split(/(?=HTTP\/1\.1 \d{3} )/).map(parse);

/** A service that is closed when the running test is over, with these properties of its server. */
async function ownService(env: Record<string, string>, properties: object) {
  const { app, tokens, send, close } = await service(env);
  onTestFinished(close);
  Object.assign(app.server, properties);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { tokens, send, dial: () => dial((app.server.address() as AddressInfo).port) };
}

/** A service on which a request times out after a moment. */
const impatientService = () =>
  ownService({}, { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 });

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
  ['text that is not HTTP', 'Hello, is anybody there?\r\n\r\n', 400, 'malformed_request'],
  ['TLS', Buffer.from('16030100c2010000be0303', 'hex'), 400, 'malformed_request'],
  ['a method that nobody knows', `FETCH ${surveys} HTTP/1.1\r\nHost: x\r\n\r\n`, 400, 'malformed_request'],
  ['a version that nobody knows', `GET ${surveys} HTTP/9.9\r\nHost: x\r\n\r\n`, 400, 'malformed_request'],
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
  ...['gzip', 'gzip, chunked', 'chunked, gzip', 'identity', 'chunked, chunked', 'chunked;q=1'].map(
    (coding): [string, string, number, string] => [
      `the transfer coding "${coding}"`,
      `POST ${surveys} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      501,
      'unsupported_transfer_encoding',
    ],
  ),
  [
    'a transfer coding in a header of its own',
    `GET /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    501,
    'unsupported_transfer_encoding',
  ],
  ['an empty transfer coding', `GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n`, 400, 'malformed_request'],
])('%s is refused, and the connection closed', async (_, bytes, status, code) => {
  const response = await raw(bytes);
  expect([response.status, response.json.errors[0].code]).toEqual([status, code]);
  expect(refusal(response)).toHaveLength(2);
  expect(response.headers.connection).toBe('close');
});

test('a body in broken chunks is refused', async () => {
  const headers = [`Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked'];
  const start = `${head('POST', surveys, tokens.admin, ...headers)}\r\n`;
  expect(refusal(await raw(start, 'ZZ\r\n{}\r\n0\r\n\r\n'))).toEqual([400, 'malformed_request']);
});

test('the response to text that is not HTTP has the headers of every other response', async () => {
  const { status, headers } = await raw('garbage\r\n\r\n');
  expect(status).toBe(400);
  expect(headers.link).toBe('</openapi.json>; rel="service-desc", </docs>; rel="service-doc"');
  expect([headers['cache-control'], headers['x-content-type-options']]).toEqual(['private, no-store', 'nosniff']);
});

test('text that is no request does not end up in a response that is under way', async () => {
  // Development collects a list before it sends it.
  const { send, tokens, dial } = await ownService({ NODE_ENV: 'production' }, {});
  const listed = { name: 'Listed', tasks: Array.from({ length: 50 }, () => ({ label: 'A task of many' })) };
  for (let count = 0; count < 120; count += 1) expect((await send('POST', surveys, listed)).status).toBe(201);
  for (let count = 0; count < 20; count += 1) {
    const { socket, received } = await dial();
    socket.write(`${head('GET', surveys, tokens.admin)}\r\ngarbage\r\n\r\n`);
    await once(socket, 'close');
    expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(received().match(/"name":"Listed"/g)).toHaveLength(120);
    // The end of a response in chunks.
    expect(received().slice(-5)).toBe('0\r\n\r\n');
  }
});

test('a client hears that its survey was created, although it sends more than the length that it announced', async () => {
  for (let count = 0; count < 20; count += 1) {
    const { socket, received } = await connection();
    socket.write(`${creating('{"name":"Created"}')}}}}}`);
    await once(socket, 'close');
    const [first, ...more] = responses(received());
    expect([first!.status, first!.json.results[0].name, first!.headers.connection, more]).toEqual([
      201,
      'Created',
      'close',
      [],
    ]);
  }
});

test('text that is no request, behind several requests, lets all of them have their responses in order', async () => {
  const { socket, received } = await connection();
  const list = `${head('GET', `${surveys}?limit=1&only=id`, tokens.admin)}\r\n`;
  socket.write(`${list}${creating('{}')}${list}garbage\r\n\r\n`);
  await once(socket, 'close');
  expect(responses(received()).map(({ status }) => status)).toEqual([200, 201, 200]);
});

test('text that is no request, after a response, is refused', async () => {
  const { socket, received } = await connection();
  socket.write(creating('{}'));
  await expect.poll(received).toContain('201 Created');
  socket.write('garbage\r\n\r\n');
  await once(socket, 'close');
  expect(responses(received()).map(({ status }) => status)).toEqual([201, 400]);
});

test('a body in broken chunks is refused after the requests before it have had their responses', async () => {
  const { socket, received } = await connection();
  const chunked = head('POST', surveys, tokens.admin, `Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked');
  socket.write(`${creating('{}')}${chunked}\r\n2\r\n{}\r\nZZ\r\n`);
  await once(socket, 'close');
  const [first, second, ...more] = responses(received());
  expect([first!.status, ...refusal(second!), more]).toEqual([201, 400, 'malformed_request', []]);
});

test('a body in broken chunks brings no second response to a request that was refused', async () => {
  const { socket, received } = await connection();
  const headers = [`Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked'];
  socket.write(`${head('POST', surveys, 'nobody', ...headers)}\r\n2\r\n{}\r\n`);
  await expect.poll(received).toContain('request_id');
  socket.write('ZZ\r\n');
  await once(socket, 'close');
  expect(responses(received()).map(({ status }) => status)).toEqual([401]);
});

test('a body in broken chunks that nobody reads does not hide what was done', async () => {
  const id = (await inject('POST', surveys, {})).json.results[0].id;
  const { socket, received } = await connection();
  socket.write(`${head('DELETE', `${surveys}/${id}`, tokens.admin, 'Transfer-Encoding: chunked')}\r\nZZ\r\n`);
  await once(socket, 'close');
  expect(responses(received()).map(({ json }) => json)).toEqual([{ result: { deleted: id } }]);
});

test('trailers behind a body in chunks are ignored, and refused when they are too large', async () => {
  const headers = ['Connection: close', `Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked'];
  const chunks = `${head('POST', surveys, tokens.admin, ...headers)}\r\n2\r\n{}\r\n0\r\n`;
  expect((await raw(chunks, 'X-Checksum: 5\r\n\r\n')).status).toBe(201);
  expect(refusal(await raw(chunks, `X: ${'x'.repeat(20_000)}\r\n\r\n`))).toEqual([431, 'headers_too_large']);
});

test('a client that closes its side of the connection after a request gets the response', async () => {
  for (const request of [creating('{}'), `${head('GET', surveys, tokens.admin)}\r\n`]) {
    const { socket, received } = await connection();
    socket.end(request);
    await once(socket, 'close');
    expect([200, 201]).toContain(parse(received()).status);
    expect(received().slice(-8)).toMatch(/\}(\r\n0\r\n\r\n)?$/);
  }
});

test('a client that closes its side of the connection within a request is told that it is not complete', async () => {
  for (const request of [creating('{"name":', 100), `GET ${surveys} HTTP/1.1\r\nHost`]) {
    const { socket, received } = await connection();
    socket.end(request);
    await once(socket, 'close');
    expect(refusal(parse(received()))).toEqual([400, 'malformed_request']);
  }
});

test('an offer of another protocol is ignored', async () => {
  const headers = ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'];
  expect((await raw(`${head('GET', `${surveys}?only=id`, tokens.admin, ...headers)}\r\n`)).status).toBe(200);
});

test('a request that does not arrive in time is refused once', async () => {
  const { dial, tokens } = await impatientService();
  for (const [request, ...statuses] of [
    ['GET / HTTP/1.1\r\nHo', 408],
    [creating('{"na', 100, tokens.admin), 408],
    [`${head('GET', '/docs', '')}\r\nGET / HTTP/1.1\r\nHo`, 200, 408],
    // The refusal of these does not wait for the body, and is all that there is to say.
    [creating('{"na', 100, 'nobody'), 401],
    [creating('{"na', 100, tokens.user), 403],
  ] as const) {
    const { socket, received } = await dial();
    socket.write(request);
    await once(socket, 'close');
    const all = responses(received());
    expect(all.map(({ status }) => status)).toEqual(statuses);
    if (statuses.length === 1) expect(refusal(all[0]!)[0]).toBe(statuses[0]);
  }
});

test('a connection on which nothing was sent is closed without a response', async () => {
  const { dial } = await impatientService();
  const { socket, received } = await dial();
  await once(socket, 'close');
  expect(received()).toBe('');
});
