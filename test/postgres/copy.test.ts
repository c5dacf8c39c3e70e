/** `npm run copy`: everything moves from a SQLite file to PostgreSQL, and back. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CompiledQuery } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { newSchema } from '../support/schema.ts';
import { root } from '../support/server-process.ts';
import { emptyDatabase, service, type TestResponse, testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const parameters = ['--import', './src/process/node-version.mjs', 'scripts/copy.ts'];

/** Runs the script. */
function copy(from: string, to: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, [...parameters, '--from', from, '--to', to], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
}

async function newUrl(): Promise<string> {
  const { url, remove } = await newSchema(process.env.TEST_DATABASE_URL!);
  onTestFinished(remove);
  return url;
}

const names = ['Été', 'ΣΑΣ', '東京 😀', `O'Brien "q" \\`, 'Flood'];

/** Stores a bit of everything, some of which is deleted; returns the URL and what can be read. */
async function filled(url: string) {
  const running = await service({ DATABASE_URL: url });
  for (const name of names) {
    const fields = [{ label: name, type: 'text', input: 'text', config: { [name]: [null, 2 ** 53, 1e-7] } }];
    await running.send('POST', surveys, { name, translations: { fr: { name } }, tasks: [{ label: name, fields }] });
    const organisation = { organisation_id: name, organisation_name: name, private: true };
    await running.send('POST', '/api/v3/hxl/metadata', {
      dataset_title: name,
      source: name,
      license_id: 2,
      ...organisation,
    });
  }
  await running.send('PUT', `${surveys}/2`, { disabled: true });
  await running.send('DELETE', `${surveys}/5`);
  const read = await readAll(running);
  await running.close();
  return { read, tokens: running.tokens };
}

type Running = Awaited<ReturnType<typeof service>>;

async function readAll({ send }: Pick<Running, 'send'>): Promise<string[]> {
  const urls = [
    surveys,
    '/api/v3/hxl/metadata',
    '/api/v3/hxl/organisations',
    '/api/v3/hxl/tags',
    `${surveys}?q=σα&limit=1`,
  ];
  return Promise.all(urls.map(async (url) => (await send('GET', url)).text));
}

/** The service on what was copied, for those who have the tokens of the source. */
async function copiedService(url: string, tokens: Running['tokens']) {
  const config = { DATABASE_URL: url };
  // Their names are taken, so the helper gives further tokens to the same users.
  const { app, close, db } = await testService(config);
  const send = async (method: string, path: string, body?: object): Promise<TestResponse> => {
    const headers = { authorization: `Bearer ${tokens.admin}` };
    const response = await app.inject({ method: method as 'GET', url: path, headers, ...(body && { payload: body }) });
    const { statusCode: status, body: text } = response;
    return { status, headers: response.headers, text, json: JSON.parse(text) };
  };
  return { send, close, db };
}

test.each([
  ['a SQLite file', 'PostgreSQL', async () => emptyDatabase(), newUrl],
  ['PostgreSQL', 'a SQLite file', newUrl, async () => emptyDatabase()],
])('everything moves from %s to %s, and the identifiers go on', async (_, __, makeSource, makeTarget) => {
  const [source, target] = [await makeSource(), await makeTarget()];
  const { read, tokens } = await filled(source);
  const { code, stdout, stderr } = await copy(source, target);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^surveys: 4 rows, SHA-256 [\da-f]{16}… on both sides$/m);
  const { send } = await copiedService(target, tokens);
  expect(await readAll({ send } as Running)).toEqual(read);
  const created = await send('POST', surveys, { name: 'Next', tasks: [{ label: 'A' }] });
  // The identifier of a survey that was deleted is not given again.
  expect(created.json.results[0]).toMatchObject({ id: 6, tasks: [{ id: 6 }] });
  expect((await send('GET', `${surveys}?limit=1`)).headers['x-total-count']).toBe('5');
});

test('a source that the service has never used is refused, and nothing is written', async () => {
  const [source, target] = [await newUrl(), await newUrl()];
  for (let round = 0; round < 2; round += 1) {
    const { code, stderr } = await copy(source, target);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database postgres:.* cannot be opened: it has no tables of this service\n$/);
  }
});

test('a target that is not empty is refused, and stays as it was', async () => {
  const [source, target] = [emptyDatabase(), await newUrl()];
  await filled(source);
  expect((await copy(source, target)).code).toBe(0);
  const { code, stderr } = await copy(source, target);
  expect([code, stderr]).toEqual([1, 'The target is not empty: its table users has rows.\n']);
});

test('a copy that is killed leaves nothing behind, and can be started again', async () => {
  const [source, target] = [emptyDatabase(), await newUrl()];
  await filled(source);
  const from = await openDatabase(source);
  const rows = Array.from({ length: 1000 }, (_, at) => ({ name: `User ${at}`, role: 'user', created: '' }));
  for (let at = 0; at < 60; at += 1)
    await from.query
      .insertInto('users')
      .values(rows.map((row) => ({ ...row, name: `${row.name} ${at}` })))
      .execute();
  await from.close();
  const killed = spawn(process.execPath, [...parameters, '--from', source, '--to', target], { cwd: root });
  const to = await openDatabase(target);
  onTestFinished(() => to.close());
  const inserting = CompiledQuery.raw(
    `select from pg_stat_activity where state = 'active' and query like 'insert into "users"%'`,
  );
  const insertions = async () => (await to.query.executeQuery(inserting)).rows.length;
  await expect.poll(insertions, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(await to.query.selectFrom('users').select('id').execute()).toEqual([]);
  expect((await copy(source, target)).code).toBe(0);
  expect(await to.query.selectFrom('users').select('id').execute()).toHaveLength(60_003);
});
