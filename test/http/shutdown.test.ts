/** A closing server finishes what it has accepted, then closes its connections. test/process tries it with signals. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
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
