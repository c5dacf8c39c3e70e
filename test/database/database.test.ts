/** The database as one object: versions, prepared queries, transactions, identifiers. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, DatabaseError, type Db, openDatabase } from '../../src/database/database.ts';
import { prepared } from '../../src/database/prepared.ts';

/** The URL of a database that is gone after the test. */
function newUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return `file:${join(folder, 'service.db')}`;
}

async function open(url = newUrl()): Promise<Database> {
  const db = await openDatabase(url);
  onTestFinished(() => db.close());
  return db;
}

/** Two connections to one file, as two processes have them. */
async function openTwice(): Promise<[Database, Database]> {
  const url = newUrl();
  return [await open(url), await open(url)];
}

const addUser = (db: Db, name: string) =>
  db.query.insertInto('users').values({ name, role: 'user', created: '' }).execute();
const userCount = async (db: Db) => (await db.query.selectFrom('users').select('id').execute()).length;

describe('opening', () => {
  test.each(['postgres://service:secret@localhost/surveys', 'service.db', ''])(
    '%j is refused, without its password',
    async (url) => {
      const error = await openDatabase(url).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(DatabaseError);
      expect((error as Error).message).not.toContain('secret');
    },
  );

  test('a database to which no query was sent can be closed, and its file is released', async () => {
    const url = newUrl();
    const db = await openDatabase(url);
    await db.close();
    expect(() => db.version()).toThrow('not open');
  });

  test('a database that is open responds, and one that is closed does not', async () => {
    const db = await open();
    await expect(db.ping()).resolves.toBeUndefined();
    await db.close();
    await expect(db.ping()).rejects.toThrow();
  });
});

