/** The service behind PgBouncer, which gives each transaction whatever session is free. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skip } from '../support/needs.ts';
import { newSchema, onServer } from '../support/schema.ts';
import { freePort } from '../support/server-process.ts';
import { testService } from '../support/service.ts';
import { connects, owner } from './server.ts';

const program = ['/usr/sbin/pgbouncer', '/opt/homebrew/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);
const server = process.env.TEST_DATABASE_URL!;
const surveys = '/api/v5/surveys';

/** A role that has the right schema in its search path, and a pooler with three sessions for it. */
async function pooledUrl(): Promise<string> {
  const { name, remove } = await newSchema(server);
  const role = `pooled_${name}`;
  await onServer(
    server,
    `create role ${role} login; alter role ${role} set search_path = ${name}; grant all on schema ${name} to ${role}`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const { hostname, port: serverPort, pathname } = new URL(server);
  writeFileSync(join(folder, 'users'), `"${role}" ""\n`, { mode: 0o644 });
  const settings = `
    [databases]
    * = host=${hostname} port=${serverPort || 5432}
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${port}
    unix_socket_dir =
    auth_type = trust
    auth_file = users
    pool_mode = transaction
    default_pool_size = 3`;
  writeFileSync(join(folder, 'pgbouncer.ini'), settings.replaceAll(/^ +/gm, ''), { mode: 0o644 });
  const { uid } = owner();
  // It refuses to run as root.
  const user = uid === undefined ? [] : ['-u', 'nobody'];
  const pooler: ChildProcess = spawn(program!, [...user, 'pgbouncer.ini'], { cwd: folder, stdio: 'ignore' });
  // Once it has read its files, it may no longer be able to, as another user.
  onTestFinished(async () => {
    pooler.kill('SIGKILL');
    if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit');
    rmSync(folder, { recursive: true });
    await remove();
    await onServer(server, `drop owned by ${role}; drop role ${role}`);
  });
  const url = `postgres://${role}@127.0.0.1:${port}${pathname}`;
  await expect.poll(() => connects(url)).toBe(true);
  return url;
}

test.for(['false', 'true'])(
  'everything is served with fewer sessions than connections, DATABASE_PREPARE=%s',
  async (prepare, context) => {
    if (program === undefined) skip(context, 'PgBouncer is missing.');
    const { send } = await testService({ DATABASE_URL: await pooledUrl(), DATABASE_PREPARE: prepare });
    for (let round = 0; round < 3; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 12 }, async (_, at) => {
          const created = await send('POST', surveys, { name: `Survey ${at}`, tasks: [{ label: 'A' }] });
          const url = `${surveys}/${created.json.results[0].id}`;
          const changed = await send('PUT', url, { name: `Changed ${at}` });
          const read = await send('GET', url);
          expect(read.json.results[0].name).toBe(`Changed ${at}`);
          return [created, changed, read, await send('GET', `${surveys}?limit=3`), await send('DELETE', url)];
        }),
      );
      expect(new Set(responses.map((each) => each.map(({ status }) => status).join()))).toEqual(
        new Set(['201,200,200,200,200']),
      );
    }
    expect((await send('GET', `${surveys}?limit=3`)).headers['x-total-count']).toBe('0');
  },
);
