/** Writes that come together are committed together: each is still all or nothing, and nobody is told too early. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, type Db, openDatabase } from '../../src/database/database.ts';

/** An open database, and a bare connection to the same file, as another process has it. */
async function opened(): Promise<{ db: Database; other: Sqlite.Database; path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  const path = join(folder, 'service.db');
  const db = await openDatabase(`file:${path}`);
  const other = new Sqlite(path);
  onTestFinished(async () => {
    other.close();
    await db.close();
    rmSync(folder, { recursive: true });
  });
  return { db, other, path };
}

const add = (db: Db, name: string) =>
  db.query.insertInto('users').values({ name, role: 'user', created: '' }).execute();
const names = (other: Sqlite.Database) => other.prepare('select name from users order by name').pluck().all();
const settled = async (promises: Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map(({ status }) => status);

/** How many transactions the write-ahead log holds. https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
function commits(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  const frames = Array.from({ length: Math.floor((log.length - 32) / frame) }, (_, at) =>
    log.subarray(32 + at * frame),
  );
  return frames.filter((one) => one.readUInt32BE(4) !== 0).length;
}

test('what is written in one turn of the event loop takes one commit, and what comes later another', async () => {
  const { db, other, path } = await opened();
  const before = commits(path);
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(db, name)));
  expect(commits(path) - before).toBe(1);
  await add(db, 'e');
  expect(commits(path) - before).toBe(2);
  expect(names(other)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a write is told of when everyone else sees it, not before', async () => {
  const { db, other } = await opened();
  const seen = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await add(db, name);
      return [names(other).length, (await db.query.selectFrom('users').select('id').execute()).length];
    }),
  );
  expect(seen).toEqual([
    [3, 3],
    [3, 3],
    [3, 3],
  ]);
});

test('one that fails takes nothing of the others with it, and leaves nothing of its own', async () => {
  const { db, other } = await opened();
  const transaction = (name: string, fails: boolean) =>
    db.transaction(async (trx) => {
      await add(trx, name);
      await setTimeout(1);
      await add(trx, `${name} again`);
      if (fails) throw new Error('changed its mind');
    });
  expect(
    await settled([
      transaction('a', false),
      transaction('b', true),
      add(db, 'c'),
      add(db, 'c'),
      transaction('d', false),
    ]),
  ).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(names(other)).toEqual(['a', 'a again', 'c', 'd', 'd again']);
});

test('a transaction sees those that come before it in the same commit', async () => {
  const { db } = await opened();
  const count = () =>
    db.transaction(async (trx) => {
      await add(trx, String(Math.random()));
      return (await trx.query.selectFrom('users').select('id').execute()).length;
    });
  expect(await Promise.all([count(), count(), count()])).toEqual([1, 2, 3]);
});

test('when the common commit fails, none of them is told that it succeeded', async () => {
  const { db, other } = await opened();
  // Looked at when all is committed, not before.
  await sql`create table pets (owner integer references users (id) deferrable initially deferred)`.execute(db.query);
  const pet = () => sql`insert into pets values (99)`.execute(db.query);
  expect(await settled([add(db, 'a'), pet(), add(db, 'b')])).toEqual(['rejected', 'rejected', 'rejected']);
  expect(names(other)).toEqual([]);
  expect(await settled([add(db, 'a'), add(db, 'b')])).toEqual(['fulfilled', 'fulfilled']);
  expect(names(other)).toEqual(['a', 'b']);
});

test('when SQLite undoes all that is open, those that went before are told so', async () => {
  const { db, other } = await opened();
  // As it does by itself when the disk is full.
  const full = sql`
    create trigger full before insert on users when new.name = 'full' begin select raise(rollback, 'full'); end`;
  await full.execute(db.query);
  const added = (name: string) => db.transaction((trx) => add(trx, name));
  const swallowing = (then: (trx: Db) => unknown) =>
    db.transaction(async (trx) => {
      await add(trx, 'full').catch(() => {});
      await then(trx);
    });
  expect(await settled([added('a'), swallowing(() => {}), added('b')])).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await settled([added('c'), added('full'), added('d')])).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await settled([added('e'), swallowing((trx) => add(trx, 'alone')), added('f')])).toEqual([
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(names(other)).toEqual(['b', 'd', 'f']);
});

test('while another process writes, a write waits, and everything else goes on', async () => {
  const { db, other } = await opened();
  other.exec('begin immediate');
  other.exec("insert into users (name, role, created) values ('theirs', 'user', '')");
  const ours = add(db, 'ours').then(() => 'written');
  let turns = 0;
  while (turns < 20) {
    expect(await db.query.selectFrom('users').select('id').execute()).toEqual([]);
    await setTimeout(1);
    turns += 1;
  }
  expect(await Promise.race([ours, 'waiting'])).toBe('waiting');
  other.exec('commit');
  expect(await ours).toBe('written');
  expect(names(other)).toEqual(['ours', 'theirs']);
});

test('what a transaction still sends when it has ended is refused, and is in no other', async () => {
  const { db, other } = await opened();
  let late: Promise<unknown> | undefined;
  const ended = db.transaction(async (trx) => {
    const failing = add(trx, 'a').then(() => add(trx, 'a'));
    late = settled(
      Array.from({ length: 60 }, async (_, at) => {
        for (let microtask = 0; microtask < at; microtask += 1) await null;
        await add(trx, `late ${at}`);
      }),
    );
    await failing;
  });
  const next = db.transaction(async (trx) => {
    await setTimeout(5);
    await add(trx, 'b');
  });
  expect(await settled([ended, next])).toEqual(['rejected', 'fulfilled']);
  await late;
  expect(names(other)).toEqual(['b']);
});

test('closing waits for a write that waits for another process', async () => {
  const { db, other, path } = await opened();
  other.exec('begin immediate');
  const writing = [add(db, 'one'), db.transaction((trx) => add(trx, 'two'))];
  await setTimeout(5);
  const closing = db.close();
  await setTimeout(5);
  other.exec('commit');
  await Promise.all([closing, ...writing]);
  const again = new Sqlite(path, { readonly: true });
  expect(names(again)).toEqual(['one', 'two']);
  again.close();
});

test('closing waits for what is being written', async () => {
  const { db, path } = await opened();
  const writing = add(db, 'last');
  await setTimeout(0);
  await Promise.all([db.close(), writing]);
  const again = new Sqlite(path, { readonly: true });
  expect(names(again)).toEqual(['last']);
  again.close();
});
