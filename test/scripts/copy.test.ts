/** `npm run copy`: what is refused before anything is touched. test/postgres/copy.test.ts copies. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { grantToken, listTokens } from '../../src/users/store.ts';
import { root } from '../support/server-process.ts';
import { newFolder } from '../support/stored-service.ts';

function copy(from: string, to: string, env = process.env): Promise<{ code: number; stdout: string; stderr: string }> {
  const parameters = ['scripts/copy.ts', '--from', `file:${from}`, '--to', `file:${to}`];
  return new Promise((resolve) =>
    execFile(process.execPath, parameters, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
}

test.each([
  ['does not exist', 'unable to open database file', () => {}],
  [
    'belongs to something else',
    'it has no tables of this service',
    (path: string) => new Database(path).exec('create table users (id integer)').close(),
  ],
  [
    'has never been used',
    'has no users',
    async (path: string) => (await openDatabase(`file:${path}`, () => {})).close(),
  ],
])('a source that %s is refused, and nothing is written', async (_, reason, make) => {
  const folder = newFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  await make(from);
  const before = existsSync(from) && readFileSync(from);
  const { code, stdout, stderr } = await copy(from, to);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(reason);
  expect(stderr.trimEnd()).not.toContain('\n');
  expect(existsSync(from) && readFileSync(from)).toEqual(before);
  expect(readdirSync(folder)).not.toContain('to.db');
});

test('the replica of the service is no part of it', async () => {
  const folder = newFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const source = await openDatabase(`file:${from}`, () => {});
  await grantToken(source, 'amina', 'user', null);
  await source.close();
  const env = { ...process.env, DATABASE_READ_URL: 'postgres://replica.example.org/surveys' };
  expect(await copy(from, to, env)).toMatchObject({ code: 0, stderr: '' });
  const target = await openDatabase(`file:${to}`, () => {});
  expect((await listTokens(target)).map(({ user }) => user)).toEqual(['amina']);
  await target.close();
});
