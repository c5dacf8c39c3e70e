/** The log of the server process. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, type TestContext, test } from 'vitest';
import { bearer, create, freePort, freshPath, running, shell, start } from '../support/server-process.ts';

test('the log has a JSON line for each request with its id and operation, and no token and no body', async (context) => {
  const { server, url, token } = await running(context, freshPath(context), { LOG_LEVEL: 'trace' });
  const made = await create(url, token, { name: 'Confidential survey', description: 'known only to us' });
  context.expect(made.status).toBe(201);
  const wrong = await create(url, token, { name: 7, description: 'known only to us' });
  const unauthorized = await create(url, 'shx_unknownunknownunknown', { name: 'Confidential survey' });
  const refusals = [
    [await wrong.json(), 'createSurvey', 422],
    [await unauthorized.json(), 'createSurvey', 401],
    [await (await fetch(`${url}/nothing`)).json(), undefined, 404],
  ];
  await fetch(`${url}/api/v5/surveys`, { headers: bearer(token) });
  await context.expect.poll(() => server.stdout()).toContain('"listSurveys"');
  const lines = server.lines();
  for (const line of lines)
    context.expect(line).toMatchObject({ level: context.expect.any(Number), time: context.expect.any(Number) });
  const responded = lines.filter(({ msg }) => msg === 'responded');
  for (const line of responded)
    context.expect(line).toMatchObject({
      reqId: context.expect.stringMatching(/./),
      method: context.expect.any(String),
      url: context.expect.any(String),
    });
  context
    .expect(responded.find(({ status }) => status === 201))
    .toMatchObject({ operationId: 'createSurvey', method: 'POST', url: '/api/v5/surveys' });
  for (const [{ request_id }, operationId, status] of refusals as [any, string | undefined, number][]) {
    const line = responded.find(({ reqId }) => reqId === request_id);
    context.expect([line?.status, line?.operationId]).toEqual([status, operationId]);
  }
  await server.stop();
  const all = server.stdout();
  for (const secret of [token, token.slice(4), 'shx_', 'Bearer', 'Confidential', 'known only'])
    context.expect([secret, all.includes(secret)]).toEqual([secret, false]);
  context.expect(() => server.lines()).not.toThrow();
});

describe.concurrent('a log that cannot be written', () => {
  /** A server that writes its log to this file descriptor, once it serves. */
  async function logging(context: TestContext, log: number, env: Record<string, string> = {}) {
    const port = await freePort();
    const server = start(context, freshPath(context), { PORT: String(port), ...env }, log);
    const url = `http://127.0.0.1:${port}`;
    const lives = () => fetch(`${url}/health/live`).then(({ status }) => status, String);
    while ((await lives()) !== 200) await sleep(20);
    return { server, url };
  }

  /** Asks for `count` paths that do not exist; each makes a log line of some 8 KiB. Returns the statuses. */
  async function askLong(url: string, count: number) {
    const statuses = new Set<number>();
    for (let asked = 0; asked < count; asked += 1) {
      statuses.add((await fetch(`${url}/${'x'.repeat(8000)}`, { signal: AbortSignal.timeout(10_000) })).status);
    }
    return [...statuses];
  }

  /** A pipe that holds 64 KiB: what the server writes to, and a function that reads all that is in it. */
  async function pipe(context: TestContext) {
    const path = freshPath(context).replace('data/service.db', 'log');
    await shell(`mkfifo '${path}'`);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const log = openSync(path, constants.O_WRONLY);
    context.onTestFinished(() => [reader, log].forEach((fd) => void closeSync(fd)));
    const buffer = Buffer.alloc(2 ** 17);
    const read = () => {
      try {
        return buffer.toString('utf8', 0, readSync(reader, buffer));
      } catch (error) {
        if ((error as { code?: string }).code === 'EAGAIN') return '';
        throw error;
      }
    };
    return { log, read };
  }

  test('because its disk is full keeps no request and no signal waiting', async (context) => {
    const log = openSync('/dev/full', 'w');
    context.onTestFinished(() => void closeSync(log));
    const { server, url } = await logging(context, log);
    context.expect(await askLong(url, 200)).toEqual([404]);
    const { code, ms } = await server.stop();
    context.expect(code).toBe(0);
    context.expect(ms).toBeLessThan(9000);
  });

  for (const WORKERS of ['1', '2']) {
    test(`because its reader has stopped keeps no request and no signal waiting: WORKERS=${WORKERS}`, async (context) => {
      const { log } = await pipe(context);
      const { server, url } = await logging(context, log, { WORKERS });
      context.expect(await askLong(url, 300)).toEqual([404]);
      const { code, ms } = await server.stop();
      context.expect(code).toBe(0);
      context.expect(ms).toBeLessThan(9000);
    });
  }

  test('is bounded in memory, and says how many lines were dropped once it is written again', async (context) => {
    const { log, read } = await pipe(context);
    const { server, url } = await logging(context, log);
    const count = 300;
    context.expect(await askLong(url, count)).toEqual([404]);
    let text = '';
    const lines = () => {
      text += read();
      return text.split('\n').filter((line) => line.endsWith('}'));
    };
    const dropped = () => /"(\d+) log lines were dropped"/.exec(lines().join('\n'))?.[1];
    await context.expect.poll(dropped).toBeDefined();
    const written = lines().filter((line) => JSON.parse(line).url?.length > 8000);
    context.expect(Number(dropped())).toBeGreaterThan(count / 3);
    context.expect(Number(dropped()) + written.length).toBe(count);
    // From here on nothing is dropped.
    await fetch(`${url}/again`);
    await context.expect.poll(() => lines().at(-1)).toContain('/again');
    context.expect((await server.stop()).code).toBe(0);
    context.expect(text.match(/were dropped/g)).toHaveLength(1);
  });
});