describe('the version', () => {
  test('stays while nothing changes, and changes with each commit, of this process and of another', async () => {
    const [here, there] = await openTwice();
    const versions = [here.version()];
    expect(here.version()).toBe(versions[0]);
    await addUser(here, 'a');
    versions.push(here.version());
    await addUser(there, 'b');
    versions.push(here.version());
    await there.transaction(async (trx) => addUser(trx, 'c'));
    versions.push(here.version());
    expect(new Set(versions).size).toBe(4);
    expect(here.version()).toBe(versions[3]);
  });

  test('stays while a transaction is open, and when it is undone; reads meanwhile see what was before it', async () => {
    const db = await open();
    const before = db.version();
    await db.transaction(async (trx) => {
      await addUser(trx, 'a');
      expect([db.version(), await userCount(db), await userCount(trx)]).toEqual([before, 0, 1]);
    });
    const after = db.version();
    expect(after).not.toBe(before);
    const undone = db.transaction(async (trx) => {
      await addUser(trx, 'b');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect([db.version(), await userCount(db)]).toEqual([after, 1]);
  });

  test('of the reference data changes with a migration only, of this process or another', async () => {
    const [here, there] = await openTwice();
    const before = here.referenceVersion();
    await addUser(here, 'a');
    await addUser(there, 'b');
    expect(here.referenceVersion()).toBe(before);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_more', '')`.execute(there.query);
    const after = here.referenceVersion();
    expect(after).not.toBe(before);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_still_more', '')`.execute(here.query);
    expect(here.referenceVersion()).not.toBe(after);
  });

  test('shows at once what another process commits, also when it writes all the time', async () => {
    const url = newUrl();
    const here = await open(url);
    await addUser(here, '0');
    const writer = fork(new URL('../support/writing-process.ts', import.meta.url), [url], { execArgv: [] });
    onTestFinished(() => void writer.kill());
    let told = 0;
    writer.on('message', (count) => (told = Number(count)));
    let known: { version: unknown; name: number } | undefined;
    let looks = 0;
    while (told < 300) {
      // What was committed before this look is known, or the version differs from the one at which it was read.
      const committed = told;
      const version = here.version();
      if (known?.version !== version) {
        const row = await here.query.selectFrom('users').select('name').where('id', '=', 1).executeTakeFirstOrThrow();
        known = { version, name: Number(row.name) };
      }
      expect(known!.name).toBeGreaterThanOrEqual(committed);
      looks += 1;
      if (looks % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(looks).toBeGreaterThan(300);
  });
});

describe('a prepared query', () => {
  const byName = prepared((query, value: { name: string }) =>
    query.selectFrom('users').select(['id', 'name']).where('name', '=', value.name),
  );

  test('is run with other values each time, at once outside a transaction', async () => {
    const db = await open();
    for (const name of ['a', 'b']) await addUser(db, name);
    expect(db.rows(byName, { name: 'a' })).toEqual([{ id: 1, name: 'a' }]);
    expect(db.rows(byName, { name: 'b' })).toEqual([{ id: 2, name: 'b' }]);
    expect(db.rows(byName, { name: 'c' })).toEqual([]);
  });

  test('sees in a transaction what the transaction wrote', async () => {
    const db = await open();
    await db.transaction(async (trx) => {
      await addUser(trx, 'a');
      expect(await trx.rows(byName, { name: 'a' })).toHaveLength(1);
      expect(await db.rows(byName, { name: 'a' })).toHaveLength(0);
    });
    expect(await db.rows(byName, { name: 'a' })).toHaveLength(1);
  });

  test('may write, in a transaction and outside', async () => {
    const [db, other] = await openTwice();
    const insert = prepared((query, value: { name: string }) =>
      query.insertInto('users').values({ name: value.name, role: 'user', created: '' }).returning('id'),
    );
    expect(await db.rows(insert, { name: 'a' })).toEqual([{ id: 1 }]);
    expect(await db.transaction(async (trx) => trx.rows(insert, { name: 'b' }))).toEqual([{ id: 2 }]);
    expect(await userCount(other)).toBe(2);
  });

  test('is compiled once for each database', async () => {
    const databases = await openTwice();
    let builds = 0;
    const count = prepared((query) => {
      builds += 1;
      return query.selectFrom('users').select('id');
    });
    for (let time = 0; time < 3; time += 1) for (const db of databases) await db.rows(count, {});
    await databases[0].transaction(async (trx) => trx.rows(count, {}));
    expect(builds).toBe(2);
  });
});

describe('identifiers that are reserved', () => {
  /** Reserves so many, inserts a user for each, and returns them. */
  const addReserved = (db: Database, count: number) =>
    db.transaction(async (trx) => {
      const { users } = await trx.reserveIds({ users: count });
      for (const id of users) {
        const user = { id, name: `reserved ${id}`, role: 'user', created: '' };
        await trx.query.insertInto('users').values(user).execute();
      }
      return users;
    });

  test('ascend from 1 in each table, and go on after those that were reserved before in the transaction', async () => {
    const db = await open();
    await db.transaction(async (trx) => {
      expect(await trx.reserveIds({ surveys: 1, tasks: 3, fields: 0 })).toEqual({
        surveys: [1],
        tasks: [1, 2, 3],
        fields: [],
      });
      expect(await trx.reserveIds({ tasks: 1, fields: 2 })).toEqual({ tasks: [4], fields: [1, 2] });
    });
  });

  test('go on after those of ordinary inserts, and these after them', async () => {
    const db = await open();
    await addUser(db, 'a');
    expect(await addReserved(db, 2)).toEqual([2, 3]);
    await addUser(db, 'b');
    expect(await db.query.selectFrom('users').select('id').orderBy('id').execute()).toEqual(
      [1, 2, 3, 4].map((id) => ({ id })),
    );
    expect(await addReserved(db, 1)).toEqual([5]);
  });

  test('are not those of rows that were deleted', async () => {
    const db = await open();
    expect(await addReserved(db, 3)).toEqual([1, 2, 3]);
    await db.query.deleteFrom('users').execute();
    expect(await addReserved(db, 1)).toEqual([4]);
  });

  test('differ in transactions at the same time, and are given back by one that is undone', async () => {
    const [db, other] = await openTwice();
    const ids = await Promise.all([addReserved(db, 2), addReserved(other, 1), addReserved(db, 2)]);
    expect(ids.flat().toSorted()).toEqual([1, 2, 3, 4, 5]);
    const undone = db.transaction(async (trx) => {
      await trx.reserveIds({ users: 10 });
      await addUser(trx, 'a');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await addReserved(db, 1)).toEqual([6]);
  });
});
