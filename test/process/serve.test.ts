/** The server as a process: how it starts, what it writes, how it refuses to start, and how it ends. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterAll, describe, type TestContext, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';

/** Processes share two processors with whatever else is tested. */
const patience = { timeout: 60_000 };
const root = fileURLToPath(new URL('../..', import.meta.url));
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** A path for a database that is not there yet. */
function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'server-'));
  folders.push(folder);
  return join(folder, 'data', 'service.db');
}

/** The server on this database; it is killed when the test is over. Its port is any free one. */
function start(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  path: string,
  env: Record<string, string> = {},
) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: root,
    env: { PATH, HOME, PORT: '0', DATABASE_URL: `file:${path}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // 'close' comes after everything that was written has been read.
  const end = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout,
    stderr,
  }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end;
  });
  return {
    child,
    end,
    stderr: () => stderr,
    stdout: () => stdout,
    lines: () =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, any>),
    /** Where it listens, once it does; the first token is written by then or never. */
    async listening(): Promise<{ url: string; port: number; token: string }> {
      const url = () => /Server listening at (http:[^"]+)"/.exec(stdout)?.[1];
      const failed = end.then(() => {
        throw new Error(`The server ended: ${stdout}${stderr}`);
      });
      while (url() === undefined) await Promise.race([sleep(20), failed]);
      failed.catch(() => {});
      await fetch(`${url()}/health/live`);
      return {
        url: url()!,
        port: Number(new URL(url()!).port),
        get token() {
          return /shx_[\w-]{43}/.exec(stderr)?.[0] ?? '';
        },
      };
    },
    /** Sends a signal and says how it ended and after how many milliseconds. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      const begin = performance.now();
      child.kill(signal);
      const { code } = await end;
      return { code, ms: performance.now() - begin };
    },
  };
}

const tokens = (text: string) => new Set(text.match(/shx_[\w-]{43}/g));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const create = (url: string, token: string, body: object) =>
  fetch(`${url}/api/v5/surveys`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const shell = (command: string) =>
  new Promise<string>((resolve, reject) =>
    execFile('sh', ['-c', command], (error, stdout) => (error ? reject(error) : resolve(stdout))),
  );

/** A connection that keeps what it receives. */
async function dial({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, port: number) {
  let received = '';
  const socket: Socket = connectSocket(port, '127.0.0.1');
  socket
    .setEncoding('utf8')
    .on('data', (text) => (received += text))
    .on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { socket, received: () => received };
}

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connectSocket(port, '127.0.0.1', () => resolve(false));
    socket
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
      .on('close', () => socket.destroy());
    setTimeout(() => socket.destroy(), 100);
  });

const body =
  '{"name":"Sent in two halves","tasks":[{"label":"Report","fields":[{"label":"Where?","type":"varchar","input":"text"}]}]}';
/** A request of which half of the body has come: the server waits for the rest. */
const slow = (token: string) =>
  `POST /api/v5/surveys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 40)}`;

describe.concurrent('starting', patience, () => {
  test('prints one token on an empty database, with a command that works, and none the second time', async (context) => {
    const path = freshPath();
    const first = start(context, path);
    const { url } = await first.listening();
    await context.expect.poll(first.stderr).toContain('/docs');
    context.expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    context.expect(tokens(first.stderr()).size).toBe(1);
    const [command, ...more] = first.stderr().match(/^ *curl .*$/gm)!;
    context.expect(more).toEqual([]);
    context
      .expect(JSON.parse(await shell(command!)))
      .toMatchObject({ count: 3, total_count: 8, results: [{ code: 'cc-by-igo' }, {}, {}] });
    const user = await fetch(`${url}/api/v3/users/1`, { headers: bearer([...tokens(first.stderr())][0]!) });
    context.expect(await user.json()).toMatchObject({ name: 'admin', role: 'admin' });
    const ready = await fetch(`${url}/health/ready`);
    context.expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok' }]);
    context.expect((await first.stop()).code).toBe(0);

    const second = start(context, path);
    await second.listening();
    context.expect((await second.stop('SIGINT')).code).toBe(0);
    context.expect(await second.end).toMatchObject({ stderr: '' });
    context.expect(tokens(second.stdout()).size).toBe(0);
    context.expect(readdirSync(join(path, '..'))).toEqual(['service.db']);
  });

  test('prints no token when one was made before', async (context) => {
    const path = freshPath();
    const made = await shell(
      `DATABASE_URL=file:${path} '${process.execPath}' '${root}/scripts/token.ts' create --user amina --role user --expires 1d`,
    );
    const server = start(context, path);
    const { url } = await server.listening();
    context.expect((await fetch(`${url}/api/v3/hxl`, { headers: bearer(made.trim()) })).status).toBe(200);
    await server.stop();
    context.expect((await server.end).stderr).toBe('');
  });

  test('names the public address where there is one', async (context) => {
    const server = start(context, freshPath(), { PUBLIC_URL: 'https://surveys.example.org/' });
    const { url, token } = await server.listening();
    await context.expect.poll(server.stderr).toContain("'https://surveys.example.org/api/v3/hxl/licenses?limit=3'");
    context.expect(server.stderr()).toContain('https://surveys.example.org/docs');
    const made = await create(url, [...tokens(server.stderr())][0] ?? token, {});
    context.expect(made.headers.get('location')).toBe('https://surveys.example.org/api/v5/surveys/1');
  });

  test('writes JSON lines with request and operation, and no token and no body', async (context) => {
    const server = start(context, freshPath(), { LOG_LEVEL: 'trace' });
    const listening = await server.listening();
    await context.expect.poll(() => listening.token).not.toBe('');
    const { url, token } = listening;
    const made = await create(url, token, { name: 'Confidential survey', description: 'known only to us' });
    context.expect(made.status).toBe(201);
    const wrong = await create(url, token, { name: 7, description: 'known only to us' });
    const stranger = await create(url, 'shx_unknownunknownunknown', { name: 'Confidential survey' });
    const refusals = [
      [await wrong.json(), 'createSurvey', 422],
      [await stranger.json(), 'createSurvey', 401],
      [await (await fetch(`${url}/nothing`)).json(), undefined, 404],
    ];
    await fetch(`${url}/api/v5/surveys`, { headers: bearer(token) });
    await context.expect.poll(() => server.stdout()).toContain('"listSurveys"');
    const lines = server.lines();
    for (const line of lines)
      context.expect(line).toMatchObject({ level: context.expect.any(Number), time: context.expect.any(Number) });
    const answered = lines.filter(({ msg }) => msg === 'answered');
    for (const line of answered)
      context.expect(line).toMatchObject({
        reqId: context.expect.stringMatching(/./),
        method: context.expect.any(String),
        url: context.expect.any(String),
      });
    context
      .expect(answered.find(({ status }) => status === 201))
      .toMatchObject({ operationId: 'createSurvey', method: 'POST', url: '/api/v5/surveys' });
    for (const [{ request_id }, operationId, status] of refusals as [any, string | undefined, number][]) {
      const line = answered.find(({ reqId }) => reqId === request_id);
      context.expect([line?.status, line?.operationId]).toEqual([status, operationId]);
    }
    await server.stop();
    const all = server.stdout();
    for (const secret of [token, token.slice(4), 'shx_', 'Bearer', 'Confidential', 'known only'])
      context.expect([secret, all.includes(secret)]).toEqual([secret, false]);
    context.expect(() => server.lines()).not.toThrow();
  });

  test('several at the same time on one empty database share one schema and print one token', async (context) => {
    const path = freshPath();
    const servers = [start(context, path), start(context, path), start(context, path)];
    const urls = await Promise.all(servers.map(async (server) => (await server.listening()).url));
    const printed = () => tokens(servers.map((server) => server.stderr()).join(''));
    await context.expect.poll(() => printed().size).toBe(1);
    const [token] = printed();
    for (const url of urls) {
      context.expect((await create(url, token!, {})).status).toBe(201);
      const listed = await fetch(`${url}/api/v5/surveys?only=id`, { headers: bearer(token!) });
      context.expect([listed.status, (await fetch(`${url}/health/ready`)).status]).toEqual([200, 200]);
    }
    await Promise.all(servers.map((server) => server.stop()));
    context.expect(printed().size).toBe(1);
    const db = new Database(path, { readonly: true });
    const count = (table: string) =>
      (db.prepare(`select count(*) as rows from ${table}`).get() as { rows: number }).rows;
    context.expect(['users', 'tokens', 'hxl_licenses', 'hxl_tags', 'surveys'].map(count)).toEqual([1, 1, 8, 44, 3]);
    const migrations = db.prepare('select name from kysely_migration order by name').pluck().all();
    context.expect(migrations).toEqual([...new Set(migrations)]);
    context.expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    context.expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });
});

describe.concurrent('a start that cannot be', patience, () => {
  test('for the configuration lists everything that is wrong in one message', async (context) => {
    const { code, stdout, stderr } = await start(context, freshPath(), {
      PORT: '65536',
      DATABASE_URL: 'service.db',
      LOG_LEVEL: 'loud',
      BODY_LIMIT: '1MB',
      PUBLIC_URL: 'example.org',
    }).end;
    context.expect([code, stdout]).toEqual([1, '']);
    const lines = stderr.trimEnd().split('\n');
    context.expect(lines.length).toBe(6);
    for (const name of ['PORT', 'DATABASE_URL', 'LOG_LEVEL', 'BODY_LIMIT', 'PUBLIC_URL'])
      context.expect(lines.filter((line) => line.includes(`${name} must be`)).length).toBe(1);
    context.expect(stderr).toContain('not "65536"');
  });

  /** Each makes a start impossible and gives the environment to try it in. */
  const obstacles: Record<
    string,
    [
      prepare: (path: string, context: TestContext) => Record<string, string> | Promise<Record<string, string>>,
      message: RegExp,
    ]
  > = {
    'a port in use': [
      async (_, { onTestFinished }) => {
        const other = createServer().listen(0, '127.0.0.1');
        await once(other, 'listening');
        onTestFinished(() => void other.close());
        return { PORT: String((other.address() as AddressInfo).port) };
      },
      /Port \d+ of 127\.0\.0\.1 is in use/,
    ],
    // An address for documentation (RFC 5737): no machine has it.
    'an address of another machine': [() => ({ HOST: '192.0.2.1' }), /HOST 192\.0\.2\.1 is not an address/],
    'a folder that cannot be written': [
      () => ({ DATABASE_URL: 'file:/proc/service/service.db' }),
      /database \/proc\/service\/service\.db cannot be opened/,
    ],
    'a path below a file': [
      (path) => {
        writeFileSync(join(path, '..', 'file'), '');
        return { DATABASE_URL: `file:${join(path, '..', 'file', 'service.db')}` };
      },
      /database .*service\.db cannot be opened/,
    ],
    'a folder in place of the file': [
      (path) => ({ DATABASE_URL: `file:${join(path, '..')}` }),
      /database .* cannot be opened/,
    ],
    'a file that is no database': [
      (path) => {
        writeFileSync(path, 'number,user\n'.repeat(500));
        return {};
      },
      /database .*service\.db cannot be opened: .*not a database/,
    ],
    'a database of another program': [
      (path) => {
        new Database(path).exec('create table surveys (title text)').close();
        return {};
      },
      /database .*service\.db cannot be brought up to date: .*surveys.* already exists/,
    ],
    'a database of a newer version': [
      async (path, context) => {
        const earlier = start(context, path);
        await earlier.listening();
        await earlier.stop();
        new Database(path)
          .exec("insert into kysely_migration values ('9999_future', '2030-01-01T00:00:00.000Z')")
          .close();
        return {};
      },
      /database .*service\.db .*newer version/,
    ],
  };
  for (const [name, [prepare, message]] of Object.entries(obstacles)) {
    test(`for ${name} says so in one line`, async (context) => {
      const path = freshPath();
      mkdirSync(join(path, '..'));
      const { code, stderr, stdout } = await start(context, path, await prepare(path, context)).end;
      context.expect([code, stdout]).toEqual([1, '']);
      context.expect(stderr).toMatch(message);
      context.expect(stderr).toMatch(/^[^\n]+\n$/);
    });
  }

  test('leaves a database of a newer version as it was, and takes no token for a port in use', async (context) => {
    const path = freshPath();
    const other = start(context, path);
    const { port } = await other.listening();
    await other.stop();
    const db = new Database(path);
    context.onTestFinished(() => void db.close());
    db.exec('delete from tokens; delete from users');
    const blocker = createServer().listen(port, '127.0.0.1');
    await once(blocker, 'listening');
    context.onTestFinished(() => void blocker.close());
    context.expect((await start(context, path, { PORT: String(port) }).end).code).toBe(1);
    context.expect(db.prepare('select count(*) from tokens').pluck().get()).toBe(0);
    db.exec("insert into kysely_migration values ('9999_future', '2030-01-01T00:00:00.000Z')");
    const names = () => db.prepare('select name from kysely_migration').pluck().all();
    const before = names();
    context.expect((await start(context, path).end).code).toBe(1);
    context.expect(names()).toEqual(before);
  });
});

describe.concurrent('ending', patience, () => {
  /** A running server, and the token it printed. */
  async function running(context: TestContext, path = freshPath()) {
    const server = start(context, path);
    const listening = await server.listening();
    await context.expect.poll(() => listening.token).not.toBe('');
    return { server, ...listening, path };
  }

  test('SIGTERM lets a request that was accepted finish, and refuses what comes after it', async (context) => {
    const { server, url, port, token, path } = await running(context);
    const { socket, received } = await dial(context, port);
    socket.write(slow(token));
    // A connection that was in use before, and on which the next request has just begun.
    const other = await dial(context, port);
    other.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await context.expect.poll(other.received).toContain('{"status":"ok"}');
    other.socket.write('GET /api/v3/hxl HTTP/1.1\r\nHost: x\r\n');
    await fetch(`${url}/health/live`);
    const begin = performance.now();
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    context.expect(received()).toBe('');

    other.socket.write(`Authorization: Bearer ${token}\r\n\r\n`);
    await context.expect.poll(other.received).toContain('request_id');
    const [, second] = other.received().split(/(?=HTTP\/1\.1 \d)/);
    context.expect(second).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
    context.expect(JSON.parse(second!.split('\r\n\r\n')[1]!)).toEqual({
      errors: [{ status: 503, code: 'service_unavailable', message: context.expect.stringMatching(/\.$/) }],
      request_id: context.expect.stringMatching(/./),
    });

    socket.write(body.slice(40));
    await context.expect.poll(received).toContain('Sent in two halves');
    context.expect(received()).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    const { code } = await server.end;
    context.expect(code).toBe(0);
    // Nothing is left to wait for, although the first client did not hang up.
    context.expect(performance.now() - begin).toBeLessThan(6000);
    const db = new Database(path, { readonly: true });
    context.expect(db.prepare('select name from surveys').pluck().all()).toEqual(['Sent in two halves']);
    db.close();
  });

  test('SIGTERM lets an answer that is under way finish, and waits no longer', async (context) => {
    const { server, url, port, token } = await running(context);
    const large = { name: 'Large', tasks: Array.from({ length: 200 }, () => ({ label: 'A task of many' })) };
    for (let count = 0; count < 200; count += 1) context.expect((await create(url, token, large)).status).toBe(201);
    const { socket, received } = await dial(context, port);
    socket.write(`GET /api/v5/surveys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    socket.resume();
    const begin = performance.now();
    context.expect((await server.end).code).toBe(0);
    context.expect(performance.now() - begin).toBeLessThan(4000);
    context.expect(received().match(/"name":"Large"/g)).toHaveLength(200);
    context.expect(received()).toMatch(/\r\n0\r\n\r\n$/);
  });

  test('SIGTERM does not wait for connections on which nothing is asked', async (context) => {
    const { server, port } = await running(context);
    await dial(context, port);
    const { socket, received } = await dial(context, port);
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await context.expect.poll(received).toContain('ok');
    const { code, ms } = await server.stop();
    context.expect(code).toBe(0);
    context.expect(ms).toBeLessThan(6000);
  });

  test('SIGTERM ends within 10 s although a client never finishes', async (context) => {
    const { server, url, port, token, path } = await running(context);
    for (const request of [slow(token), 'GET /api/v3/hxl HTTP/1.1\r\nHost: x\r\nAuthori']) {
      const { socket } = await dial(context, port);
      socket.write(request);
    }
    await fetch(`${url}/health/live`);
    const { code, ms } = await server.stop();
    context.expect(code).toBe(0);
    context.expect(ms).toBeLessThan(10_000);
    const db = new Database(path, { readonly: true });
    context.expect(db.prepare('select count(*) from surveys').pluck().get()).toBe(0);
    db.close();
  });

  test('a second signal ends it at once', async (context) => {
    const { server, url, port, token } = await running(context);
    const { socket } = await dial(context, port);
    socket.write(slow(token));
    await fetch(`${url}/health/live`);
    server.child.kill('SIGTERM');
    await context.expect.poll(() => isRefused(port)).toBe(true);
    const { code, ms } = await server.stop('SIGINT');
    context.expect(ms).toBeLessThan(4000);
    context.expect(code).not.toBe(0);
  });

  test('a database is opened so that what is answered outlives a power cut', async (context) => {
    const db = await openDatabase(`file:${freshPath()}`);
    context.onTestFinished(() => db.close());
    const pragma = async (name: string) =>
      Object.values((await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db.query)).rows[0]!)[0];
    // 2 is FULL. https://www.sqlite.org/pragma.html#pragma_synchronous
    context
      .expect([await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')])
      .toEqual(['wal', 2, 1]);
    context.expect(await pragma('busy_timeout')).toBeGreaterThanOrEqual(1000);
  });

  test('kill -9 in the middle of writes loses nothing that was answered', async (context) => {
    const { server, url, token, path } = await running(context);
    const answered = new Set<number>();
    const field = (label: string) => ({ label, type: 'varchar', input: 'text' });
    const write = async () => {
      for (;;) {
        const response = await create(url, token, {
          name: 'Written',
          tasks: [
            { label: 'One', fields: [field('a'), field('b')] },
            { label: 'Two', fields: [field('c')] },
          ],
        });
        if (response.status === 201) answered.add(((await response.json()) as any).results[0].id);
      }
    };
    const writers = Promise.allSettled([write(), write(), write(), write()]);
    while (answered.size < 60) await sleep(1);
    server.child.kill('SIGKILL');
    await writers;
    context.expect((await server.end).signal).toBe('SIGKILL');

    const again = start(context, path);
    const restarted = await again.listening();
    const listed = await fetch(`${restarted.url}/api/v5/surveys`, { headers: bearer(token) });
    const { results } = (await listed.json()) as { results: any[] };
    const found = new Set(results.map(({ id }) => id));
    context.expect([...answered].filter((id) => !found.has(id))).toEqual([]);
    for (const { tasks } of results)
      context
        .expect(tasks.map(({ fields }: any) => fields.map(({ label }: any) => label)))
        .toEqual([['a', 'b'], ['c']]);
    context.expect((await create(restarted.url, token, {})).status).toBe(201);
    await again.stop();
    const db = new Database(path, { readonly: true });
    context.expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    context.expect(db.pragma('foreign_key_check')).toEqual([]);
    context.expect(db.prepare('select count(*) from fields').pluck().get()).toBe(3 * results.length);
    db.close();
  });
});

