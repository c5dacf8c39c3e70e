/** The end of the server process: what a signal lets finish, and what survives the worst one. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { bearer, create, dial, freshPath, isRefused, readiness, running, start } from '../support/server-process.ts';
import { stops } from '../torture/stops.ts';

const body = JSON.stringify({
  name: 'Sent in two halves',
  tasks: [{ label: 'Report', fields: [{ label: 'Where?', type: 'varchar', input: 'text' }] }],
});
/** The first half of a request: the server waits for the rest of the body. */
const slow = (token: string) =>
  [
    'POST /api/v5/surveys HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body.slice(0, 40),
  ].join('\r\n');

describe.concurrent('the end', () => {
  test('SIGTERM lets an accepted request finish, and refuses requests after it', async (context) => {
    const { server, url, port, token, path } = await running(context);
    const { socket, received } = await dial(context, port);
    socket.write(slow(token));
    // A connection that was in use before, and on which the next request has just begun.
    const other = await dial(context, port);
    other.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await context.expect.poll(other.received).toContain('{"status":"ok"}');
    other.socket.write('GET /api/v3/hxl HTTP/1.1\r\nHost: x\r\n');
    await fetch(`${url}/health/live`);
    const begin = performance.now();
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    context.expect(received()).toBe('');

    other.socket.write(`Authorization: Bearer ${token}\r\n\r\n`);
    await context.expect.poll(other.received).toContain('request_id');
    const [, second] = other.received().split(/(?=HTTP\/1\.1 \d)/);
    context.expect(second).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nconnection: close\r\n/i);
    context.expect(JSON.parse(second!.split('\r\n\r\n')[1]!)).toEqual({
      errors: [{ status: 503, code: 'service_unavailable', message: context.expect.stringMatching(/\.$/) }],
      request_id: context.expect.stringMatching(/./),
    });

    socket.write(body.slice(40));
    await context.expect.poll(received).toContain('Sent in two halves');
    context.expect(received()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    const { code } = await server.end;
    context.expect(code).toBe(0);
    // Nothing is left to wait for, although the first client did not hang up.
    context.expect(performance.now() - begin).toBeLessThan(6000);
    const db = new Database(path, { readonly: true });
    context.expect(db.prepare('select name from surveys').pluck().all()).toEqual(['Sent in two halves']);
    db.close();
  });

  test('SIGTERM lets a response that has begun finish, and waits no longer', async (context) => {
    const { server, url, port, token } = await running(context);
    const large = { name: 'Large', tasks: Array.from({ length: 200 }, () => ({ label: 'A task of many' })) };
    for (let count = 0; count < 200; count += 1) context.expect((await create(url, token, large)).status).toBe(201);
    const { socket, received } = await dial(context, port);
    socket.write(`GET /api/v5/surveys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    socket.resume();
    const begin = performance.now();
    context.expect((await server.end).code).toBe(0);
    context.expect(performance.now() - begin).toBeLessThan(4000);
    context.expect(received().match(/"name":"Large"/g)).toHaveLength(200);
    context.expect(received()).toMatch(/\r\n0\r\n\r\n$/);
  });

  test('SIGTERM does not wait for connections without a request', async (context) => {
    const { server, port } = await running(context);
    await dial(context, port);
    const { socket, received } = await dial(context, port);
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await context.expect.poll(received).toContain('ok');
    const { code, ms } = await server.stop();
    context.expect(code).toBe(0);
    context.expect(ms).toBeLessThan(6000);
  });

  test('SIGTERM ends the process within 10 s although a client never finishes', async (context) => {
    const { server, url, port, token, path } = await running(context);
    for (const request of [slow(token), 'GET /api/v3/hxl HTTP/1.1\r\nHost: x\r\nAuthori']) {
      const { socket } = await dial(context, port);
      socket.write(request);
    }
    await fetch(`${url}/health/live`);
    const { code, ms } = await server.stop();
    context.expect(code).toBe(0);
    context.expect(ms).toBeLessThan(10_000);
    const db = new Database(path, { readonly: true });
    context.expect(db.prepare('select count(*) from surveys').pluck().get()).toBe(0);
    db.close();
  });

  test('a second signal ends the process at once', async (context) => {
    const { server, url, port, token } = await running(context);
    const { socket } = await dial(context, port);
    socket.write(slow(token));
    await fetch(`${url}/health/live`);
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    const { code, ms } = await server.stop('SIGINT');
    context.expect(ms).toBeLessThan(4000);
    context.expect(code).not.toBe(0);
  });

  test('SIGTERM first lets requests still come, and says to all of them that it is the last time', async (context) => {
    const { server, url, port, token } = await running(context, freshPath(context), { DRAIN_TIME: '1000' });
    server.child.kill('SIGTERM');
    await context.expect.poll(() => readiness(url)).toBe(503);
    const made = await create(url, token, { name: 'Made at the end' });
    context.expect([made.status, made.headers.get('connection')]).toEqual([201, 'close']);
    const alive = await fetch(`${url}/health/live`);
    context.expect([alive.status, alive.headers.get('connection')]).toEqual([200, 'close']);
    context.expect((await server.end).code).toBe(0);
    context.expect(await isRefused(port)).toBe(true);
  });

  test('a second signal ends the time in which requests may come, and cuts off no response', async (context) => {
    const { server, url, port, token } = await running(context, freshPath(context), { DRAIN_TIME: '5000' });
    const { socket, received } = await dial(context, port);
    socket.write(slow(token));
    await fetch(`${url}/health/live`);
    const begin = performance.now();
    server.child.kill('SIGTERM');
    await context.expect.poll(() => readiness(url)).toBe(503);
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    socket.write(body.slice(40));
    context.expect((await server.end).code).toBe(0);
    context.expect(performance.now() - begin).toBeLessThan(4500);
    context.expect(received()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  });

  test('a third signal ends the process at once', async (context) => {
    const { server, url, port, token } = await running(context, freshPath(context), { DRAIN_TIME: '5000' });
    const { socket } = await dial(context, port);
    socket.write(slow(token));
    await fetch(`${url}/health/live`);
    server.child.kill('SIGTERM');
    await context.expect.poll(() => readiness(url)).toBe(503);
    server.child.kill('SIGINT');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    const { code, ms } = await server.stop();
    context.expect(ms).toBeLessThan(4000);
    context.expect(code).not.toBe(0);
  });

  test('SIGKILL in the middle of writes loses nothing that was confirmed', async (context) => {
    const { server, url, token, path } = await running(context);
    const confirmed = new Set<number>();
    const field = (label: string) => ({ label, type: 'varchar', input: 'text' });
    const write = async () => {
      for (;;) {
        const response = await create(url, token, {
          name: 'Written',
          tasks: [
            { label: 'One', fields: [field('a'), field('b')] },
            { label: 'Two', fields: [field('c')] },
          ],
        });
        if (response.status === 201) confirmed.add(((await response.json()) as any).results[0].id);
      }
    };
    const writers = Promise.allSettled([write(), write(), write(), write()]);
    while (confirmed.size < 60) await sleep(1);
    server.child.kill('SIGKILL');
    await writers;
    context.expect((await server.end).signal).toBe('SIGKILL');

    const again = start(context, path);
    const restarted = await again.listening();
    const listed = await fetch(`${restarted.url}/api/v5/surveys`, { headers: bearer(token) });
    const { results } = (await listed.json()) as { results: any[] };
    const found = new Set(results.map(({ id }) => id));
    context.expect([...confirmed].filter((id) => !found.has(id))).toEqual([]);
    for (const { tasks } of results)
      context
        .expect(tasks.map(({ fields }: any) => fields.map(({ label }: any) => label)))
        .toEqual([['a', 'b'], ['c']]);
    context.expect((await create(restarted.url, token, {})).status).toBe(201);
    await again.stop();
    const db = new Database(path, { readonly: true });
    context.expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    context.expect(db.pragma('foreign_key_check')).toEqual([]);
    context.expect(db.prepare('select count(*) from fields').pluck().get()).toBe(3 * results.length);
    db.close();
  });
});

test('clients that open new connections all the time are served to the last one, or refused', {
  timeout: 180_000,
}, async () => {
  const figures = await stops(10, { DRAIN_TIME: '50' });
  expect(figures).toMatchObject({ stops: 10, refused: 0, reset: 0, failed: 0 });
  expect(figures.served).toBeGreaterThan(100);
});
