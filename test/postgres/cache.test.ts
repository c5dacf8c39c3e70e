/** Responses that are kept in memory: one round trip shows that they are up to date, whoever has written. */
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { newSchema, onServer } from '../support/schema.ts';
import { testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const organisations = '/api/v3/hxl/organisations?limit=10';
const server = process.env.TEST_DATABASE_URL!;

/** A schema that is gone when the test is over. */
async function schema() {
  const { url, name, remove } = await newSchema(server);
  onTestFinished(remove);
  return { url, name };
}

/** The smallest number of statements that this request needs. Others who use the server empty the cache now and then. */
async function leastStatements(get: () => Promise<{ status: number }>): Promise<number> {
  const sent = vi.spyOn(Client.prototype, 'query');
  const counts: number[] = [];
  for (let at = 0; at < 40 && !counts.includes(1); at += 1) {
    sent.mockClear();
    expect((await get()).status).toBe(200);
    counts.push(sent.mock.calls.length);
  }
  sent.mockRestore();
  return Math.min(...counts);
}

test.each([surveys, `${surveys}?limit=5`, `${surveys}/1`, '/api/v3/hxl/tags', organisations])(
  'GET %s, read again, needs the token alone',
  async (url) => {
    const { send } = await testService({ NODE_ENV: 'production' });
    await send('POST', surveys, { name: 'Flood report' });
    const first = await send('GET', url);
    expect(await leastStatements(() => send('GET', url))).toBe(1);
    expect((await send('GET', url)).text).toBe(first.text);
  },
);

test('CACHE_SIZE=0 keeps nothing', async () => {
  const { send } = await testService({ NODE_ENV: 'production', CACHE_SIZE: '0' });
  expect(await leastStatements(() => send('GET', organisations))).toBe(2);
});

test.each([
  ['PostgreSQL 15.2-YB-2.25.0.0-b489 on x86_64-pc-linux-gnu', 2],
  ['CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu)', 2],
  ['PostgreSQL 17.6 (Debian 17.6-1.pgdg13+1) on x86_64-pc-linux-gnu', 1],
])('where version() is %s, reading again needs %i statements', async (version, count) => {
  const { url, name } = await schema();
  await onServer(server, `create function ${name}.version() returns text language sql as $$ select '${version}' $$`);
  const { send } = await testService({
    NODE_ENV: 'production',
    DATABASE_URL: url.replace(name, `${name},pg_catalog`),
  });
  expect(await leastStatements(() => send('GET', organisations))).toBe(count);
});

test('where the role may not look at checkpoints, nothing is kept, and the start says so', async () => {
  const { url, name } = await schema();
  await onServer(
    server,
    `create function ${name}.pg_control_checkpoint(out checkpoint_lsn pg_lsn) language plpgsql
     as $$ begin raise insufficient_privilege; end $$`,
  );
  const DATABASE_URL = url.replace(name, `${name},pg_catalog`);
  const messages: string[] = [];
  const db = await openDatabase(DATABASE_URL, (message) => void messages.push(message));
  await db.close();
  expect(messages).toEqual([expect.stringMatching(/^No responses are kept in memory/)]);
  const { send } = await testService({ NODE_ENV: 'production', DATABASE_URL });
  expect(await leastStatements(() => send('GET', organisations))).toBe(2);
});

test('a transaction that was under way while others read is seen when it ends', async () => {
  const { url } = await schema();
  const { send, tokens } = await testService({ NODE_ENV: 'production', DATABASE_URL: url });
  const writer = async (name: string) => {
    const client = new Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    await client.query(
      `insert into hxl_metadata (user_id, private, dataset_title, license_id, organisation_id, organisation_name, source,
        created, dataset_title_key, organisation_key)
       select id, 0, 'Wells', 1, $1, $1, 'Teams', '', 'wells', $1 from users where role = 'admin'`,
      [name],
    );
    return client;
  };
  expect(tokens.admin).toBeDefined();
  const names = async () => (await send('GET', organisations)).json.results.map(({ id }: { id: string }) => id);
  const [first, second, third] = [await writer('a'), await writer('b'), await writer('c')];
  const ends: [Client, string, string[]][] = [
    [second, 'commit', ['b']],
    [third, 'rollback', ['b']],
    [first, 'commit', ['a', 'b']],
  ];
  for (const [client, end, expected] of ends) {
    for (let at = 0; at < 3; at += 1) await names();
    await client.query(end);
    for (let at = 0; at < 3; at += 1) expect((await names()).sort()).toEqual(expected);
  }
});

test('no read is older than what was acknowledged before it began, in any process', async () => {
  const { url } = await schema();
  const { send, tokens, ...one } = await testService({ NODE_ENV: 'production', DATABASE_URL: url });
  const other = await testService({ NODE_ENV: 'production', DATABASE_URL: url, tokens: 'of the other' });
  const headers = { authorization: `Bearer ${tokens.admin}` };
  const created = await send('POST', surveys, { name: '1000' });
  const path = `${surveys}/${created.json.results[0].id}`;
  const urls = [path, `${surveys}?only=id,name&limit=5`, surveys];
  const apps = [one.app, other.app];
  let acknowledged = 0;
  let writing = true;
  const write = async () => {
    for (let count = 1001; count <= 1150; count += 1) {
      const app = apps[count % 2]!;
      const { statusCode } = await app.inject({ method: 'PUT', url: path, headers, payload: { name: `${count}` } });
      expect(statusCode).toBe(200);
      acknowledged = count;
      // Some versions last long enough for responses to be kept.
      if (count % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    writing = false;
  };
  let reads = 0;
  const read = async (reader: number) => {
    for (let at = reader; writing; at += 1) {
      const least = acknowledged;
      const response = await apps[at % 2]!.inject({ url: urls[at % urls.length]!, headers });
      expect(Number(response.json().results[0].name)).toBeGreaterThanOrEqual(least);
      reads += 1;
    }
  };
  await Promise.all([write(), ...Array.from({ length: 8 }, (_, reader) => read(reader))]);
  expect(reads).toBeGreaterThan(150);
});
