/** A failover: the primary is killed under load, and its synchronous standby is promoted. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { reasonToSkip } from '../support/needs.ts';
import { newSchema, onServer } from '../support/schema.ts';
import { type TestResponse, testService } from '../support/service.ts';
import { findPrograms, PostgresProcess } from './server.ts';

const surveys = '/api/v5/surveys';
const programs = findPrograms();
const noPrograms = reasonToSkip(programs === undefined ? 'The programs of PostgreSQL are missing.' : undefined);
const body = { tasks: [{ label: 'Damage', fields: [{ label: 'Depth', type: 'int', input: 'number' }] }] };

/** A way to a port that can be cut: what is under way is lost. */
async function cuttable(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    for (const socket of [from, to]) sockets.add(socket.on('error', () => {}));
    from.pipe(to).pipe(from);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, cut };
}

describe.skipIf(noPrograms)('failover', () => {
  let primary: PostgresProcess;
  let standby: PostgresProcess;
  let network: Awaited<ReturnType<typeof cuttable>>;
  beforeAll(async () => {
    primary = await PostgresProcess.create(programs!);
    network = await cuttable(primary.port);
    standby = await primary.standby(primary.url.replace(`:${primary.port}`, `:${network.port}`));
    // From now on a commit waits for the standby.
    await onServer(primary.url, `alter system set synchronous_standby_names = '*'`);
    await onServer(primary.url, 'select pg_reload_conf()');
  });
  afterAll(async () => {
    network?.cut();
    await standby?.remove();
    await primary?.remove();
  });

  test('to a synchronous standby under load loses no acknowledged write, and is found within 5 s', async () => {
    const { url } = await newSchema(primary.url);
    const parsed = new URL(url);
    parsed.searchParams.set('target_session_attrs', 'read-write');
    const both = parsed.href.replace(`:${primary.port}`, `:${primary.port},127.0.0.1:${standby.port}`);
    const { send } = await testService({ NODE_ENV: 'development', DATABASE_URL: both, DATABASE_TIMEOUT: '2000' });

    let running = true;
    const responses: { name: string; response: TestResponse }[] = [];
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let at = 0; running; at += 1) {
        const name = `Survey ${writer} ${at}`;
        responses.push({ name, response: await send('POST', surveys, { ...body, name }) });
      }
    });
    await sleep(1500);
    // What the primary stores from now on does not reach the standby, so it must not be acknowledged.
    network.cut();
    await sleep(300);
    await primary.stop('SIGQUIT');
    // Nobody has decided yet: there is no server that takes writes.
    await sleep(500);
    const before = responses.length;
    await onServer(standby.url, 'select pg_promote()');
    const promoted = performance.now();
    const isBack = () => responses.slice(before).some(({ response }) => response.status === 201);
    await expect.poll(isBack).toBe(true);
    expect(performance.now() - promoted).toBeLessThan(5000);
    await sleep(1000);
    running = false;
    await Promise.all(writers);
    expect((await send('GET', '/health/ready')).status).toBe(200);

    const statuses = Map.groupBy(responses, ({ response }) => response.status);
    expect([...statuses.keys()].toSorted()).toEqual([201, 503]);
    for (const { response } of statuses.get(503)!) expect(response.headers['retry-after']).toBe('5');
    expect(responses.slice(0, before).filter(({ response }) => response.status === 201).length).toBeGreaterThan(50);

    const found = url.replace(`:${primary.port}`, `:${standby.port}`);
    const db = await openDatabase(found);
    const rows = await db.query.selectFrom('surveys').select(['name', 'id']).execute();
    const [tasks, fields] = await Promise.all(
      (['tasks', 'fields'] as const).map((table) => db.query.selectFrom(table).select('id').execute()),
    );
    await db.close();
    const copies = Map.groupBy(rows, ({ name }) => name);
    expect(statuses.get(201)!.filter(({ name }) => copies.get(name)?.length !== 1)).toEqual([]);
    expect([copies.size, tasks!.length, fields!.length]).toEqual([rows.length, rows.length, rows.length]);
  });
});
