/** What is kept in memory is never stale and never somebody else's, whoever writes: this process, another one, both. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Db } from '../../src/database/database.ts';
import { keptResults } from '../../src/database/result-cache.ts';
import { testService } from '../support/service.ts';

/** Two connections to one file, as two processes have them. */
async function twoConnections(): Promise<[Db, Db]> {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const url = `file:${join(folder, 'service.db')}`;
  const both: [Db, Db] = [await connect(url), await connect(url)];
  onTestFinished(async () => {
    for (const db of both) await db.destroy();
    rmSync(folder, { recursive: true });
  });
  return both;
}

const addUser = (db: Db, name: string) => db.insertInto('users').values({ name, role: 'user', created: '' }).execute();
const userCount = async (db: Db) => (await db.selectFrom('users').select('id').execute()).length;

test('a result that is asked for again is kept while nothing changes, and read again after any change', async () => {
  const [here, there] = await twoConnections();
  let reads = 0;
  const count = () =>
    keptResults(here).kept(['users'], async () => {
      reads += 1;
      return { users: await userCount(here) };
    });
  const thrice = async () => [await count(), await count(), await count()];
  expect([await thrice(), reads]).toEqual([[{ users: 0 }, { users: 0 }, { users: 0 }], 2]);
  await addUser(here, 'a');
  expect([await thrice(), reads]).toEqual([[{ users: 1 }, { users: 1 }, { users: 1 }], 4]);
  await addUser(there, 'b');
  expect([await thrice(), reads]).toEqual([[{ users: 2 }, { users: 2 }, { users: 2 }], 6]);
});

test('what is read while a transaction is open is what was before it, and is not kept beyond it', async () => {
  const [here] = await twoConnections();
  const count = () => keptResults(here).kept(['users'], async () => ({ users: await userCount(here) }));
  const changing = here.transaction().execute(async (trx) => {
    await addUser(trx, 'a');
    const meanwhile = count();
    await addUser(trx, 'b');
    return { meanwhile };
  });
  expect(await (await changing).meanwhile).toEqual({ users: 0 });
  expect(await count()).toEqual({ users: 2 });
  await here
    .transaction()
    .execute(async (trx) => {
      await addUser(trx, 'c');
      throw new Error('rolled back');
    })
    .catch(() => {});
  expect(await count()).toEqual({ users: 2 });
});

test('reference data is kept when something else changes, and read again after a migration, of this process or another', async () => {
  const [here, there] = await twoConnections();
  let reads = 0;
  const read = async () => (reads += 1);
  const look = () => keptResults(here).reference(['tags'], read);
  expect([await look(), await look(), await look()]).toEqual([1, 2, 2]);
  await addUser(here, 'a');
  await addUser(there, 'b');
  expect(await look()).toBe(2);
  await sql`insert into kysely_migration (name, timestamp) values ('9999_more', '')`.execute(there);
  expect([await look(), await look(), await look()]).toEqual([3, 4, 4]);
});

test('keys that look alike are different', async () => {
  const [here] = await twoConnections();
  const { kept } = keptResults(here);
  const keys = [
    ['a', 'b'],
    ['a,b'],
    ['a', undefined],
    ['a', 'undefined'],
    ['a', { only: 'x' }],
    ['a', { hydrate: 'x' }],
    ['1'],
    [1],
  ];
  for (const key of [...keys, ...keys])
    expect(await kept(key, async () => JSON.stringify(key))).toBe(JSON.stringify(key));
  for (const key of keys) expect(await kept(key, async () => 'read again')).toBe(JSON.stringify(key));
});

test('nothing that one caller may see reaches another through what is kept', async () => {
  const { send } = await testService();
  await send('POST', '/api/v5/surveys', { name: 'Open', tasks: [{ label: 'Inner', task_is_internal_only: true }] });
  await send('POST', '/api/v5/surveys', { name: 'Closed', disabled: true });
  const record = {
    dataset_title: 'Wells',
    source: 'Teams',
    organisation_id: 'x',
    organisation_name: 'X',
    license_id: 1,
    private: true,
  };
  await send('POST', '/api/v3/hxl/metadata', record, { as: 'manager' });
  const urls = [
    '/api/v5/surveys/1',
    '/api/v5/surveys/2',
    '/api/v5/surveys?limit=5',
    '/api/v3/hxl/metadata?limit=5',
    '/api/v3/hxl/organisations?limit=5',
  ];
  for (const url of urls) {
    const alone = await send('GET', url, undefined, { as: 'user' });
    for (const as of [
      'admin',
      'manager',
      'admin',
      'user',
      'manager',
      'user',
      'admin',
      'manager',
      'user',
      'user',
    ] as const) {
      const answer = await send('GET', url, undefined, { as });
      if (as === 'user') expect({ ...answer.json, request_id: '' }).toEqual({ ...alone.json, request_id: '' });
      else expect(answer.text).not.toBe(alone.text);
    }
  }
});

test('another process that writes all the time is seen at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const url = `file:${join(folder, 'service.db')}`;
  const here = await connect(url);
  await addUser(here, '0');
  const writer = fork(new URL('../support/writing-process.ts', import.meta.url), [url], { execArgv: [] });
  onTestFinished(async () => {
    writer.kill();
    await here.destroy();
    rmSync(folder, { recursive: true });
  });
  let told = 0;
  writer.on('message', (count) => (told = Number(count)));
  let looked = 0;
  while (told < 300) {
    // What was committed before this look must be in it.
    const committed = told;
    const { name } = await keptResults(here).kept(['name'], () =>
      here.selectFrom('users').select('name').where('id', '=', 1).executeTakeFirstOrThrow(),
    );
    expect(Number(name)).toBeGreaterThanOrEqual(committed);
    looked += 1;
    if (looked % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(looked).toBeGreaterThan(300);
});
