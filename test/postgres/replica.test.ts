/** A replica that takes reads: clients see what they have written, and notice nothing when the replica fails or is behind. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { lossyNetwork } from '../support/lossy-network.ts';
import { reasonToSkip } from '../support/needs.ts';
import { hasSchema, newSchema, onServer, rowsOn } from '../support/schema.ts';
import { emptyDatabase, testService } from '../support/service.ts';
import { findPrograms, PostgresProcess } from './server.ts';

const surveys = '/api/v5/surveys';
const programs = findPrograms();
const noPrograms = reasonToSkip(programs === undefined ? 'The programs of PostgreSQL are missing.' : undefined);

/** The same schema on another server. */
const at = (url: string, { port }: PostgresProcess) => Object.assign(new URL(url), { port: `${port}` }).href;

describe.skipIf(noPrograms)('a replica', () => {
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

  /** The service on a schema of its own, with reads from the replica, and what the replica is asked. */
  async function replicated() {
    const { url } = await newSchema(primary.url);
    const DATABASE_READ_URL = at(url, standby);
    await expect.poll(() => hasSchema(DATABASE_READ_URL)).toBe(true);
    const running = await testService({ DATABASE_URL: url, DATABASE_READ_URL });
    return { ...running, url, DATABASE_READ_URL, sessions: () => readsOn(standby) };
  }

  /** How many sessions of services have read a survey there, and may do so again. */
  async function readsOn({ url }: PostgresProcess): Promise<number> {
    const rows = await rowsOn(
      url,
      `select query from pg_stat_activity where application_name = 'survey-hxl-service' and query like '%from "surveys"%'`,
    );
    return rows.length;
  }

  async function configure({ url }: PostgresProcess, ...settings: string[]): Promise<void> {
    for (const setting of settings) await onServer(url, `alter system ${setting}`);
    await onServer(url, 'select pg_reload_conf()');
  }

  const onStandby = (sql: string) => onServer(standby.url, sql);

  test('serves reads, and whoever writes reads it afterwards, through any process', async () => {
    await configure(standby, `set recovery_min_apply_delay = '8ms'`);
    onTestFinished(() => configure(standby, 'reset recovery_min_apply_delay'));
    const { send, url, DATABASE_READ_URL, sessions, tokens } = await replicated();
    const other = await testService({ DATABASE_URL: url, DATABASE_READ_URL, tokens: 'of the other' });
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const created = await send('POST', surveys, { name: `Writer ${writer}` });
      const path = `${surveys}/${created.json.results[0].id}`;
      for (let at = 0; at < 25; at += 1) {
        const name = `Writer ${writer}, change ${at}`;
        expect((await send('PUT', path, { name })).status).toBe(200);
        const [own, others] = [await send('GET', path), await other.send('GET', path, undefined, { headers })];
        expect([own.json.results[0].name, others.json.results[0].name]).toEqual([name, name]);
      }
    });
    await Promise.all(writers);
    expect(await sessions()).toBeGreaterThan(0);
  });

  test('that is behind is not asked, until it has caught up', async () => {
    const { send, sessions } = await replicated();
    await send('POST', surveys, { name: 'First' });
    await onStandby('select pg_wal_replay_pause()');
    onTestFinished(() => onStandby('select pg_wal_replay_resume()'));
    for (const name of ['Second', 'Third']) {
      expect((await send('PUT', `${surveys}/1`, { name })).status).toBe(200);
      expect((await send('GET', `${surveys}/1`)).json.results[0].name).toBe(name);
    }
    const { json } = await send('GET', `${surveys}?limit=5`);
    expect(json.results.map((survey: { name: string }) => survey.name)).toEqual(['Third']);
    await onStandby('select pg_wal_replay_resume()');
    await onStandby(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'survey-hxl-service'`,
    );
    const isRead = async () => {
      expect((await send('GET', `${surveys}/1`)).json.results[0].name).toBe('Third');
      return (await sessions()) > 0;
    };
    await expect.poll(isRead).toBe(true);
  });

  test('that fails is noticed by nobody, and is used again when it is back', async () => {
    const { send, sessions } = await replicated();
    await send('POST', surveys, { name: 'First' });
    let running = true;
    const statuses = new Set<number>();
    const readers = Array.from({ length: 8 }, async () => {
      while (running) statuses.add((await send('GET', `${surveys}/1`)).status);
    });
    await standby.stop('SIGQUIT');
    await send('PUT', `${surveys}/1`, { name: 'Second' });
    expect((await send('GET', `${surveys}/1`)).json.results[0].name).toBe('Second');
    await standby.start();
    await expect.poll(sessions).toBeGreaterThan(0);
    running = false;
    await Promise.all(readers);
    expect([...statuses]).toEqual([200]);
  });

  test('of a server that is gone is not read, however far it has come, and is again when it follows the next one', async () => {
    const own = async (starting: Promise<PostgresProcess>) => {
      const server = await starting;
      onTestFinished(() => server.remove());
      return server;
    };
    const old = await own(PostgresProcess.create(programs!));
    const network = await lossyNetwork(old.port);
    const next = await own(old.standby(Object.assign(new URL(old.url), { port: `${network.port}` }).href));
    const [ahead, follower] = [await own(old.standby()), await own(old.standby())];
    await configure(follower, `set primary_conninfo = '${next.url}'`, `set primary_slot_name = ''`);
    const { url } = await newSchema(old.url);
    for (const server of [next, ahead, follower]) await expect.poll(() => hasSchema(at(url, server))).toBe(true);
    const parsed = new URL(url);
    parsed.searchParams.set('target_session_attrs', 'read-write');
    const DATABASE_URL = parsed.href.replace(`:${old.port}`, `:${old.port},127.0.0.1:${next.port}`);
    const { send } = await testService({ DATABASE_URL, DATABASE_READ_URL: at(url, ahead) });
    const path = `${surveys}/${(await send('POST', surveys, { name: 'First' })).json.results[0].id}`;
    await expect.poll(async () => (await rowsOn(at(url, follower), 'select name from surveys')).length).toBe(1);
    network.lose(true);
    // What the next primary writes takes less of the log than this, which it never gets.
    await onServer(url, 'create table lost as select generate_series(1, 50000)');
    const hasLost = async () => (await rowsOn(at(url, ahead), `select to_regclass('lost') as name`))[0]!.name !== null;
    await expect.poll(hasLost).toBe(true);
    await old.stop('SIGQUIT');
    await onServer(next.url, 'select pg_promote()');
    await expect.poll(async () => (await send('PUT', path, { name: 'Second' })).status).toBe(200);
    const reader = await testService({ DATABASE_URL, DATABASE_READ_URL: at(url, follower), tokens: 'of the reader' });
    for (let change = 0; change < 10; change += 1) {
      await send('PUT', path, { name: `Change ${change}` });
      const responses = [await send('GET', path), await reader.send('GET', path)];
      expect(responses.map(({ json }) => json.results[0].name)).toEqual([`Change ${change}`, `Change ${change}`]);
    }
    // A replica notes with its checkpoints whom it follows.
    await onServer(follower.url, 'checkpoint');
    const isRead = async () => {
      await reader.send('GET', path);
      return (await readsOn(follower)) > 0;
    };
    await expect.poll(isRead).toBe(true);
    expect(await readsOn(ahead)).toBe(0);
  });

  test('that was promoted by itself is left for the next one', async () => {
    const promoted = await primary.standby();
    onTestFinished(() => promoted.remove());
    const { url } = await newSchema(primary.url);
    for (const server of [promoted, standby]) await expect.poll(() => hasSchema(at(url, server))).toBe(true);
    const DATABASE_READ_URL = at(url, promoted).replace(
      `:${promoted.port}`,
      `:${promoted.port},127.0.0.1:${standby.port}`,
    );
    const { send } = await testService({ DATABASE_URL: url, DATABASE_READ_URL });
    const path = `${surveys}/${(await send('POST', surveys, { name: 'First' })).json.results[0].id}`;
    const isReadOn = (server: PostgresProcess) => async () => {
      expect((await send('GET', path)).status).toBe(200);
      return (await readsOn(server)) > 0;
    };
    await expect.poll(isReadOn(promoted)).toBe(true);
    await onStandby(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'survey-hxl-service'`,
    );
    await onServer(promoted.url, 'select pg_promote()');
    await send('PUT', path, { name: 'Second' });
    await expect.poll(isReadOn(standby)).toBe(true);
    expect((await send('GET', path)).json.results[0].name).toBe('Second');
  });

  test('shows what was acknowledged before it was on disk', async () => {
    const { send } = await replicated();
    await send('POST', surveys, { name: 'First' });
    await configure(primary, 'set synchronous_commit = off', `set wal_writer_delay = '10s'`);
    onTestFinished(() => configure(primary, 'reset all'));
    for (let change = 0; change < 50; change += 1) {
      await send('PUT', `${surveys}/1`, { name: `Change ${change}` });
      expect((await send('GET', `${surveys}/1`)).json.results[0].name).toBe(`Change ${change}`);
    }
  });

  test('that is away at the start is said, and reads go to the primary', async () => {
    const { url } = await newSchema(primary.url);
    await standby.stop();
    onTestFinished(() => standby.start());
    const said: string[] = [];
    const db = await openDatabase(url, (message) => said.push(message), { readUrl: at(url, standby) });
    onTestFinished(() => db.close());
    expect(await db.query.selectFrom('users').selectAll().execute()).toEqual([]);
    expect(said).toEqual([
      expect.stringMatching(
        /^DATABASE_READ_URL: all reads go to DATABASE_URL, until the replica serves: .*ECONNREFUSED/,
      ),
    ]);
  });

  test('that is none is said too, because after a failover it may be the primary', async () => {
    const { url } = await newSchema(primary.url);
    const said: string[] = [];
    const db = await openDatabase(url, (message) => said.push(message), { readUrl: url });
    onTestFinished(() => db.close());
    expect(said).toEqual([expect.stringContaining('its server is no replica')]);
  });

  test('of other records is refused, and so is one of a file', async () => {
    const { url } = await newSchema(primary.url);
    const open = (DATABASE_URL: string, readUrl: string) => openDatabase(DATABASE_URL, () => {}, { readUrl });
    await expect(open(url, standby.url)).rejects.toThrow(
      /^The database postgres:\/\/127.0.0.1:\d+\/postgres cannot be opened: DATABASE_READ_URL leads to another database or schema than DATABASE_URL$/,
    );
    await expect(open(url, `${standby.url}?target_session_attrs=primary`)).rejects.toThrow(
      'The database at DATABASE_READ_URL cannot be opened: target_session_attrs must be any, read-only, standby',
    );
    await expect(open(emptyDatabase(), standby.url)).rejects.toThrow(
      'DATABASE_READ_URL is for a PostgreSQL database, and DATABASE_URL names a file.',
    );
  });
});
