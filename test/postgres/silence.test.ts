/** Servers that fall silent, as when they lose their power or their network: nothing closes the connections to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { lossyNetwork } from '../support/lossy-network.ts';
import { reasonToSkip } from '../support/needs.ts';
import { hasSchema, newSchema, onServer } from '../support/schema.ts';
import { testService } from '../support/service.ts';
import { findPrograms, PostgresProcess } from './server.ts';

const surveys = '/api/v5/surveys';
const programs = findPrograms();
const noPrograms = reasonToSkip(programs === undefined ? 'The programs of PostgreSQL are missing.' : undefined);
type Send = Awaited<ReturnType<typeof testService>>['send'];

describe.skipIf(noPrograms)('a silent server', () => {
  let primary: PostgresProcess;
  let standby: PostgresProcess;
  beforeAll(async () => {
    primary = await PostgresProcess.create(programs!);
    standby = await primary.standby();
  });
  afterAll(async () => {
    await standby?.remove();
    await primary?.remove();
  });

  /** Sends ten requests a second; tells the status of each, and when it was there. */
  function load(send: () => ReturnType<Send>) {
    const outcomes: { status: number; at: number; ms: number }[] = [];
    const waiting: Promise<unknown>[] = [];
    const timer = setInterval(() => {
      const begin = performance.now();
      waiting.push(
        send().then(({ status }) => {
          const at = performance.now();
          outcomes.push({ status, at, ms: at - begin });
        }),
      );
    }, 100);
    const stop = async () => {
      clearInterval(timer);
      await Promise.all(waiting);
    };
    onTestFinished(stop);
    return { outcomes, stop };
  }

  /** Where this server is, behind a network that can lose what is sent. */
  async function behindNetwork(url: string, { port }: PostgresProcess) {
    const network = await lossyNetwork(port);
    return { network, url: Object.assign(new URL(url), { port: `${network.port}` }).href };
  }

  /** A schema that the standby has too. */
  async function replicatedSchema(): Promise<string> {
    const { url } = await newSchema(primary.url);
    const onStandby = Object.assign(new URL(url), { port: `${standby.port}` }).href;
    await expect.poll(() => hasSchema(onStandby)).toBe(true);
    return url;
  }

  test('that is a replica keeps no read waiting for long, and none fails', async () => {
    const url = await replicatedSchema();
    const replica = await behindNetwork(url, standby);
    const { send } = await testService({ NODE_ENV: 'development', DATABASE_URL: url, DATABASE_READ_URL: replica.url });
    const created = await send('POST', surveys, { name: 'Read by all' });
    const { outcomes, stop } = load(() => send('GET', `${surveys}/${created.json.results[0].id}`));
    await sleep(1500);
    replica.network.lose(true);
    await sleep(12_000);
    await stop();
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Math.max(...outcomes.map(({ ms }) => ms))).toBeLessThan(7000);
    expect(outcomes.slice(-20).filter(({ ms }) => ms > 1000)).toEqual([]);
    replica.network.lose(false);
  });

  test('is not one that lets nobody log in for a while', async () => {
    const { url } = await newSchema(primary.url);
    const { db } = await testService({ DATABASE_URL: url });
    const admin = new Client(primary.url);
    await admin.connect();
    onTestFinished(() => admin.end());
    await Promise.all(Array.from({ length: 3 }, () => db.ping()));
    const slow = sql`select pg_sleep(6)`.execute(db.query);
    await admin.query('begin; lock table pg_class in access exclusive mode');
    await expect(slow).resolves.toBeDefined();
  });

  test('that is the primary is left for the one that was promoted, also when all connections are in use', async () => {
    const url = await replicatedSchema();
    const { network, url: lossy } = await behindNetwork(url, primary);
    const parsed = new URL(lossy);
    parsed.searchParams.set('target_session_attrs', 'read-write');
    const both = parsed.href.replace(`:${network.port}`, `:${network.port},127.0.0.1:${standby.port}`);
    const { send } = await testService({ NODE_ENV: 'development', DATABASE_URL: both });
    // All connections are open.
    await Promise.all(Array.from({ length: 20 }, () => send('POST', surveys, { name: 'Before' })));
    const { outcomes, stop } = load(() => send('POST', surveys, { name: 'After' }));
    await sleep(500);
    network.lose(true);
    const silent = performance.now();
    await onServer(standby.url, 'select pg_promote()');
    await expect.poll(() => outcomes.some(({ status, at }) => status === 201 && at > silent + 1000)).toBe(true);
    expect(performance.now() - silent).toBeLessThan(8000);
    await sleep(1000);
    await stop();
    expect(outcomes.slice(-5).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(outcomes.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
  });
});
