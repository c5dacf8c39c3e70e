/** Reads that take long: the rows are the same, and others are served meanwhile. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Db, openDatabase } from '../../src/database/database.ts';
import { prepared } from '../../src/database/prepared.ts';
import { ReadingThread } from '../../src/database/sqlite/reading-thread.ts';

async function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'reading-'));
  const path = join(folder, 'service.db');
  const db = await openDatabase(`file:${path}`, () => {});
  let isOpen = true;
  const close = async () => {
    if (isOpen) await db.close();
    isOpen = false;
  };
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
  return { db, path, close };
}

/** The numbers from 1 to `count`. */
const sequence = (query: Db['query'], value: { count: number }) =>
  query
    .withRecursive('numbers(number)', (self) =>
      self
        .selectNoFrom(sql<number>`1`.as('number'))
        .unionAll(
          self.selectFrom('numbers').select(sql<number>`number + 1`.as('number')).where('number', '<', value.count),
        ),
    )
    .selectFrom('numbers');

const numbers = prepared((query, value: { count: number }) => sequence(query, value).select('number'));
const counted = prepared((query, value: { count: number }) =>
  sequence(query, value).select((row) => row.fn.countAll<number>().as('count')),
);
const names = prepared((query) => query.selectFrom('users').select('name').orderBy('name'));
const wrong = prepared((query) => query.selectFrom('users').select(sql.ref('missing').as('missing')));

test('the rows are those of any other read, also when they come in parts', async () => {
  const { db } = await opened();
  for (const count of [1, 5000, 5001, 17_000])
    expect(await db.manyRows(numbers, { count })).toEqual(await db.rows(numbers, { count }));
});

test('what is committed is seen, and what is not is not', async () => {
  const { db } = await opened();
  const add = (name: string) => db.query.insertInto('users').values({ name, role: 'user', created: '' }).execute();
  expect(await db.manyRows(names, {})).toEqual([]);
  await add('one');
  expect(await db.manyRows(names, {})).toEqual([{ name: 'one' }]);
  await db.transaction(async (trx) => {
    await trx.query.insertInto('users').values({ name: 'two', role: 'user', created: '' }).execute();
    expect(await db.manyRows(names, {})).toHaveLength(1);
    // In a transaction it is the transaction that reads.
    expect(await trx.manyRows(names, {})).toHaveLength(2);
  });
  expect(await db.manyRows(names, {})).toHaveLength(2);
});

test('others are served while it reads', async () => {
  const { db } = await opened();
  let isReading = true;
  const reading = db.manyRows(counted, { count: 2_000_000 }).finally(() => (isReading = false));
  let served = 0;
  while (isReading) {
    await db.rows(names, {});
    await setImmediate();
    served += 1;
  }
  expect(await reading).toEqual([{ count: 2_000_000 }]);
  expect(served).toBeGreaterThan(100);
});

test('what SQLite says is thrown, and the next read is not affected', async () => {
  const { db } = await opened();
  await expect(db.manyRows(wrong, {})).rejects.toThrow('missing');
  expect(await db.manyRows(numbers, { count: 2 })).toHaveLength(2);
});

test('too many reads at once are refused, and those before them are read', async () => {
  const { db } = await opened();
  const reads = await Promise.allSettled(Array.from({ length: 103 }, () => db.manyRows(numbers, { count: 6000 })));
  expect(reads.slice(0, 100).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(reads.slice(100)).toEqual(
    Array(3).fill({ status: 'rejected', reason: expect.objectContaining({ fault: 'overloaded' }) }),
  );
  expect(await db.manyRows(numbers, { count: 2 })).toHaveLength(2);
});

test('a thread that failed takes nothing from the next one', async () => {
  const { path, close } = await opened();
  await close();
  const missing = `${path}.missing`;
  const thread = new ReadingThread(missing);
  onTestFinished(() => thread.close());
  const select = () => thread.read('select name from users', []);
  // The next read comes after the thread has thrown, and before it has ended.
  const next = select().catch((error: Error) => {
    expect(error.message).toContain('unable to open');
    renameSync(path, missing);
    return select();
  });
  expect(await next).toEqual([]);
  expect(await select()).toEqual([]);
});

test('a read that cannot be sent takes nobody the place', async () => {
  const { db } = await opened();
  const unsendable = () => {};
  for (let at = 0; at < 100; at += 1)
    await expect(db.manyRows(numbers, { count: unsendable as never })).rejects.toThrow('could not be cloned');
  expect(await db.manyRows(numbers, { count: 2 })).toHaveLength(2);
});

test('closing the database ends a read', async () => {
  const { db, close } = await opened();
  const reading = db.manyRows(counted, { count: 1_000_000_000 });
  reading.catch(() => {});
  await setImmediate();
  await close();
  await expect(reading).rejects.toThrow('The thread that reads the database has ended.');
});

test('another file in the place of the database is not read', async () => {
  const { db, path } = await opened();
  const { path: other } = await opened();
  renameSync(other, path);
  await expect(db.manyRows(names, {})).rejects.toMatchObject({ fault: 'unavailable' });
});
