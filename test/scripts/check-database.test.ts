/** The check of a database, as a process beside the running service. */
import { execFile } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import report from '../fixtures/flood-report.json' with { type: 'json' };
import { newFolder, storedService } from '../support/stored-service.ts';

// Processes share two processors with whatever else is tested.
vi.setConfig({ testTimeout: 60_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the check, and returns its exit code and the lines that it printed. */
function check(path: string): Promise<{ code: number; lines: string[]; stderr: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, DATABASE_URL: `file:${path}` };
  return new Promise((resolve) =>
    execFile(process.execPath, ['scripts/check-database.ts'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.trimEnd().split('\n'), stderr }),
    ),
  );
}

/** A running service with three surveys. */
async function withSurveys() {
  const service = await storedService();
  for (let count = 0; count < 3; count += 1)
    expect((await service.send('POST', '/api/v5/surveys', report)).status).toBe(201);
  return service;
}

test('an intact database is told of in one line, while the service runs and without a change', async () => {
  const { path, db } = await withSurveys();
  const version = db.version();
  expect(await check(path)).toEqual({ code: 0, lines: [`The database ${path} is intact: 3 surveys.`], stderr: '' });
  expect(db.version()).toBe(version);
});

test('each damaged record has one line that says what is damaged', async () => {
  const { path } = await withSurveys();
  const other = new Sqlite(path);
  other.pragma('foreign_keys = OFF');
  other.exec(`
    update surveys set name = 'Another', color = null where id = 1;
    update surveys set tasks = substr(tasks, 2) where id = 2;
    delete from fields where id = (select max(id) from fields where survey_id = 3);
    insert into tasks (id, survey_id) values (1000, 77);
    update hxl_tags set hxl_attributes = '{' where id = 5;
  `);
  other.close();
  const { code, lines } = await check(path);
  expect([code, lines]).toEqual([
    1,
    [
      'tasks 1000: refers to a row of surveys that does not exist',
      'survey 1: name, color not as stored',
      'survey 2: tasks not as stored; tasks not JSON',
      'survey 3: the table fields has others than the survey',
      'HXL tag 5: not JSON',
    ],
  ]);
});

test('damaged pages are found, and the records that cannot be read are named', async () => {
  const { path } = await withSurveys();
  const other = new Sqlite(path);
  other.pragma('wal_checkpoint(TRUNCATE)');
  const page = other
    .prepare("select pageno from dbstat where name = 'surveys' and pagetype = 'overflow' limit 1")
    .pluck()
    .get() as number;
  other.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(2000, 'x'), 0, 2000, (page - 1) * 4096 + 100);
  closeSync(file);
  const { code, lines } = await check(path);
  expect(code).toBe(1);
  expect(lines).toEqual([expect.stringMatching(/^survey \d: .*(tasks|translations).* not as stored/)]);
});

test('a database that is not there, or no database, cannot be checked', async () => {
  const path = join(newFolder(), 'none.db');
  for (const wrong of [path, root]) {
    const { code, stderr } = await check(wrong);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database .* cannot be checked: .*\n$/)]);
  }
});
