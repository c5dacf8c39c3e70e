/** The token command line, as a process on a database file of its own. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/database/database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

function run(command: string, parameters: string[], env: Record<string, string>): Promise<Result> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) =>
    execFile(command, parameters, { cwd: root, env: { PATH, HOME, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );
}

/** The command on a database that is not there yet. */
function commandLine() {
  const folder = mkdtempSync(join(tmpdir(), 'token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'data', 'service.db');
  const env = { DATABASE_URL: `file:${path}` };
  const token = (...parameters: string[]) => run(process.execPath, ['scripts/token.ts', ...parameters], env);
  return { token, env, path, folder };
}

/** The rows that `list` prints, each as words. */
const rows = ({ stdout }: Result) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

test('create prints the token alone, and it works on a service that uses the same file', async () => {
  const { token, path } = commandLine();
  const created = await token('create', '--user', 'amina', '--role', 'manager');
  expect(created).toEqual({ code: 0, stdout: expect.stringMatching(/^shx_[\w-]{43}\n$/), stderr: '' });

  const config = readConfig({ NODE_ENV: 'test', DATABASE_URL: `file:${path}` });
  const db = await openDatabase(config.databaseUrl);
  const app = await buildApp(config, db);
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  const status = async (method: 'GET' | 'POST', sent: string) =>
    (
      await app.inject({
        method,
        url: '/api/v5/surveys',
        headers: { authorization: `Bearer ${sent.trim()}` },
        ...(method === 'POST' && { payload: {} }),
      })
    ).statusCode;
  expect([await status('GET', created.stdout), await status('POST', created.stdout)]).toEqual([200, 201]);
  // The service runs while tokens come and go.
  const reader = await token('create', '--user=Zoë O’Hara', '--role=user', '--expires=30m');
  expect([await status('GET', reader.stdout), await status('POST', reader.stdout)]).toEqual([200, 403]);
  expect(await status('GET', created.stdout)).toBe(200);
  expect(await token('revoke', '1')).toEqual({ code: 0, stdout: 'Token 1 is revoked.\n', stderr: '' });
  expect([await status('GET', created.stdout), await status('GET', reader.stdout)]).toEqual([401, 200]);
});

test('list shows number, user, role, times and state, and never a token', async () => {
  const { token } = commandLine();
  expect(rows(await token('list'))).toEqual([['number', 'user', 'role', 'created', 'expires', 'state']]);
  const before = Date.now();
  const tokens = [
    await token('create', '--user', 'amina', '--role', 'admin'),
    await token('create', '--user', 'amina', '--role', 'admin', '--expires', '90d'),
    await token('create', '--user', 'Öznur Şahin', '--role', 'user', '--expires', '12h'),
  ];
  await token('revoke', '1');
  const listed = await token('list');
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)$/);
  const [, ...lines] = rows(listed);
  expect(lines).toEqual([
    ['1', 'amina', 'admin', time, 'never', 'revoked'],
    ['2', 'amina', 'admin', time, time, 'active'],
    ['3', 'Öznur Şahin', 'user', time, time, 'active'],
  ]);
  const hours = (line: string[]) => Math.round((Date.parse(line[4]!) - before) / 3_600_000);
  expect([hours(lines[1]!), hours(lines[2]!)]).toEqual([90 * 24, 12]);
  for (const { stdout } of tokens) {
    expect(stdout).toMatch(/^shx_/);
    expect(listed.stdout).not.toContain(stdout.slice(4, 12));
  }
});

