/** Several server processes on one port and one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, type TestContext, test } from 'vitest';
import {
  bearer,
  create,
  createRequest,
  dial,
  freshPath,
  isAlive,
  isRefused,
  preloaded,
  readiness,
  running,
  type Server,
  start,
} from '../support/server-process.ts';

/** The server gets a signal that blocks its event loop for ever. */
const blockable = preloaded('blocked-process.ts');
const blockingSignal = 'SIGUSR2';

// Each starts several processes, which share two processors with all other tests.
const timeout = 180_000;
const poll = { timeout: 60_000 };

describe.concurrent('several processes', { timeout }, () => {
  /** A server of two processes that both listen, and their process ids from the log. */
  async function two(context: TestContext, env: Record<string, string> = {}) {
    const { server, url, port, token, path } = await running(context, freshPath(context), { WORKERS: '2', ...env });
    const pids = () => [
      ...new Set(
        server
          .lines()
          .filter(({ msg }) => /listening/.test(msg))
          .map(({ pid }) => pid as number),
      ),
    ];
    while (pids().length < 2) await sleep(20);
    return { server, pids, url, port, token, path };
  }

  test('share the work, and each reads at once what any of them has written', async (context) => {
    const { server, pids, url, token } = await two(context);
    const headers = { ...bearer(token), connection: 'close' };
    const write = async () => {
      const ids: number[] = [];
      for (let count = 0; count < 25; count += 1) {
        const created = await create(url, token, { name: `Report ${count}`, tasks: [{ label: 'One' }] });
        context.expect(created.status).toBe(201);
        const {
          results: [{ id }],
        } = (await created.json()) as any;
        const read = async () =>
          ((await (await fetch(`${url}/api/v5/surveys/${id}`, { headers })).json()) as any).results?.[0].name;
        context.expect([await read(), await read()]).toEqual([`Report ${count}`, `Report ${count}`]);
        ids.push(id);
      }
      return ids;
    };
    const ids = (await Promise.all([write(), write(), write(), write()])).flat();
    context.expect(new Set(ids).size).toBe(100);
    const listed = async () =>
      ((await (await fetch(`${url}/api/v5/surveys?only=id`, { headers })).json()) as any).results.map(
        ({ id }: any) => id,
      );
    context.expect(await listed()).toEqual(ids.toSorted((one, other) => one - other));
    const served = server
      .lines()
      .filter(({ msg }) => msg === 'responded')
      .map(({ pid }) => pid);
    context.expect([...new Set(served)].sort()).toEqual(pids().sort());
    context.expect((await server.stop()).code).toBe(0);
  });

  test('replace one that dies, and end together', async (context) => {
    const { server, pids, url, port } = await two(context);
    process.kill(pids()[0]!, 'SIGKILL');
    await context.expect.poll(() => pids().length, poll).toBe(3);
    await context.expect.poll(() => readiness(url)).toBe(200);
    context.expect((await server.stop()).code).toBe(0);
    context.expect(await isRefused(port)).toBe(true);
  });

  test('print once why they cannot start', async (context) => {
    const { port } = await two(context);
    const { code, stderr } = await start(context, freshPath(context), { WORKERS: '2', PORT: String(port) }).end;
    context.expect([code, stderr]).toEqual([1, `Port ${port} of 127.0.0.1 is in use. Set PORT to a free one.\n`]);
  });

  /** The log lines about workers that died. */
  const deaths = (server: Server) => server.lines().filter(({ msg }) => /^a worker died/.test(msg));

  test('are replaced with growing pauses when new ones cannot start, while the others serve', async (context) => {
    const { server, pids, url, token, path } = await two(context);
    const db = new Database(path, { timeout: 5000 });
    context.onTestFinished(() => void db.close());
    db.exec("insert into kysely_migration values ('9999_future', '2030-01-01T00:00:00.000Z')");
    process.kill(pids()[0]!, 'SIGKILL');
    await context.expect.poll(() => deaths(server).length, poll).toBeGreaterThan(2);
    context.expect((await create(url, token, {})).status).toBe(201);
    db.exec("delete from kysely_migration where name = '9999_future'");
    await context.expect.poll(() => pids().length, poll).toBe(3);

    const [first, ...more] = deaths(server);
    context.expect(first).toMatchObject({ worker: pids()[0], code: null, signal: 'SIGKILL' });
    for (const death of more) context.expect(death).toMatchObject({ code: 1, signal: null });
    const pauses = deaths(server).map(({ pause }) => pause);
    context.expect(pauses).toEqual([...new Set(pauses)].sort((one, other) => one - other));
    context.expect((await server.stop()).code).toBe(0);
    context.expect((await server.end).stderr.match(/newer version/g)).toHaveLength(more.length);
  });

  test('replace one whose event loop stands still, say so, and leave none of its clients waiting', async (context) => {
    const { server, pids, url } = await two(context, blockable);
    const [blocked] = pids();
    process.kill(blocked!, blockingSignal);
    await sleep(200);
    const responses = [1, 2, 3, 4].map(() =>
      fetch(`${url}/health/live`, { headers: { connection: 'close' } }).then(({ status }) => status, String),
    );
    await context.expect.poll(() => pids().length, poll).toBe(3);
    const settled = Promise.all(responses).then((all) => all.length);
    context.expect(await Promise.race([settled, sleep(5000, 'waiting')])).toBe(4);
    const said = server.lines().find(({ msg }) => /event loop .* stood still for 10 s/.test(msg));
    context.expect(said).toMatchObject({ worker: blocked });
    context.expect(deaths(server)).toMatchObject([{ worker: blocked, signal: 'SIGKILL' }]);
    await context.expect.poll(() => readiness(url)).toBe(200);
    context.expect((await server.stop()).code).toBe(0);
  });

  test('end when the primary process is killed, blocked ones too', async (context) => {
    const { server, pids, port } = await two(context, blockable);
    process.kill(pids()[0]!, blockingSignal);
    await sleep(200);
    server.child.kill('SIGKILL');
    await context.expect.poll(() => pids().filter(isAlive), poll).toEqual([]);
    context.expect(await isRefused(port)).toBe(true);
  });

  test('end within 10 s after SIGTERM although one of them is blocked', async (context) => {
    const { server, pids } = await two(context, blockable);
    process.kill(pids()[0]!, blockingSignal);
    await sleep(200);
    const { code, ms } = await server.stop();
    context.expect(ms).toBeLessThan(10_000);
    context.expect(code).not.toBe(0);
  });

  test('finish what was accepted when SIGTERM comes while others of them are starting', async (context) => {
    const { server, port, token } = await running(context, freshPath(context), { WORKERS: '4' });
    const { socket, received } = await dial(context, port);
    const body = JSON.stringify({ name: 'Sent in two halves' });
    socket.write(`${createRequest(token, body)}${body.slice(0, 9)}`);
    await fetch(`http://127.0.0.1:${port}/health/live`);
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port), poll).toBe(true);
    await sleep(1000);
    socket.write(body.slice(9));
    const { code, stderr } = await server.end;
    context.expect(received()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    context.expect(code).toBe(0);
    context.expect(stderr).not.toMatch(/error/i);
  });

  test('finish what was accepted when each of them gets SIGTERM too, as from systemd', async (context) => {
    const { server, pids, port, token } = await two(context);
    const { socket, received } = await dial(context, port);
    const body = JSON.stringify({ name: 'Sent in two halves' });
    socket.write(`${createRequest(token, body)}${body.slice(0, 9)}`);
    await fetch(`http://127.0.0.1:${port}/health/live`);
    for (const pid of pids()) process.kill(pid, 'SIGTERM');
    await context.expect.poll(() => isRefused(port), poll).toBe(true);
    server.child.kill('SIGTERM');
    await sleep(500);
    socket.write(body.slice(9));
    const { code } = await server.end;
    context.expect(received()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    context.expect(code).toBe(0);
  });

  test('end the wait for more requests at a second signal, and cut off no response', async (context) => {
    const { server, pids, port, token } = await two(context, { DRAIN_TIME: '5000' });
    const body = JSON.stringify({ name: 'Sent in two halves' });
    const { socket, received } = await dial(context, port);
    socket.write(createRequest(token, body) + body.slice(0, 5));
    await fetch(`http://127.0.0.1:${port}/health/live`);
    const begin = performance.now();
    server.child.kill('SIGTERM');
    await context.expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status, poll)
      .toBe(503);
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port), poll).toBe(true);
    socket.write(body.slice(5));
    context.expect((await server.end).code).toBe(0);
    context.expect(performance.now() - begin).toBeLessThan(4500);
    context.expect(received()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    context.expect(pids().filter(isAlive)).toEqual([]);
  });

  test('are killed at a third signal', async (context) => {
    const { server, pids, port, token } = await two(context, { DRAIN_TIME: '5000' });
    const { socket } = await dial(context, port);
    socket.write(createRequest(token, '{"name":"Never sent"}'));
    await fetch(`http://127.0.0.1:${port}/health/live`);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
      server.child.kill(signal);
      await sleep(100);
    }
    const { code } = await server.end;
    context.expect(code).not.toBe(0);
    context.expect(pids().filter(isAlive)).toEqual([]);
  });

  test('say when the first of them is killed before it serves', async (context) => {
    const server = start(context, freshPath(context), { WORKERS: '2', ...preloaded('killed-worker.ts') });
    const { code, stderr } = await server.end;
    context.expect([code, stderr]).toEqual([1, 'The first worker ended before it served: SIGKILL.\n']);
  });
});

test('a single process whose event loop stands still says so and ends, so that it can be started again', async (context) => {
  const { server } = await running(context, freshPath(context), blockable);
  server.child.kill(blockingSignal);
  const { signal } = await server.end;
  context.expect(signal).toBe('SIGKILL');
  context
    .expect(server.lines().at(-1))
    .toMatchObject({ level: 60, msg: context.expect.stringMatching(/stood still for 10 s/) });
});
