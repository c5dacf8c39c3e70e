/** Faults of the storage, as clients and operators meet them: a disk that is full, a lock, a file that is gone. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { explain } from '../../src/database/sqlite/faults.ts';
import { skip } from '../support/needs.ts';
import { newFolder, readyService } from '../support/stored-service.ts';

const surveys = '/api/v5/surveys';
const survey = { name: 'Flood report', description: 'x'.repeat(5000) };

/** What is said of a request: its status, its code, and whether it may be sent again. */
const outcome = ({ status, json, headers }: { status: number; json: any; headers: Record<string, unknown> }) => [
  status,
  ...(json.errors ?? []).map(({ code }: { code: string }) => code),
  ...(headers['retry-after'] === undefined ? [] : ['again']),
];

const unavailable = [503, 'service_unavailable', 'again'];
const notReady = [503, 'service_unavailable'];

/** A small disk of its own; undefined where this process may not mount one. */
function smallDisk(): string | undefined {
  const folder = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tests', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  // Run last: after the database is closed, before the folder is removed.
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

test('on a full disk writes are 507 and reads go on, until there is room again', async (context) => {
  const disk = smallDisk();
  if (disk === undefined) return skip(context, 'This needs the right to mount a disk.');
  const { send, faults } = await readyService(disk);
  const first = await send('POST', surveys, survey);
  expect([first.status, outcome(await send('GET', '/health/ready'))]).toEqual([201, [200]]);

  const filler = join(disk, 'filler');
  try {
    for (let size = 2 ** 20; ; ) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
  } catch {}
  const results = await Promise.all(Array.from({ length: 8 }, () => send('POST', surveys, survey)));
  expect(results.map(outcome)).toEqual(Array(8).fill([507, 'storage_full']));
  expect(outcome(await send('PUT', `${surveys}/1`, { name: 'Another name' }))).toEqual([507, 'storage_full']);
  expect(outcome(await send('DELETE', `${surveys}/1`))).toEqual([507, 'storage_full']);
  expect((await send('GET', `${surveys}/1`)).text).toBe(first.text);
  expect(outcome(await send('GET', '/health/ready'))).toEqual(notReady);
  const logged = faults().filter(({ msg }) => msg === 'fault');
  expect(logged).toHaveLength(10);
  for (const { err } of logged) expect(err.stack).toMatch(/SQLITE_FULL|SQLITE_IOERR|disk is full/);

  rmSync(filler);
  expect(outcome(await send('GET', '/health/ready'))).toEqual([200]);
  expect((await send('POST', surveys, survey)).status).toBe(201);
  expect((await send('GET', `${surveys}?only=id`)).json.results).toHaveLength(2);
});

test('a disk that becomes read-only makes the service unready, and reads go on', async (context) => {
  const disk = smallDisk();
  if (disk === undefined) return skip(context, 'This needs the right to mount a disk.');
  const { send, faults } = await readyService(disk);
  const { text } = await send('POST', surveys, survey);
  // The disk itself cannot be changed while files are open for writing, but the way to it can.
  execFileSync('mount', ['--bind', disk, disk]);
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  execFileSync('mount', ['-o', 'remount,ro,bind', disk]);
  expect(outcome(await send('GET', '/health/ready'))).toEqual(notReady);
  expect((await send('GET', `${surveys}/1`)).text).toBe(text);
  expect(faults()).toMatchObject([{ msg: 'not ready', err: { message: expect.stringContaining('EROFS') } }]);
});

test.each([
  ['SQLITE_FULL', 'full'],
  ['ENOSPC', 'full'],
  ['SQLITE_BUSY_SNAPSHOT', 'locked'],
  ['SQLITE_READONLY', 'unavailable'],
  ['SQLITE_READONLY_DBMOVED', 'unavailable'],
  ['SQLITE_IOERR_READ', 'unavailable'],
  ['SQLITE_IOERR_FSYNC', 'unavailable'],
  ['SQLITE_CANTOPEN', 'unavailable'],
  ['SQLITE_CORRUPT_INDEX', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
])('%s is a fault of the storage: %s', (code, fault) => {
  const error = Object.assign(new Error('cause'), { code });
  expect(explain(error, '/')).toMatchObject({ fault, cause: error });
});

test.each(['SQLITE_ERROR', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_MISUSE'])('%s is a fault of the service', (code) => {
  const error = Object.assign(new Error('cause'), { code });
  expect(explain(error, '/')).toBe(error);
});

test('while another process holds the lock for long a write is 503, and reads go on', async () => {
  const { path, send, faults } = await readyService();
  const other = new Sqlite(path);
  other.exec('begin immediate');
  const writing = send('POST', surveys, survey);
  expect(outcome(await send('GET', '/health/ready'))).toEqual([200]);
  expect((await send('GET', surveys)).status).toBe(200);
  expect(outcome(await writing)).toEqual(unavailable);
  expect(faults()).toMatchObject([{ msg: 'fault', err: { message: expect.stringContaining('locked') } }]);
  await expect.poll(async () => outcome(await send('GET', '/health/ready'))).toEqual(notReady);
  other.exec('commit');
  other.close();
  expect(outcome(await send('GET', '/health/ready'))).toEqual([200]);
  expect((await send('POST', surveys, survey)).status).toBe(201);
});

test('a process that commits again and again does not make the service unready', async () => {
  const { path, send } = await readyService();
  const other = new Sqlite(path);
  onTestFinished(() => void other.close());
  const end = performance.now() + 7000;
  for (let count = 0; performance.now() < end; count += 1) {
    other.exec('begin immediate');
    expect(outcome(await send('GET', '/health/ready'))).toEqual([200]);
    other.exec(`insert into users (name, role, created) values ('${count}', 'user', ''); commit`);
    await setTimeout(100);
  }
});

test.each([-3_600_000, 3_600_000])('a clock that is set by %i ms while a write waits changes nothing', async (jump) => {
  const { path, send } = await readyService();
  const other = new Sqlite(path);
  onTestFinished(() => void other.close());
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + (performance.now() > begin + 50 ? jump : 0));
  onTestFinished(() => void vi.restoreAllMocks());
  const begin = performance.now();
  other.exec('begin immediate');
  const [short, long] = [send('POST', surveys, survey), setTimeout(500)];
  await long;
  other.exec('commit');
  expect((await short).status).toBe(201);
  other.exec('begin immediate');
  expect(outcome(await send('POST', surveys, survey))).toEqual(unavailable);
  other.exec('commit');
});

test.each<[string, (path: string) => void]>([
  ['is deleted', (path) => rmSync(path)],
  ['is moved away', (path) => renameSync(path, `${path}.old`)],
  [
    'is replaced',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
  ['loses its log', (path) => rmSync(`${path}-wal`)],
  ['loses its shared memory', (path) => rmSync(`${path}-shm`)],
])('when the file %s, no write succeeds that would be lost, and the service is not ready', async (_, change) => {
  const { path, send, faults } = await readyService();
  const { text } = await send('POST', surveys, survey);
  change(path);
  const results = await Promise.all([1, 2, 3].map(() => send('POST', surveys, survey)));
  expect(results.map(outcome)).toEqual(Array(3).fill(unavailable));
  expect(outcome(await send('GET', '/health/ready'))).toEqual(notReady);
  expect((await send('GET', `${surveys}/1`)).text).toBe(text);
  expect((await send('GET', `${surveys}?only=id`)).json.results).toHaveLength(1);
  expect(faults()).toHaveLength(4);
  for (const { err } of faults()) expect(err.message).toMatch(/service\.db.* was deleted or replaced/);
});

test('a file that is cut short makes the service unready, and nothing wrong is served', async () => {
  const { path, send } = await readyService();
  await send('POST', surveys, survey);
  const checkpoint = new Sqlite(path);
  checkpoint.pragma('wal_checkpoint(TRUNCATE)');
  checkpoint.close();
  truncateSync(path, 0);
  expect(outcome(await send('GET', '/health/ready'))).toEqual(notReady);
});

test('a file that may no longer be opened makes the service unready', async (context) => {
  if (process.geteuid?.() !== 0) return skip(context, 'This needs a user whose rights can be changed.');
  const { path, send } = await readyService();
  chmodSync(path, 0);
  process.seteuid!(65_534);
  try {
    expect(outcome(await send('GET', '/health/ready'))).toEqual(notReady);
  } finally {
    process.seteuid!(0);
  }
});

test('a look at the readiness writes nothing', async () => {
  const { path, db, send } = await readyService();
  const other = new Sqlite(path, { readonly: true });
  onTestFinished(() => void other.close());
  const state = () => [db.version(), other.pragma('data_version', { simple: true })];
  const before = state();
  for (let time = 0; time < 20; time += 1) expect(outcome(await send('GET', '/health/ready'))).toEqual([200]);
  expect(state()).toEqual(before);
});

test('a start while another process has the lock waits, and says so', async () => {
  const path = join(newFolder(), 'service.db');
  const other = new Sqlite(path);
  other.pragma('journal_mode = WAL');
  other.exec('begin immediate');
  const warnings: string[] = [];
  const opening = openDatabase(`file:${path}`, (message) => warnings.push(message));
  await expect.poll(() => warnings).not.toEqual([]);
  await setTimeout(6000);
  other.exec('commit');
  other.close();
  const db = await opening;
  onTestFinished(() => db.close());
  expect(warnings.filter((line) => /service\.db is locked by another process/.test(line))).toHaveLength(1);
});
