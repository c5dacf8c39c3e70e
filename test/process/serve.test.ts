/** The start of the server process: what it prints, and how it refuses to start. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, type TestContext, test } from 'vitest';
import { bearer, create, freshPath, readiness, root, shell, start, tokens } from '../support/server-process.ts';

describe.concurrent('a start', () => {
  test('prints a token and a command that works on an empty database, and nothing the second time', async (context) => {
    const path = freshPath(context);
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
    await context.expect.poll(() => readiness(url)).toBe(200);
    context.expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({ status: 'ok' });
    context.expect((await first.stop()).code).toBe(0);

    const second = start(context, path);
    await second.listening();
    context.expect((await second.stop('SIGINT')).code).toBe(0);
    context.expect(await second.end).toMatchObject({ stderr: '' });
    context.expect(tokens(second.stdout()).size).toBe(0);
    context.expect(readdirSync(join(path, '..'))).toEqual(['service.db']);
  });

  test('prints no token when a token exists', async (context) => {
    const path = freshPath(context);
    const script = `'${process.execPath}' '${root}/scripts/token.ts'`;
    const made = await shell(`DATABASE_URL=file:${path} ${script} create --user amina --role user --expires 1d`);
    const server = start(context, path);
    const { url } = await server.listening();
    context.expect((await fetch(`${url}/api/v3/hxl`, { headers: bearer(made.trim()) })).status).toBe(200);
    await server.stop();
    context.expect((await server.end).stderr).toBe('');
  });

  test('prints the public address when there is one', async (context) => {
    const server = start(context, freshPath(context), { PUBLIC_URL: 'https://surveys.example.org/' });
    const { url, token } = await server.listening();
    await context.expect.poll(server.stderr).toContain("'https://surveys.example.org/api/v3/hxl/licenses?limit=3'");
    context.expect(server.stderr()).toContain('https://surveys.example.org/docs');
    const made = await create(url, [...tokens(server.stderr())][0] ?? token, {});
    context.expect(made.headers.get('location')).toBe('https://surveys.example.org/api/v5/surveys/1');
  });

  test('of several servers at once on an empty database prints one token and makes one schema', async (context) => {
    const path = freshPath(context);
    const servers = [start(context, path), start(context, path), start(context, path)];
    const urls = await Promise.all(servers.map(async (server) => (await server.listening()).url));
    const printed = () => tokens(servers.map((server) => server.stderr()).join(''));
    await context.expect.poll(() => printed().size).toBe(1);
    const [token] = printed();
    for (const url of urls) {
      context.expect((await create(url, token!, {})).status).toBe(201);
      const listed = await fetch(`${url}/api/v5/surveys?only=id`, { headers: bearer(token!) });
      context.expect(listed.status).toBe(200);
      await context.expect.poll(() => readiness(url)).toBe(200);
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

describe.concurrent('a start that is not possible', () => {
  test('lists everything that is wrong with the configuration in one message', async (context) => {
    const { code, stdout, stderr } = await start(context, freshPath(context), {
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

  /** Each makes a start impossible, and returns the environment for it. */
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
    test(`says in one line that it failed because of ${name}`, async (context) => {
      const path = freshPath(context);
      mkdirSync(join(path, '..'));
      const { code, stderr, stdout } = await start(context, path, await prepare(path, context)).end;
      context.expect([code, stdout]).toEqual([1, '']);
      context.expect(stderr).toMatch(message);
      context.expect(stderr).toMatch(/^[^\n]+\n$/);
    });
  }

  test('changes no database of a newer version, and makes no token when its port is in use', async (context) => {
    const path = freshPath(context);
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
    const previous = names();
    context.expect((await start(context, path).end).code).toBe(1);
    context.expect(names()).toEqual(previous);
  });

  /** A database without users, as after a first start that failed, and a free port. */
  async function withoutUsers(context: TestContext) {
    const path = freshPath(context);
    const earlier = start(context, path);
    const { port } = await earlier.listening();
    await earlier.stop();
    const db = new Database(path);
    context.onTestFinished(() => void db.close());
    db.exec('delete from tokens; delete from users');
    return { path, db, port };
  }

  for (const WORKERS of ['1', '2']) {
    test(`serves nobody before the first token is given: WORKERS=${WORKERS}`, async (context) => {
      const { path, db } = await withoutUsers(context);
      db.exec("create trigger full before insert on tokens begin select raise(abort, 'no more tokens'); end");
      const { code, stdout, stderr } = await start(context, path, { WORKERS }).end;
      context.expect([code, stdout]).toEqual([1, '']);
      context.expect(stderr).toContain('no more tokens');
      context.expect(db.prepare('select count(*) from users').pluck().get()).toBe(0);
    });
  }

  test('leaves the first token to the next one when it cannot listen', async (context) => {
    const { path, port } = await withoutUsers(context);
    const blocker = createServer().listen(port, '127.0.0.1');
    await once(blocker, 'listening');
    context.onTestFinished(() => void blocker.close());
    const failed = await start(context, path, { PORT: String(port) }).end;
    context.expect(tokens(failed.stderr).size).toBe(0);
    const next = start(context, path);
    const { url } = await next.listening();
    await context.expect.poll(() => tokens(next.stderr()).size).toBe(1);
    const [token] = tokens(next.stderr());
    context.expect((await create(url, token!, {})).status).toBe(201);
  });
});
