/** Damaged pages: what is read is what was stored, or it is refused. */
import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import report from '../fixtures/flood-report.json' with { type: 'json' };
import type { TestResponse } from '../support/service.ts';
import { newFolder, storedService } from '../support/stored-service.ts';

vi.setConfig({ testTimeout: 120_000 });

const surveys = '/api/v5/surveys';
const one = (id: number, query = '') => `${surveys}/${id}${query}`;
/** An internal task is one that readers do not see, so that there are published tasks beside all tasks. */
const internal = { ...report, tasks: [...report.tasks, { label: 'For the team', task_is_internal_only: true }] };

/** Changes columns of a survey as damage does, without their digests. */
const damage = (path: string, id: number, change: string) => {
  const other = new Sqlite(path);
  other.exec(`update surveys set ${change} where id = ${id}`);
  other.close();
};

/** Moves what is in the log into the file. */
const checkpoint = (path: string) => {
  const other = new Sqlite(path);
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
};

const corrupt = (id: number) => ({ msg: 'fault', err: { message: `Survey ${id} is not as it was stored.` } });

test.each<[change: string, query: string, as: 'admin' | 'user']>([
  ["name = 'Another'", '', 'admin'],
  ["name = 'Another'", '?only=name', 'admin'],
  ["tasks = replace(tasks, 'Where', 'Wher ')", '?only=tasks', 'admin'],
  ['tasks = substr(tasks, 1, 100)', '?hydrate=tasks', 'admin'],
  ['published_tasks = null', '?only=tasks', 'user'],
  ['published_tasks = tasks', '?only=tasks', 'user'],
  ["published_tasks = replace(published_tasks, 'a', 'b')", '', 'user'],
  ['hide_author = 1 - hide_author', '', 'user'],
  ['disabled = 0', '?only=name', 'user'],
  ['updated = created', '', 'admin'],
  ["digests = x'00'", '', 'admin'],
  ["digests = ''", '?only=id', 'admin'],
  ["digests = replace(digests, '0', '1')", '?only=id', 'user'],
])('with %s, %s is refused and logged', async (change, query, as) => {
  const { path, send, faults } = await storedService();
  await send('POST', surveys, { ...internal, disabled: change.startsWith('disabled') });
  await send('POST', surveys, internal);
  damage(path, 1, change);
  for (const url of [
    one(1, query),
    `${surveys}${query}`,
    `${surveys}${query}${query ? '&' : '?'}limit=5&orderby=name`,
  ]) {
    const { status, json } = await send('GET', url, undefined, as);
    expect([status, json?.errors[0].code], url).toEqual([500, 'content_corrupt']);
  }
  expect(faults()).toMatchObject([corrupt(1), corrupt(1), corrupt(1)]);
  expect((await send('GET', one(2, query), undefined, as)).status).toBe(200);
});

describe('a survey that is read alone in a list, because it is long,', () => {
  const long = { ...internal, description: 'ä'.repeat(30_000) };

  test.each<[change: string, query: string, as: 'admin' | 'user']>([
    ["name = 'Another'", '', 'admin'],
    ["description = replace(description, 'ä', 'b')", '', 'user'],
    ['description = substr(description, 1, 10)', '', 'admin'],
    ['description = null', '', 'user'],
    ["tasks = replace(tasks, 'Where', 'Wher ')", '&only=description,tasks', 'admin'],
    ['published_tasks = null', '&only=description,tasks', 'user'],
    ['disabled = 0', '&only=description', 'user'],
    ["digests = ''", '&only=description', 'admin'],
  ])('is refused and logged with %s (%s)', async (change, query, as) => {
    const { path, send, faults } = await storedService();
    await send('POST', surveys, { ...long, disabled: change.startsWith('disabled') });
    damage(path, 1, change);
    for (const order of ['limit=5', 'limit=0', 'limit=5&orderby=name']) {
      const { status, json } = await send('GET', `${surveys}?${order}${query}`, undefined, as);
      expect([status, json?.errors[0].code], order).toEqual([500, 'content_corrupt']);
    }
    expect(faults()).toMatchObject([corrupt(1), corrupt(1), corrupt(1)]);
  });

  test('is served when what is damaged is not shown', async () => {
    const { path, send } = await storedService();
    await send('POST', surveys, long);
    damage(path, 1, "tasks = '[]'");
    const { status, json } = await send('GET', `${surveys}?limit=5&only=description`);
    expect([status, json.results]).toEqual([200, [{ id: 1, description: long.description }]]);
  });
});

test('what is intact of a damaged survey is served, and what is damaged is not', async () => {
  const { path, send } = await storedService();
  await send('POST', surveys, internal);
  damage(path, 1, "tasks = '[]'");
  expect((await send('GET', one(1, '?only=name'))).json.results).toEqual([{ id: 1, name: report.name }]);
  expect((await send('GET', one(1, '?only=name,tasks'))).status).toBe(500);
});

test('a damaged survey cannot be changed, so that it does not become valid, but it can be deleted', async () => {
  const { path, send } = await storedService();
  await send('POST', surveys, internal);
  damage(path, 1, "color = '#000000'");
  const { status, json } = await send('PUT', one(1), { name: 'Another name' });
  expect([status, json.errors[0].code]).toEqual([500, 'content_corrupt']);
  expect((await send('DELETE', one(1))).status).toBe(200);
});

