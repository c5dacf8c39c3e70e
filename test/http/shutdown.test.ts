/** A closing server finishes what it has accepted, then closes its connections. test/process tries it with signals. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testService } from '../support/service.ts';
import { dial, head, jsonType, parse } from '../support/socket.ts';

const surveys = '/api/v5/surveys';

/** A service that listens, and its port. */
async function listening() {
  const { app, tokens } = await testService();
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, tokens, port: (app.server.address() as AddressInfo).port };
}

test('a closing server waits for no connection without a request', async () => {
  const { app, port } = await listening();
  const unused = await dial(port);
  const idle = await dial(port);
  idle.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(idle.received).toContain('{"status":"ok"}');
  const closed = [once(unused.socket, 'close'), once(idle.socket, 'close')];
  await app.close();
  await Promise.all(closed);
  expect(unused.received()).toBe('');
});

test('a closing server finishes the request of a connection, then closes the connection', async () => {
  const { app, tokens, port } = await listening();
  const { socket, received } = await dial(port);
  const body = '{"name":"Sent in two parts"}';
  const headers = [`Content-Type: ${jsonType}`, `Content-Length: ${body.length}`];
  const accepted = new Promise((resolve) => app.server.once('request', resolve));
  socket.write(`${head('POST', surveys, tokens.admin, ...headers)}\r\n${body.slice(0, 9)}`);
  await accepted;
  const closed = app.close();
  socket.write(body.slice(9));
  await once(socket, 'close');
  await closed;
  const response = parse(received());
  expect([response.status, response.headers.connection]).toEqual([201, 'close']);
});

test('a closing server refuses a request that arrives on an open connection', async () => {
  const { app, tokens, port } = await listening();
  const connection = once(app.server, 'connection') as Promise<[Socket]>;
  const { socket, received } = await dial(port);
  const [peer] = await connection;
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(received).toContain('{"status":"ok"}');
  // A connection on which a request has begun is not idle, so the server waits for the rest of it.
  socket.write(head('GET', surveys, tokens.admin));
  await expect.poll(() => peer.bytesRead).toBe(socket.bytesWritten);
  const closed = app.close();
  socket.write('\r\n');
  await once(socket, 'close');
  await closed;
  const [, second] = received().split(/(?=HTTP\/1\.1 \d)/);
  const { status, headers, json } = parse(second!);
  expect([status, headers.connection, json.errors[0].code]).toEqual([503, 'close', 'service_unavailable']);
});

/** Sends a request, and returns what came back when the connection is closed. */
async function get(port: number, path: string) {
  const { socket, received } = await dial(port);
  const closed = once(socket, 'close');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await closed;
  return parse(received());
}

test('a server that drains serves requests, is not ready, and closes their connections', async () => {
  const { app, port } = await listening();
  const drained = app.drain(1000, new AbortController().signal);
  const [live, ready] = [await get(port, '/health/live'), await get(port, '/health/ready')];
  expect([live.status, live.headers.connection]).toEqual([200, 'close']);
  expect([ready.status, ready.headers.connection, ready.json.errors[0].code]).toEqual([
    503,
    'close',
    'service_unavailable',
  ]);
  await drained;
  expect(app.server.listening).toBe(false);
});

test('a request that is under way when the drain begins is the last one of its connection', async () => {
  const { app, tokens, port } = await listening();
  const { socket, received } = await dial(port);
  const closed = once(socket, 'close');
  const accepted = new Promise((resolve) => app.server.once('request', resolve));
  socket.write(`${head('POST', surveys, tokens.admin, `Content-Type: ${jsonType}`, 'Content-Length: 2')}\r\n{`);
  await accepted;
  const drained = app.drain(100, new AbortController().signal);
  socket.write('}');
  await closed;
  const { status, headers } = parse(received());
  expect([status, headers.connection]).toEqual([201, 'close']);
  await drained;
});

test('the first request of a connection that was accepted is served, even when it comes last', async () => {
  const { app, port } = await listening();
  const cancel = new AbortController();
  const drained = app.drain(5000, cancel.signal);
  const accepted = once(app.server, 'connection');
  const { socket, received } = await dial(port);
  await accepted;
  const closed = once(socket, 'close');
  cancel.abort();
  await drained;
  const end = app.close();
  await sleep(50);
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed;
  expect(parse(received()).status).toBe(200);
  await end;
});

test('a drain that is cancelled, or of a server that does not listen, ends at once', async () => {
  const { app, port } = await listening();
  const cancel = new AbortController();
  const drained = app.drain(5000, cancel.signal);
  expect((await get(port, '/health/ready')).status).toBe(503);
  cancel.abort();
  await drained;
  expect(app.server.listening).toBe(false);
  await app.drain(5000, new AbortController().signal);
});
