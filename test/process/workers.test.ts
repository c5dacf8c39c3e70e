/** Several server processes on one port and one database. */
import { describe, type TestContext, test } from 'vitest';
import {
  bearer,
  create,
  freshPath,
  isRefused,
  processPoll,
  processTest,
  running,
  start,
} from '../support/server-process.ts';

describe.concurrent('several processes', processTest, () => {
  /** A server of two processes that both listen, and their process ids from the log. */
  async function two(context: TestContext) {
    const { server, url, port, token } = await running(context, freshPath(), { WORKERS: '2' });
    const pids = () => [
      ...new Set(
        server
          .lines()
          .filter(({ msg }) => /listening/.test(msg))
          .map(({ pid }) => pid as number),
      ),
    ];
    await context.expect.poll(() => pids().length, processPoll).toBe(2);
    return { server, pids, url, port, token };
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
    await context.expect.poll(() => pids().length, processPoll).toBe(3);
    context.expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    context.expect((await server.stop()).code).toBe(0);
    context.expect(await isRefused(port)).toBe(true);
  });

  test('print once why they cannot start', async (context) => {
    const { port } = await two(context);
    const { code, stderr } = await start(context, freshPath(), { WORKERS: '2', PORT: String(port) }).end;
    context.expect([code, stderr]).toEqual([1, `Port ${port} of 127.0.0.1 is in use. Set PORT to a free one.\n`]);
  });
});