describe.concurrent('several processes', patience, () => {
  /** A server of two processes that both listen, and their process ids as the log tells them. */
  async function two(context: TestContext) {
    const server = start(context, freshPath(), { WORKERS: '2' });
    const listening = await server.listening();
    const pids = () => [
      ...new Set(
        server
          .lines()
          .filter(({ msg }) => /listening/.test(msg))
          .map(({ pid }) => pid as number),
      ),
    ];
    await context.expect.poll(() => pids().length, { timeout: 20_000 }).toBe(2);
    await context.expect.poll(() => listening.token).not.toBe('');
    return { server, pids, ...listening };
  }

  test('share the work, and each sees at once what any of them has written', async (context) => {
    const { server, pids, url, token } = await two(context);
    const headers = { ...bearer(token), connection: 'close' };
    const write = async () => {
      const ids: number[] = [];
      for (let count = 0; count < 25; count += 1) {
        const created = await create(url, token, { name: `Report ${count}`, tasks: [{ label: 'One' }] });
        context.expect(created.status).toBe(201);
        const {
          results: [{ id }],
        } = (await created.json()) as any;
        const read = async () =>
          ((await (await fetch(`${url}/api/v5/surveys/${id}`, { headers })).json()) as any).results?.[0].name;
        context.expect([await read(), await read()]).toEqual([`Report ${count}`, `Report ${count}`]);
        ids.push(id);
      }
      return ids;
    };
    const ids = (await Promise.all([write(), write(), write(), write()])).flat();
    context.expect(new Set(ids).size).toBe(100);
    const listed = async () =>
      ((await (await fetch(`${url}/api/v5/surveys?only=id`, { headers })).json()) as any).results.map(
        ({ id }: any) => id,
      );
    context.expect(await listed()).toEqual(ids.toSorted((one, other) => one - other));
    const served = server
      .lines()
      .filter(({ msg }) => msg === 'answered')
      .map(({ pid }) => pid);
    context.expect([...new Set(served)].sort()).toEqual(pids().sort());
    context.expect((await server.stop()).code).toBe(0);
  });

  test('are replaced when one dies, and end together', async (context) => {
    const { server, pids, url, port } = await two(context);
    process.kill(pids()[0]!, 'SIGKILL');
    await context.expect.poll(() => pids().length, { timeout: 20_000 }).toBe(3);
    context.expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    context.expect((await server.stop()).code).toBe(0);
    context.expect(await isRefused(port)).toBe(true);
  });

  test('say once why they cannot start', async (context) => {
    const { port } = await two(context);
    const { code, stderr } = await start(context, freshPath(), { WORKERS: '2', PORT: String(port) }).end;
    context.expect([code, stderr]).toEqual([1, `Port ${port} of 127.0.0.1 is in use. Set PORT to a free one.\n`]);
  });
});