test('every wrong use ends with code 1, says why on standard error, and writes nothing', async () => {
  const { token, path } = commandLine();
  const amina = ['--user', 'amina'];
  const reader = [...amina, '--role', 'user'];
  const wrong: [string[], RegExp][] = [
    [[], /command is missing/],
    [['grant'], /no command grant/],
    [['create'], /needs --user/],
    [['create', ...amina], /needs --role.*admin, manager, user/],
    [['create', ...amina, '--role', 'root'], /needs --role/],
    [['create', '--user', '', '--role', 'user'], /needs --user/],
    [['create', '--user', 'a'.repeat(256), '--role', 'user'], /needs --user/],
    [['create', '--user', 'two\nlines', '--role', 'user'], /no control characters/],
    [['create', '--user', 'admin\u001b[2K', '--role', 'user'], /no control characters/],
    ...['\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\u061c'].map((character): [string[], RegExp] => [
      ['create', '--user', `nimda${character}`, '--role', 'user'],
      /direction of writing/,
    ]),
    [['create', ...reader, '--expires', '0d'], /--expires takes .* not 0d/],
    [['create', ...reader, '--expires', '90 days'], /--expires/],
    [['create', ...reader, '--expires', '9999999d'], /--expires/],
    [['create', ...reader, '--forever'], /--forever/],
    [['create', 'amina', '--role', 'user'], /too many: amina/],
    [['list', 'all'], /too many: all/],
    [['list', ...amina], /--user/],
    [['revoke'], /revoke needs the number/],
    [['revoke', '0'], /revoke needs the number/],
    [['revoke', '1', '2'], /too many: 2/],
  ];
  const results = [];
  // Not all at once: there are two processors.
  for (let index = 0; index < wrong.length; index += 3) {
    results.push(...(await Promise.all(wrong.slice(index, index + 3).map(([parameters]) => token(...parameters)))));
  }
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    const [parameters, message] = wrong[index]!;
    expect({ parameters, code, stdout }).toEqual({ parameters, code: 1, stdout: '' });
    const [first] = stderr.split('\n');
    expect({ parameters, first }).toEqual({ parameters, first: expect.stringMatching(message) });
    expect(stderr).toMatch(/Usage:|-- --help/);
    expect(stderr).not.toMatch(/^ +at /m);
  }
  expect(existsSync(path)).toBe(false);
});

test('what the database refuses is one line', async () => {
  const { token, folder } = commandLine();
  await token('create', '--user', 'amina', '--role', 'user');
  const line = (message: RegExp) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^${message.source}\\n$`)),
  });
  expect(await token('create', '--user', 'amina', '--role', 'admin')).toEqual(
    line(/The user amina exists and is user, not admin\./),
  );
  expect(await token('revoke', '2')).toEqual(line(/There is no token 2\./));
  expect(await token('revoke', '99999999999999999999')).toEqual(line(/There is no token 99999999999999999999\./));
  expect(rows(await token('list')).length).toBe(2);

  writeFileSync(
    join(folder, 'text.db'),
    'This is no database, although it is long enough to be taken for one.'.repeat(20),
  );
  const on = (DATABASE_URL: string) => run(process.execPath, ['scripts/token.ts', 'list'], { DATABASE_URL });
  expect(await on(`file:${folder}/text.db`)).toEqual(
    line(/The database .*text\.db cannot be opened: .*not a database.*/),
  );
  expect(await on(`file:${folder}/text.db/service.db`)).toEqual(line(/The database .* cannot be opened: .*/));
  expect(await on('mysql://localhost/service')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/DATABASE_URL must be/),
  });
});

test('help is no mistake and touches no database', async () => {
  const { token, folder } = commandLine();
  for (const parameters of [['-h'], ['create', '--help']]) {
    expect(await token(...parameters)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage:[^]*--expires/),
      stderr: '',
    });
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('npm run --silent token prints the token alone too', async () => {
  const { env } = commandLine();
  const created = await run(
    'npm',
    ['run', '--silent', 'token', '--', 'create', '--user', 'amina', '--role', 'admin', '--expires', '1d'],
    env,
  );
  expect(created).toEqual({ code: 0, stdout: expect.stringMatching(/^shx_[\w-]{43}\n$/), stderr: '' });
  const wrong = await run('npm', ['run', '--silent', 'token', '--', 'create'], env);
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
});