test('a long list with a damaged survey is cut, and never complete', async () => {
  const { app, path, send, faults, credentials } = await storedService();
  for (let count = 0; count < 45; count += 1) await send('POST', surveys, { name: `Survey ${count}` });
  damage(path, 43, "name = 'Another'");
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  // Compressed, so little is not sent before its end: then it is 500.
  const headers = { ...credentials('admin'), 'accept-encoding': 'identity' };
  const response = await fetch(`http://127.0.0.1:${port}${surveys}`, { headers });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  await expect.poll(faults).toMatchObject([corrupt(43)]);
});

/** A copy of this database in one file, as a backup is made. */
function copy(path: string, name: string): string {
  const other = new Sqlite(path);
  other.exec(`vacuum into '${path}.${name}'`);
  other.close();
  return `${path}.${name}`;
}

/** A database as the migrations up to this one made it, with what is stored in the one at `path`; returns its path. */
async function asOf(migration: string, path: string): Promise<string> {
  const file = new Sqlite(`${path}.old`);
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database: file }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo(migration)).error).toBeUndefined();
  file.exec(`attach '${path}' as present`);
  for (const table of ['users', 'tokens', 'surveys', 'tasks', 'fields', 'sqlite_sequence']) {
    const columns = (file.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name).join();
    file.exec(
      `delete from main.${table}; insert into main.${table} (${columns}) select ${columns} from present.${table}`,
    );
  }
  await db.destroy();
  return `${path}.old`;
}

test('surveys that were stored before there were digests get them, and nothing else changes', async () => {
  const { path, send } = await storedService();
  for (const body of [internal, report, { name: 'Été', description: null, color: '#aabbcc' }, report])
    expect((await send('POST', surveys, body)).status).toBe(201);
  expect((await send('DELETE', one(4))).status).toBe(200);
  const content = (database: string) => {
    const file = new Sqlite(database, { readonly: true });
    const rows = (table: string) => file.prepare(`select * from ${table} order by 1`).all();
    const all = Object.fromEntries(
      ['surveys', 'tasks', 'fields', 'survey_counts', 'sqlite_sequence'].map((name) => [name, rows(name)]),
    );
    file.close();
    return all;
  };
  const expected = content(path);
  expect(expected.tasks!.length * expected.fields!.length).toBeGreaterThan(0);
  const old = await asOf('0003_hxl', path);
  const migrated = await openDatabase(`file:${old}`, () => {});
  await expect(migrated.query.insertInto('tasks').values({ survey_id: 99 }).execute()).rejects.toThrow(/FOREIGN KEY/i);
  await migrated.close();
  expect(content(old)).toEqual(expected);
});

test('random damage never leads to a content that was not stored, nor to broken JSON', async () => {
  const count = 30;
  const requests = (['admin', 'user'] as const).flatMap((as) =>
    Array.from({ length: count }, (_, at) => at + 1).flatMap((id) =>
      ['', '?only=id,name', '?hydrate=tasks', '?only=tasks,created'].map((query) => ({ as, url: one(id, query) })),
    ),
  );
  const source = await storedService();
  for (let at = 0; at < count; at += 1) {
    const body = at % 3 === 0 ? internal : { ...report, name: `Survey ${at}`, disabled: at % 7 === 0 };
    expect((await source.send('POST', surveys, body)).status).toBe(201);
  }
  const expected: TestResponse[] = [];
  for (const { as, url } of requests) expected.push(await source.send('GET', url, undefined, as));
  const original = copy(source.path, 'copy');
  const other = new Sqlite(original);
  // Without the schema and the tokens nothing could be read at all.
  const pages = other.prepare("select pageno from dbstat where name = 'surveys'").pluck().all() as number[];
  const pageSize = other.pragma('page_size', { simple: true }) as number;
  other.close();

  // The same damage each time, so that a failure can be repeated.
  let state = 12_345;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
  const seen = { intact: 0, refused: 0, missing: 0, others: 0 };
  for (let round = 0; round < 8; round += 1) {
    const folder = newFolder();
    copyFileSync(original, join(folder, 'service.db'));
    const { path, send } = await storedService(folder);
    checkpoint(path);
    const file = openSync(path, 'r+');
    for (let hit = 0; hit < 40; hit += 1) {
      const damaged = Buffer.from(Array.from({ length: [1, 1, 4, 64, 512][random(5)]! }, () => random(256)));
      const at = (pages[random(pages.length)]! - 1) * pageSize + random(pageSize - damaged.length);
      writeSync(file, damaged, 0, damaged.length, at);
    }
    closeSync(file);
    for (const [at, { as, url }] of requests.entries()) {
      const { status, text, json } = await send('GET', url, undefined, as);
      const right = expected[at]!;
      expect(json, `round ${round}, ${as}, ${url}: ${text}`).toBeDefined();
      if (status === right.status && status !== 200) continue;
      if (status === 200) expect(text, `round ${round}, ${as}, ${url}`).toBe(right.text);
      if (status === 200) seen.intact += 1;
      else if (json.errors[0].code === 'content_corrupt') seen.refused += 1;
      else if (status === 404) seen.missing += 1;
      else seen.others += 1;
    }
  }
  expect(seen.intact).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
});
