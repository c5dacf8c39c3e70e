/** Starting on a PostgreSQL database: what the URL may say, the migrations, and what is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DatabaseError, openDatabase } from '../../src/database/database.ts';
import { grantFirstToken } from '../../src/users/store.ts';
import { hashToken } from '../../src/users/token.ts';
import { newSchema, onServer } from '../support/schema.ts';

const server = process.env.TEST_DATABASE_URL!;

/** A schema that is gone after the test. */
async function schema() {
  const made = await newSchema(server);
  onTestFinished(made.remove);
  return made;
}

async function open(url: string) {
  const db = await openDatabase(url);
  onTestFinished(() => db.close());
  return db;
}

/** Why a database at this URL is not opened. */
async function refusal(url: string): Promise<string> {
  const error = await openDatabase(url).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(DatabaseError);
  const { message } = error as Error;
  expect(message).not.toMatch(/\n|secret/);
  return message;
}

/** The URL with other parts, and with these parameters. */
function changed(url: string, parts: Partial<URL>, parameters: Record<string, string> = {}): string {
  const made = Object.assign(new URL(url), parts);
  for (const [name, value] of Object.entries(parameters)) made.searchParams.set(name, value);
  return made.href;
}

describe('the migrations', () => {
  test('run once, and the first token is given once, however many processes start together', async () => {
    const { url } = await schema();
    const databases = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    const tokens = await Promise.all(databases.map((db) => grantFirstToken(db)));
    expect(tokens.filter((token) => token !== undefined)).toHaveLength(1);
    const { rows } = await sql`select name from kysely_migration`.execute(databases[0]!.query);
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
  });

  test('the service listens once, also when the first token is given in a second attempt', async () => {
    const { url, name } = await schema();
    const db = await open(url);
    await onServer(
      server,
      `set search_path = ${name};
      create sequence attempts;
      create function refuse() returns trigger language plpgsql set search_path = ${name} as $$ begin
        if nextval('attempts') = 1 then raise exception 'refused' using errcode = '40001'; end if;
        return new;
      end $$;
      create constraint trigger refusing after insert on users deferrable initially deferred
        for each row execute function refuse()`,
    );
    let prepared = 0;
    const token = await grantFirstToken(db, async () => {
      prepared += 1;
    });
    expect([typeof token, prepared]).toEqual(['string', 1]);
    expect(await db.query.selectFrom('tokens').select('hash').execute()).toEqual([{ hash: hashToken(token!) }]);
  });

  test.each([
    ['another process has the lock', (name: string) => `select pg_advisory_xact_lock(3853314, hashtext('${name}'))`],
    ['one of them takes long', () => 'lock table kysely_migration'],
  ])('are not ended by the limit for statements when %s', async (_, wait) => {
    const { url, name } = await schema();
    await (await openDatabase(url)).close();
    const admin = new Client(url);
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query('begin');
    await admin.query(wait(name));
    const options = `-c search_path=${name} -c statement_timeout=200 -c lock_timeout=200`;
    const opening = openDatabase(changed(url, {}, { options }), undefined, { statementTimeout: 200 });
    await sleep(2000);
    await admin.query('rollback');
    const db = await opening;
    onTestFinished(() => db.close());
    await expect(sql`select pg_sleep(60)`.execute(db.query)).rejects.toMatchObject({ fault: 'unavailable' });
  });

  test('are not needed again, and a role without the right to create tables can use what they made', async () => {
    const { url, name } = await schema();
    await (await openDatabase(url)).close();
    const role = `reader_${name}`;
    await onServer(
      server,
      `create role ${role} login; grant usage on schema ${name} to ${role};
      grant all on all tables in schema ${name} to ${role}; grant all on all sequences in schema ${name} to ${role}`,
    );
    onTestFinished(() => onServer(server, `drop owned by ${role}; drop role ${role}`));
    const db = await open(changed(url, { username: role }));
    expect(await grantFirstToken(db)).toMatch(/^shx_/);
  });

  test('need the right to create tables, which is said in one line', async () => {
    const { url, name } = await schema();
    const role = `nobody_${name}`;
    await onServer(server, `create role ${role} login; grant usage on schema ${name} to ${role}`);
    onTestFinished(() => onServer(server, `drop owned by ${role}; drop role ${role}`));
    expect(await refusal(changed(url, { username: role }))).toMatch(
      new RegExp(
        `cannot be brought up to date: permission denied for schema ${name}. Grant its role the right to create`,
      ),
    );
  });

  test('of a newer version are left alone', async () => {
    const { url } = await schema();
    const db = await open(url);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_more', '')`.execute(db.query);
    expect(await refusal(url)).toContain('written by a newer version');
  });
});

