/** Four processes of the service on one PostgreSQL behind HAProxy, which are killed one after the other under load. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, type TestContext, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { grantToken } from '../../src/users/store.ts';
import { skip } from '../support/needs.ts';
import { newSchema } from '../support/schema.ts';
import { create, freePort, start } from '../support/server-process.ts';

const program = ['/usr/sbin/haproxy', '/opt/homebrew/bin/haproxy', '/usr/local/bin/haproxy'].find(existsSync);

/** HAProxy in front of these ports; returns its URL. It is ended when the test is over. */
async function proxy({ onTestFinished }: TestContext, ports: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const port = await freePort();
  const settings = `
    defaults
      mode http
      timeout connect 1s
      timeout client 30s
      timeout server 30s
      # On a connection that had a request before, it would close without a response, so that the client tries again.
      option httpclose
      # A request that was not sent yet goes to another process.
      option redispatch 1
      retries 3
      default-server check inter 100 fall 1 rise 1
      option httpchk GET /health/ready
    listen service
      bind 127.0.0.1:${port}
      balance roundrobin
${ports.map((each) => `      server s${each} 127.0.0.1:${each}`).join('\n')}
`;
  writeFileSync(join(folder, 'haproxy.cfg'), settings);
  const child = spawn(program!, ['-db', '-f', 'haproxy.cfg'], { cwd: folder, stdio: 'ignore' });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  return `http://127.0.0.1:${port}`;
}

test('no acknowledged write is lost while processes are killed one after the other', {
  timeout: 180_000,
}, async (context) => {
  if (program === undefined) skip(context, 'HAProxy is missing.');
  const { url: database, remove } = await newSchema(process.env.TEST_DATABASE_URL!);
  context.onTestFinished(remove);
  const db = await openDatabase(database);
  context.onTestFinished(() => db.close());
  const token = await grantToken(db, 'admin', 'admin', null);

  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const launch = async (port: number) => {
    const server = start(context, '', { DATABASE_URL: database, PORT: `${port}`, LOG_LEVEL: 'info' });
    await server.listening();
    return server;
  };
  const servers = await Promise.all(ports.map(launch));
  const url = await proxy(context, ports);
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await expect.poll(isReady).toBe(true);

  let running = true;
  /** What came of each survey that was sent, by its name. */
  const statuses = new Map<string, number | string>();
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let at = 0; running; at += 1) {
      const name = `Survey ${writer} ${at}`;
      const status = await create(url, token, { name, tasks: [{ label: 'A' }] }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        (error: Error) => String(error.cause ?? error),
      );
      statuses.set(name, status);
    }
  });
  for (const [at, server] of servers.entries()) {
    await sleep(500);
    await server.stop('SIGKILL');
    await sleep(500);
    servers[at] = await launch(ports[at]!);
  }
  await sleep(500);
  running = false;
  await Promise.all(writers);

  const rows = await db.query.selectFrom('surveys').select(['name', 'id']).execute();
  const copies = Map.groupBy(rows, ({ name }) => name);
  const acknowledged = [...statuses].filter(([, status]) => status === 201);
  expect(acknowledged.length).toBeGreaterThan(50);
  expect(acknowledged.filter(([name]) => copies.get(name)?.length !== 1)).toEqual([]);
  // Whoever is not told that it is stored is told honestly, and it is there at most once.
  expect([...new Set(statuses.values())].filter((status) => ![201, 502, 503].includes(status as number))).toEqual([]);
  expect(rows.length).toBe(copies.size);
  const whole = await db.query.selectFrom('tasks').select('id').execute();
  const counts = await db.query.selectFrom('survey_counts').select('total').execute();
  expect([whole.length, counts.reduce((sum, { total }) => sum + total, 0)]).toEqual([rows.length, rows.length]);
});
