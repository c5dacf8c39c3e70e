/** Who may read the files of a database. */
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { newFolder } from '../support/stored-service.ts';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Opens the database until the test is over, and returns the warnings. */
async function open(path: string): Promise<string[]> {
  const warnings: string[] = [];
  const db = await openDatabase(`file:${path}`, (message) => warnings.push(message));
  onTestFinished(() => db.close());
  return warnings;
}

test.skipIf(process.platform === 'win32')(
  'a new database, and the folders made for it, are for their owner only',
  async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const folder = join(newFolder(), 'var');
    const path = join(folder, 'data', 'service.db');
    expect(await open(path)).toEqual([]);
    expect([folder, join(folder, 'data'), path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual([
      '700',
      '700',
      '600',
      '600',
      '600',
    ]);
  },
);

test.skipIf(process.platform === 'win32').each([
  [0o644, 1],
  [0o602, 1],
  [0o640, 0],
])('a database that exists with mode %o stays as it is, with %i warning', async (existing, count) => {
  const path = join(newFolder(), 'service.db');
  await (await openDatabase(`file:${path}`)).close();
  chmodSync(path, existing);
  const warnings = await open(path);
  expect(mode(path)).toBe(existing.toString(8));
  expect(warnings).toEqual(Array(count).fill(expect.stringContaining(`the database ${path}`)));
});