describe('the URL', () => {
  test('may choose the schema, the name of the application and further settings', async () => {
    const { url, name } = await schema();
    const parameters = { application_name: 'surveys', options: `-c search_path=${name} -c lock_timeout=4321` };
    const db = await open(changed(url, {}, parameters));
    const { rows } =
      await sql<object>`select current_schema() as schema, current_setting('application_name') as application,
      current_setting('lock_timeout') as timeout`.execute(db.query);
    expect(rows).toEqual([{ schema: name, application: 'surveys', timeout: '4321ms' }]);
  });

  test('may name several servers: the first one that can be reached is used', async () => {
    const { url } = await schema();
    const { host } = new URL(url);
    const db = await open(url.replace(host, `127.0.0.1:1,${host}`));
    await expect(db.ping()).resolves.toBeUndefined();
  });

  test('may leave out what the variables of libpq say', async () => {
    const { url } = await schema();
    const { hostname, port, username, password, pathname, search } = new URL(url);
    const variables = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password, PGDATABASE: pathname };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value.replace('/', ''));
    onTestFinished(() => void vi.unstubAllEnvs());
    const db = await open(`postgres://${search}`);
    const { rows } = await sql<object>`select current_user as user, current_database() as database`.execute(db.query);
    expect(rows).toEqual([{ user: username, database: pathname.slice(1) }]);
  });

  test('may ask for a server that takes writes', async () => {
    const { url } = await schema();
    const writable = changed(url, {}, { target_session_attrs: 'read-write' });
    await expect((await open(writable)).ping()).resolves.toBeUndefined();
    const { searchParams } = new URL(url);
    const options = `${searchParams.get('options')} -c default_transaction_read_only=on`;
    expect(await refusal(changed(writable, {}, { options }))).toContain('No server of the database takes writes');
    expect(await refusal(changed(url, {}, { target_session_attrs: 'standby' }))).toContain(
      'target_session_attrs must be',
    );
  });

  test.each([
    ['a server that nobody listens on', { port: '1', password: 'secret' }, {}, /ECONNREFUSED/],
    ['a database that does not exist', { pathname: '/nowhere' }, {}, /database "nowhere" does not exist/],
    ['a role that does not exist', { username: 'nobody', password: 'secret' }, {}, /role "nobody" does not exist/],
    [
      'a schema that does not exist',
      {},
      { options: '-c search_path=nowhere' },
      /no schema of its search path exists: nowhere/,
    ],
    [
      'a file that does not exist',
      {},
      { sslmode: 'verify-full', sslrootcert: '/nowhere.pem' },
      /no such file.*nowhere.pem/,
    ],
    [
      'a parameter that would be ignored',
      {},
      { connect_timeout: '5' },
      /the URL has a parameter that is not known; known are host,/,
    ],
    ['a mode of TLS that decides nothing', {}, { sslmode: 'prefer' }, /sslmode must be disable, require/],
    ['TLS that the server does not have', {}, { sslmode: 'require' }, /does not support SSL/],
  ])('is refused in one line, without its password, when it names %s', async (_, parts, parameters, reason) => {
    expect(await refusal(changed(server, parts, parameters))).toMatch(reason);
  });

  test.each([
    'postgres://',
    'postgres://service:secret@host:port/surveys',
    'postgres://service:secret@a b/surveys',
    // The question mark is not encoded.
    'postgres://service:1?secret@host/surveys',
    'postgres://service:secret@host/surveys?sslmode=require&sslmode=prefer',
  ])('is refused in one line, without its password, when it is %j', async (url) => {
    expect(await refusal(url)).toMatch(/^The database .* cannot be opened: /);
  });
});
