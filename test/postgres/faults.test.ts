/** Faults of a PostgreSQL server: what clients get meanwhile, what is stored, and that all is well afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError as PgError } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Transaction } from '../../src/database/database.ts';
import { prepared } from '../../src/database/prepared.ts';
import { lossyNetwork } from '../support/lossy-network.ts';
import { reasonToSkip } from '../support/needs.ts';
import { newSchema, onServer } from '../support/schema.ts';
import { type TestResponse, testService } from '../support/service.ts';
import { findPrograms, PostgresProcess } from './server.ts';

const surveys = '/api/v5/surveys';
const body = {
  name: 'Flood report',
  tasks: [{ label: 'Damage', fields: [{ label: 'Depth', type: 'int', input: 'number' }] }],
};

const programs = findPrograms();
const noPrograms = reasonToSkip(programs === undefined ? 'The programs of PostgreSQL are missing.' : undefined);
/** These tests stop their server, and change its settings. */
describe.skipIf(noPrograms)('a server with faults', () => {
  let server: PostgresProcess;
  beforeAll(async () => {
    server = await PostgresProcess.create(programs!);
  });
  afterAll(() => server?.remove());

  /** The service on a schema of its own, a survey in it, and a superuser's connection to the schema. */
  async function stored(env: Record<string, string> = {}) {
    const { url } = await newSchema(server.url);
    const running = await testService({ NODE_ENV: 'development', DATABASE_URL: url, ...env });
    expect((await running.send('POST', surveys, body)).status).toBe(201);
    const admin = new Client(url);
    admin.on('error', () => {});
    await admin.connect();
    onTestFinished(() => admin.end());
    return { ...running, admin, url };
  }

  /** Ends all sessions of the service. */
  const terminate = (admin: Client, count = 100) =>
    admin.query(`select pg_terminate_backend(pid) from (
      select pid from pg_stat_activity where application_name = 'survey-hxl-service' order by random() limit ${count}) sessions`);

  function expectUnavailable({ status, headers, json }: TestResponse): void {
    expect([status, headers['retry-after'], json.errors[0].code]).toEqual([503, '5', 'service_unavailable']);
  }

  /** Waits until the service is as it should be. */
  async function expectRecovery(send: Awaited<ReturnType<typeof testService>>['send']): Promise<void> {
    await expect.poll(async () => (await send('GET', '/health/ready')).status, { timeout: 5000 }).toBe(200);
    expect((await send('GET', `${surveys}/1`)).status).toBe(200);
    expect((await send('POST', surveys, body)).status).toBe(201);
  }

  /** Everything that is stored fits together. */
  async function expectWhole(admin: Client): Promise<number> {
    const { rows } = await admin.query(`select (select count(*) from surveys)::int as surveys,
      (select sum(total) from survey_counts)::int as counted,
      (select count(*) from tasks)::int as tasks, (select count(*) from fields)::int as fields`);
    const { surveys: count, ...others } = rows[0];
    expect(others).toEqual({ counted: count, tasks: count, fields: count });
    return count;
  }

  const insertUser = prepared((query, { name, created }: { name: string; created: string }) =>
    query.insertInto('users').values({ name, role: 'user', created }),
  );

  test('sessions that end while nobody uses them are noticed by no client', async () => {
    const { send, admin } = await stored();
    await Promise.all(Array.from({ length: 10 }, () => send('GET', `${surveys}/1`)));
    await terminate(admin);
    const responses = await Promise.all([
      send('GET', `${surveys}/1`),
      send('PUT', `${surveys}/1`, { name: 'Other' }),
      send('GET', surveys),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('sessions that end all the time lose nothing that was acknowledged, and store nothing twice or in part', async () => {
    const { send, admin } = await stored();
    let running = true;
    const ending = (async () => {
      while (running) {
        await terminate(admin, 1);
        await sleep(30);
      }
    })();
    const name = (at: number) => `Survey ${at}`;
    const responses = await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const of: { name: string; response: TestResponse }[] = [];
        for (let at = 0; at < 25; at += 1) {
          const sent = { ...body, name: name(100 * writer + at) };
          of.push({ name: sent.name, response: await send('POST', surveys, sent) });
        }
        return of;
      }),
    );
    running = false;
    await ending;
    await expectRecovery(send);
    const { rows } = await admin.query<{ name: string; count: number }>(
      'select name, count(*)::int as count from surveys group by name',
    );
    const copies = new Map(rows.map((row) => [row.name, row.count]));
    const acknowledged = responses.flat().filter(({ response }) => response.status === 201);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.filter((one) => copies.get(one.name) !== 1)).toEqual([]);
    for (const one of responses.flat()) {
      if (one.response.status !== 201) expectUnavailable(one.response);
      expect(copies.get(one.name) ?? 0).toBeLessThanOrEqual(1);
    }
    await expectWhole(admin);
  });

  test('a server that is stopped and started again is used again, without a restart of the service', async () => {
    const { send } = await stored();
    await server.stop();
    for (const [method, url] of [
      ['GET', `${surveys}/1`],
      ['POST', surveys],
      ['DELETE', `${surveys}/1`],
    ] as const)
      expectUnavailable(await send(method, url, method === 'POST' ? body : undefined));
    expect((await send('GET', '/health/ready')).status).toBe(503);
    expect((await send('GET', '/health/live')).status).toBe(200);
    await server.start();
    await expectRecovery(send);
  });

  test('a server that crashes has kept what was acknowledged', async () => {
    const { send, url } = await stored();
    const created = await send('POST', surveys, body);
    await server.stop('SIGQUIT');
    await server.start();
    await expectRecovery(send);
    expect((await send('GET', `${surveys}/${created.json.results[0].id}`)).status).toBe(200);
    const admin = new Client(url);
    await admin.connect();
    expect(await expectWhole(admin)).toBe(3);
    await admin.end();
  });

  test('when all connections are in use, further requests are told so after a while', async () => {
    const { send, admin } = await stored({ DATABASE_POOL_SIZE: '2', DATABASE_TIMEOUT: '3000' });
    await admin.query('begin; select from surveys for update');
    const waiting = [1, 2].map((at) => send('PUT', `${surveys}/1`, { name: `Name ${at}` }));
    const locked = async () => {
      // Within a transaction, the server shows again what it has shown before.
      await admin.query('select pg_stat_clear_snapshot()');
      return (await admin.query(`select from pg_stat_activity where wait_event_type = 'Lock'`)).rows.length;
    };
    await expect.poll(locked).toBe(2);
    const refused = await send('GET', `${surveys}/1`);
    expectUnavailable(refused);
    expect(refused.json.errors[0].message).toMatch(/^Too many requests/);
    // To be busy is not to be broken: others would be as busy, without this process even more.
    expect((await send('GET', '/health/ready')).status).toBe(200);
    await admin.query('rollback');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    await expectRecovery(send);
  });

  test('a statement that takes too long is ended at the server too, and its connection is used again', async () => {
    const { send, admin } = await stored({ DATABASE_STATEMENT_TIMEOUT: '300' });
    const sessions = async (condition: string) => {
      const { rows } = await admin.query(`select pid from pg_stat_activity
        where application_name = 'survey-hxl-service' and ${condition} order by pid`);
      return rows;
    };
    const before = await sessions('true');
    await admin.query('begin; lock table surveys');
    expectUnavailable(await send('GET', `${surveys}/1`));
    const refused = await send('POST', surveys, body);
    expectUnavailable(refused);
    expect(refused.json.errors[0].message).not.toContain('may be stored');
    expect(await sessions("wait_event_type = 'Lock'")).toEqual([]);
    expect(await sessions('true')).toEqual(before);
    await admin.query('rollback');
    await expectRecovery(send);
  });

  test('a statement of which nothing is heard closes its connection, and who waits for one gets another', async () => {
    const network = await lossyNetwork(server.port);
    const { url } = await newSchema(server.url);
    const { db } = await testService({
      DATABASE_URL: Object.assign(new URL(url), { port: `${network.port}` }).href,
      DATABASE_STATEMENT_TIMEOUT: '300',
      DATABASE_POOL_SIZE: '2',
      DATABASE_TIMEOUT: '8000',
    });
    const read = () => db.query.selectFrom('users').select('id').execute();
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([read(), read()]);
      network.lose(true);
      const lost = [read(), read()].map((result) =>
        expect(result).rejects.toThrow('connection to the database was lost'),
      );
      await sleep(100);
      network.lose(false);
      const start = performance.now();
      await read();
      expect(performance.now() - start).toBeLessThan(4000);
      await Promise.all(lost);
    }
    await expect.poll(network.connections).toBeLessThanOrEqual(2);
  });

  test('after a crash, nothing is used that was read before', async () => {
    const { url } = await newSchema(server.url);
    const [one, other] = [await testService({ DATABASE_URL: url }), await testService({ DATABASE_URL: url })];
    const path = `${surveys}/${(await one.send('POST', surveys, { name: 'Old' })).json.results[0].id}`;
    const session = new Client(url);
    session.on('error', () => {});
    await session.connect();
    await session.query('checkpoint');
    // Its number is lost with the log, for which nobody waits, and comes again.
    await session.query(`begin; insert into users (name, role, created) values ('nobody', 'user', ''); rollback`);
    for (let at = 0; at < 4; at += 1) expect((await one.send('GET', path)).json.results[0].name).toBe('Old');
    const { rows } = await session.query('select pg_backend_pid() as pid');
    process.kill(rows[0].pid, 'SIGKILL');
    await expect.poll(async () => (await other.send('PUT', path, { name: 'New' })).status).toBe(200);
    expect((await one.send('GET', path)).json.results[0].name).toBe('New');
  });

  test('a query that comes when its transaction has ended stores nothing', async () => {
    const { db } = await stored();
    const created = new Date().toISOString();
    let late: Promise<unknown> | undefined;
    for (let steps = 0; steps < 40; steps += 1) {
      const undone = db.transaction(async (trx) => {
        const insert = () =>
          trx.query
            .insertInto('users')
            .values({ name: `late ${steps}`, role: 'user', created })
            .execute();
        late = Promise.allSettled([insert(), sleep(50).then(insert)]);
        for (let step = 0; step < steps; step += 1) await null;
        throw new Error('of the program');
      });
      await expect(undone).rejects.toThrow('of the program');
    }
    await late;
    expect(await db.query.selectFrom('users').select('name').where('name', 'like', 'late%').execute()).toEqual([]);
  });

  test('a transaction whose begin has failed is not committed, whoever looks away', async () => {
    const { db } = await stored();
    const { query } = Client.prototype;
    const sent = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...call: any[]) {
      const [{ text }, callback] = call;
      if (!text?.startsWith('begin')) return (query as any).apply(this, call);
      return process.nextTick(callback, Object.assign(new PgError('canceled', 8, 'error'), { code: '57014' })) as never;
    });
    onTestFinished(() => sent.mockRestore());
    const created = new Date().toISOString();
    const swallowing = db.transaction(async (trx) => {
      await trx.query
        .selectFrom('users')
        .select('id')
        .execute()
        .catch(() => {});
      await trx.send(insertUser, { name: 'nobody', created });
    });
    await expect(swallowing).rejects.toThrow('ended the statement');
    expect(await db.query.selectFrom('users').select('name').where('name', '=', 'nobody').execute()).toEqual([]);
  });

  test('transactions that wait for each other in a circle are run again', async () => {
    const { db, send } = await stored();
    await send('POST', surveys, body);
    const rename = (trx: Transaction, id: number, name: string) =>
      trx.query.updateTable('surveys').set({ name }).where('id', '=', id).execute();
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    let runs = 0;
    await Promise.all([
      db.transaction(async (trx) => {
        runs += 1;
        await rename(trx, 1, 'One');
        first.resolve();
        await second.promise;
        await rename(trx, 2, 'One');
      }),
      db.transaction(async (trx) => {
        runs += 1;
        await rename(trx, 2, 'Two');
        second.resolve();
        await first.promise;
        await rename(trx, 1, 'Two');
      }),
    ]);
    expect(runs).toBe(3);
    const rows = await db.query.selectFrom('surveys').select('name').execute();
    expect(new Set(rows.map(({ name }) => name)).size).toBe(1);
  });

  /** Lets the database refuse so many inserts of tasks, with this SQLSTATE. */
  async function refuseInserts(admin: Client, state: string, times: number): Promise<void> {
    await admin.query(`create sequence attempts;
      create function refuse() returns trigger language plpgsql as $$ begin
        if nextval('attempts') <= ${times} then raise exception 'refused' using errcode = '${state}'; end if;
        return new;
      end $$;
      create trigger refusing before insert on tasks for each statement execute function refuse()`);
  }

  test.each(['40001', '40P01'])(
    'a transaction that collides with others (%s) is run again, and stored once',
    async (state) => {
      const { send, admin } = await stored();
      await refuseInserts(admin, state, 2);
      expect((await send('POST', surveys, body)).status).toBe(201);
      expect(await expectWhole(admin)).toBe(2);
    },
  );

  test('work that fails by itself is not run again', async () => {
    const { db } = await stored();
    let runs = 0;
    const failing = db.transaction(async () => {
      runs += 1;
      throw new Error('of the program');
    });
    await expect(failing).rejects.toThrow('of the program');
    expect(runs).toBe(1);
  });

  test('a transaction that does not begin stores nothing', async () => {
    const { db, send } = await stored();
    const { query } = Client.prototype;
    const sent = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...call: any[]) {
      const [{ text }, callback] = call;
      if (!text?.startsWith('begin')) return (query as any).apply(this, call);
      const canceled = Object.assign(new PgError('canceled', 8, 'error'), { code: '57014' });
      return process.nextTick(callback, canceled) as never;
    });
    onTestFinished(() => sent.mockRestore());
    const created = new Date().toISOString();
    const insert = (trx: Transaction) =>
      trx.query.insertInto('users').values({ name: 'nobody', role: 'user', created }).execute();
    await expect(db.transaction(insert)).rejects.toThrow('ended the statement');
    await expect(db.transaction((trx) => trx.reserveIds({ users: 1 }).then(() => insert(trx)))).rejects.toThrow();
    const twice = (trx: Transaction) =>
      Promise.all([1, 2].map((at) => trx.send(insertUser, { name: `nobody ${at}`, created })));
    await expect(db.transaction(twice)).rejects.toThrow('ended the statement');
    expectUnavailable(await send('PUT', `${surveys}/1`, { ...body, name: 'Changed' }));
    sent.mockRestore();
    expect(await db.query.selectFrom('users').select('name').where('name', 'like', 'nobody%').execute()).toEqual([]);
    expect((await send('GET', surveys)).json.results.map(({ name }: { name: string }) => name)).toEqual([body.name]);
  });

  test('a transaction of a single write, or of none, needs no begin', async () => {
    const { db } = await stored();
    const sent = vi.spyOn(Client.prototype, 'query');
    const created = new Date().toISOString();
    await db.transaction((trx) => trx.send(insertUser, { name: 'somebody', created }));
    await db.transaction(async () => {});
    const texts = sent.mock.calls.map(([config]) => (config as unknown as { text: string }).text);
    sent.mockRestore();
    expect(texts).toEqual([expect.stringMatching(/^insert/)]);
    const undone = db.transaction(async (trx) => {
      await trx.send(insertUser, { name: 'nobody', created });
      throw new Error('of the program');
    });
    await expect(undone).rejects.toThrow('of the program');
    const users = await db.query.selectFrom('users').select('name').where('name', 'like', '%body').execute();
    expect(users).toEqual([{ name: 'somebody' }]);
  });

  test('a transaction that always collides with others is given up', async () => {
    const { send, admin } = await stored();
    await refuseInserts(admin, '40001', 1000);
    expectUnavailable(await send('POST', surveys, body));
    expect(await expectWhole(admin)).toBe(1);
  });

  test.each([
    ['53100', 507],
    ['53200', 503],
    ['58030', 503],
    ['57014', 503],
    ['XX001', 500],
  ])('what the database says of its storage (%s) is told as %i, and nothing is stored', async (state, status) => {
    const { send, admin } = await stored();
    await refuseInserts(admin, state, 1);
    const response = await send('POST', surveys, body);
    expect(response.status).toBe(status);
    expect(await expectWhole(admin)).toBe(1);
    expect((await send('POST', surveys, body)).status).toBe(201);
  });

  test('a server that only takes reads is read', async () => {
    const { send } = await stored();
    const set = (value: string) =>
      onServer(
        server.url,
        `start transaction read write; alter role postgres set default_transaction_read_only = ${value}; commit`,
      );
    await set('on');
    onTestFinished(() => set('off'));
    // Sessions that exist go on.
    await onServer(
      server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'survey-hxl-service'`,
    );
    expectUnavailable(await send('POST', surveys, body));
    expect((await send('GET', `${surveys}/1`)).status).toBe(200);
    expect((await send('GET', '/health/ready')).status).toBe(503);
    await set('off');
    await expectRecovery(send);
  });

  test('a role that has no more connections left is told to clients as 503', async () => {
    const { url } = await stored();
    await onServer(server.url, `create role few login connection limit 2; grant postgres to few`);
    const few = Object.assign(new URL(url), { username: 'few' }).href;
    const schema = /search_path%3D(\w+)/.exec(url)![1];
    await onServer(
      server.url,
      `grant all on schema ${schema} to few; grant all on all tables in schema ${schema} to few`,
    );
    const { send } = await testService({ NODE_ENV: 'development', DATABASE_URL: few });
    expect((await send('GET', `${surveys}/1`)).status).toBe(200);
    await onServer(server.url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'few'`);
    const others: Client[] = [];
    const takeOne = async () => {
      const other = new Client(few);
      await other.connect();
      return others.push(other);
    };
    const taken = () => takeOne().catch(() => 0);
    await expect.poll(taken).toBe(1);
    await expect.poll(taken).toBe(2);
    expectUnavailable(await send('GET', `${surveys}/1`));
    for (const other of others) await other.end();
    await expectRecovery(send);
  });

  describe('a commit whose outcome is unknown', () => {
    test('is told so, and is not repeated, when it was stored', async () => {
      const { send, admin } = await stored();
      // The commit is there, but waits for a standby that does not exist.
      const set = async (value: string) => {
        await onServer(server.url, `alter system set synchronous_standby_names = '${value}'`);
        await onServer(server.url, 'select pg_reload_conf()');
      };
      await set('nobody');
      onTestFinished(() => set(''));
      await expect
        .poll(async () => (await admin.query('show synchronous_standby_names')).rows[0].synchronous_standby_names)
        .toBe('nobody');
      const posting = send('POST', surveys, body);
      await expect
        .poll(async () => (await admin.query(`select from pg_stat_activity where wait_event = 'SyncRep'`)).rows.length)
        .toBe(1);
      await terminate(admin);
      const response = await posting;
      expectUnavailable(response);
      expect(response.json.errors[0].message).toContain('may be stored or not');
      await set('');
      await expectRecovery(send);
      expect(await expectWhole(admin)).toBe(3);
    });

    test('is told so, and is not repeated, when it was not stored', async () => {
      const { send, admin } = await stored();
      await admin.query(`create sequence attempts;
        create function cut() returns trigger language plpgsql as $$ begin
          if nextval('attempts') = 1 then perform pg_terminate_backend(pg_backend_pid()); end if;
          return null;
        end $$;
        create constraint trigger cutting after insert on tasks deferrable initially deferred
          for each row execute function cut()`);
      expectUnavailable(await send('POST', surveys, body));
      expect(await expectWhole(admin)).toBe(1);
      expect((await send('POST', surveys, body)).status).toBe(201);
      expect(await expectWhole(admin)).toBe(2);
    });
  });
});
