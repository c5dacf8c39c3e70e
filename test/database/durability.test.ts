/** How a database is opened: what is committed must survive a power cut. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';

test('a database is opened so that a confirmed write survives a power cut', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'durability-'));
  const db = await openDatabase(`file:${join(folder, 'service.db')}`);
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  const pragma = async (name: string) =>
    Object.values((await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db.query)).rows[0]!)[0];
  // 2 is FULL. https://www.sqlite.org/pragma.html#pragma_synchronous
  expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')]).toEqual([
    'wal',
    2,
    1,
  ]);
  expect(await pragma('busy_timeout')).toBeGreaterThanOrEqual(1000);
});
