/** Who may do what: tokens, roles and scopes, and what is kept of a token. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Role, roles } from '../../src/api/caller.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { findUser, grantFirstToken, grantToken, listTokens, revokeToken, TokenError } from '../../src/users/store.ts';
import { isOpen, operations } from '../support/operations.ts';
import { problems, type TestResponse, testService } from '../support/service.ts';

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day);
type Send = Awaited<ReturnType<typeof testService>>['send'];

/** Stops the clock at a time until the running test is over. */
function setClock(time: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
  onTestFinished(() => void vi.useRealTimers());
}

const withHeader = (send: Send, authorization: string | undefined, url = '/api/v3/hxl') =>
  send('GET', url, undefined, { as: null, ...(authorization !== undefined && { headers: { authorization } }) });

/** A database in a file of its own. */
async function fileDatabase(): Promise<{ path: string; folder: string; open: () => Promise<Database> }> {
  const folder = mkdtempSync(join(tmpdir(), 'access-'));
  const path = join(folder, 'service.db');
  const open = async () => {
    const db = await openDatabase(`file:${path}`);
    onTestFinished(() => db.close());
    return db;
  };
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { path, folder, open };
}

describe('credentials', () => {
  test('that are missing, malformed, unknown, expired or revoked are refused alike', async () => {
    const { send, db, tokens } = await testService();
    const expired = await grantToken(db, 'amina', 'admin', new Date(Date.now() - 1));
    const revoked = await grantToken(db, 'amina', 'admin', null);
    await revokeToken(db, (await listTokens(db)).at(-1)!.id);
    const unknown = tokens.admin.slice(0, -2) + (tokens.admin.endsWith('00') ? '11' : '00');
    const sent: Record<string, string | undefined> = {
      missing: undefined,
      empty: '',
      'the scheme alone': 'Bearer',
      'the scheme and a space': 'Bearer ',
      'no scheme': tokens.admin,
      'another scheme': `Basic ${Buffer.from(`admin:${tokens.admin}`).toString('base64')}`,
      'a scheme like it': `Bearers ${tokens.admin}`,
      'a second word': `Bearer ${tokens.admin} ${tokens.admin}`,
      'a comma': `Bearer ${tokens.admin}, Bearer ${tokens.admin}`,
      quotes: `Bearer "${tokens.admin}"`,
      'odd characters': 'Bearer ü%00',
      'a very long one': `Bearer ${'x'.repeat(8000)}`,
      'a prefix': `Bearer ${tokens.admin.slice(0, -1)}`,
      unknown: `Bearer ${unknown}`,
      expired: `Bearer ${expired}`,
      revoked: `Bearer ${revoked}`,
      "a token's hash": `Bearer ${(await db.query.selectFrom('tokens').select('hash').executeTakeFirstOrThrow()).hash}`,
    };
    const told = ({ status, headers, json: { request_id, ...body } }: TestResponse) => {
      expect(request_id).toMatch(/\S/);
      return {
        status,
        challenge: headers['www-authenticate'],
        names: Object.keys(headers),
        length: headers['content-length'],
        body,
      };
    };
    const first = told(await withHeader(send, undefined));
    expect(first).toMatchObject({
      status: 401,
      challenge: 'Bearer',
      body: { errors: [{ status: 401, code: 'unauthorized', source: { header: 'authorization' } }] },
    });
    // Only whether there was a token makes a difference (RFC 6750, section 3.1).
    for (const [name, authorization] of Object.entries(sent)) {
      const challenge = /^Bearer +\S/.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer';
      expect({ name, ...told(await withHeader(send, authorization)) }).toEqual({ name, ...first, challenge });
    }
  });

  test('are the same in every spelling of the scheme', async () => {
    const { send, tokens } = await testService();
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
      expect([scheme, (await withHeader(send, `${scheme} ${tokens.user}`)).status]).toEqual([scheme, 200]);
    }
  });

  test('work until they expire, and not at that moment', async () => {
    const { send, db } = await testService();
    expect((await withHeader(send, `Bearer ${await grantToken(db, 'amina', 'user', inDays(1))}`)).status).toBe(200);
    const short = await grantToken(db, 'amina', 'user', new Date(Date.now() + 150));
    expect((await withHeader(send, `Bearer ${short}`)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 160));
    expect((await withHeader(send, `Bearer ${short}`)).status).toBe(401);
  });

  test('that are revoked stop working at once, and no others', async () => {
    const { send, db } = await testService();
    const [first, second] = [await grantToken(db, 'amina', 'user', null), await grantToken(db, 'amina', 'user', null)];
    const status = async (token: string) => (await withHeader(send, `Bearer ${token}`)).status;
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    expect(await revokeToken(db, (await listTokens(db)).at(-2)!.id)).toBe(true);
    expect([await status(first), await status(second)]).toEqual([401, 200]);
  });

  test('revoking keeps the first time, and says when there is nothing to revoke', async () => {
    const { db } = await testService();
    expect(await revokeToken(db, 1)).toBe(true);
    const revoked = async () =>
      (await db.query.selectFrom('tokens').select('revoked').where('id', '=', 1).executeTakeFirstOrThrow()).revoked;
    const first = await revoked();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await revokeToken(db, 1)).toBe(true);
    expect(await revoked()).toBe(first);
    expect(await revokeToken(db, 99)).toBe(false);
  });

  test('are asked for on every operation, and on nothing else', async () => {
    const { send } = await testService({ NODE_ENV: 'development' });
    for (const operation of operations.filter((one) => !isOpen(one))) {
      const { operationId, method, path } = operation;
      const response = await send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), undefined, { as: null });
      const { status, headers } = response;
      expect([operationId, status, headers['www-authenticate']]).toEqual([operationId, 401, 'Bearer']);
    }
    for (const path of ['/', '/docs', '/openapi.json', '/openapi.yaml', '/health/live', '/health/ready']) {
      expect([path, (await send('GET', path, undefined, { as: null })).status]).toEqual([
        path,
        path === '/' ? 302 : 200,
      ]);
    }
  });

  test('in a query or a cookie are not looked at', async () => {
    const { send, tokens } = await testService();
    expect((await withHeader(send, undefined, `/api/v3/hxl?access_token=${tokens.admin}`)).status).toBe(401);
    expect(
      (await send('GET', '/api/v3/hxl', undefined, { as: null, cookies: { access_token: tokens.admin } })).status,
    ).toBe(401);
  });

  test('that have expired stay so when the clock is set back, and the others do not expire', async () => {
    const { send, db, tokens } = await testService();
    const begin = Date.now();
    const token = await grantToken(db, 'amina', 'user', new Date(begin + 60_000));
    const statuses = async () => [
      (await withHeader(send, `Bearer ${token}`)).status,
      (await withHeader(send, `Bearer ${token}`, '/api/v5/surveys')).status,
      (await withHeader(send, `Bearer ${tokens.user}`)).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    setClock(begin + 60_000);
    expect((await withHeader(send, `Bearer ${token}`)).status).toBe(401);
    setClock(begin - 3_600_000);
    expect(await statuses()).toEqual([401, 401, 200]);
  });
});

describe('roles', () => {
  /** What design.md says. */
  const scopes: Record<Role, string[]> = {
    admin: ['surveys:read', 'surveys:write', 'surveys:delete', 'hxl:read', 'hxl:write', 'users:manage'],
    manager: ['surveys:read', 'surveys:write', 'surveys:delete', 'hxl:read', 'hxl:write'],
    user: ['surveys:read', 'hxl:read'],
  };
  const secured = operations.map((operation) => ({
    operationId: operation.operationId,
    method: operation.method.toUpperCase(),
    url: operation.path.replaceAll(/\{\w+\}/g, '77'),
    needed: isOpen(operation) ? undefined : operation.security![0]!.bearer![0],
  }));

  test('are the three of the design', () => {
    expect(roles.toSorted()).toEqual(Object.keys(scopes).sort());
    expect(secured.length).toBeGreaterThan(13);
  });

  test.each(roles)('%s may do what the security lines of the contract say', async (as) => {
    const { send } = await testService();
    for (const { operationId, method, url, needed } of secured) {
      const response = await send(method, url, undefined, { as });
      if (needed === undefined || scopes[as].includes(needed)) {
        expect([operationId, [401, 403].includes(response.status)]).toEqual([operationId, false]);
      } else {
        expect([operationId, response.status, problems(response)]).toEqual([operationId, 403, ['insufficient_scope']]);
        expect(response.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${needed}"`);
        expect(response.json.errors[0].message).toContain(needed);
      }
    }
  });

  test.each([
    ['listSurveys', 'surveys:read'],
    ['getSurvey', 'surveys:read'],
    ['createSurvey', 'surveys:write'],
    ['updateSurvey', 'surveys:write'],
    ['deleteSurvey', 'surveys:delete'],
    ['listHxlTagNames', 'hxl:read'],
    ['listHxlOrganisations', 'hxl:read'],
    ['createHxlMetadata', 'hxl:write'],
    ['getUser', undefined],
  ])('%s needs %s', (operationId, needed) => {
    expect(secured.find((operation) => operation.operationId === operationId)?.needed).toBe(needed);
  });
});

describe('users', () => {
  const user = (id: number, name: string) => ({
    id,
    url: `http://service.test/api/v3/users/${id}`,
    name,
    role: name,
    allowed_privileges: ['read'],
  });
  const record = {
    dataset_title: 'Wells',
    source: 'Teams',
    organisation_id: 'x',
    organisation_name: 'X',
    license_id: 1,
  };

  test('are shown to themselves and to those who manage users', async () => {
    const { send } = await testService();
    for (const [at, as] of (['admin', 'manager', 'user'] as const).entries()) {
      const { status, json } = await send('GET', `/api/v3/users/${at + 1}`, undefined, { as });
      expect([status, json]).toEqual([200, user(at + 1, as)]);
      const managed = await send('GET', `/api/v3/users/${at + 1}`);
      expect([managed.status, managed.json]).toEqual([200, user(at + 1, as)]);
    }
  });

  test('are hidden from others until a metadata record shows them, as if they did not exist', async () => {
    const { send } = await testService();
    const read = (as: 'manager' | 'user', id: number) => send('GET', `/api/v3/users/${id}`, undefined, { as });
    const expectHidden = async (as: 'manager' | 'user', id: number) => {
      const [hidden, absent] = [await read(as, id), await read(as, 99)];
      const errors = JSON.stringify(absent.json.errors).replace('99', `${id}`);
      expect([hidden.status, hidden.json.errors]).toEqual([404, JSON.parse(errors)]);
    };
    await expectHidden('user', 1);
    await expectHidden('user', 2);
    await expectHidden('manager', 3);
    await send('POST', '/api/v3/hxl/metadata', { ...record, private: true }, { as: 'manager' });
    await expectHidden('user', 2);
    await send('POST', '/api/v3/hxl/metadata', { ...record, private: false }, { as: 'manager' });
    const shown = await read('user', 2);
    expect([shown.status, shown.json]).toEqual([200, user(2, 'manager')]);
    await expectHidden('user', 1);
    await send('POST', '/api/v3/hxl/metadata', { ...record, private: true, user_id: 3 });
    await expectHidden('manager', 3);
    expect((await read('user', 3)).status).toBe(200);
  });

  test('of every metadata record that a caller sees can be read by that caller', async () => {
    const { send } = await testService();
    for (const [as, isPrivate, owner] of [
      ['admin', false, 1],
      ['admin', true, 2],
      ['manager', false, 2],
      ['admin', false, 3],
    ] as const)
      await send('POST', '/api/v3/hxl/metadata', { ...record, private: isPrivate, user_id: owner }, { as });
    for (const as of ['admin', 'manager', 'user'] as const) {
      const { json } = await send('GET', '/api/v3/hxl/metadata', undefined, { as });
      for (const { user } of json.results) {
        const response = await send('GET', user.url.replace('http://service.test', ''), undefined, { as });
        expect([as, user.id, response.status]).toEqual([as, user.id, 200]);
      }
    }
  });

  test('that do not exist are not found', async () => {
    const { send } = await testService();
    const missing = await send('GET', '/api/v3/users/99');
    expect([missing.status, problems(missing)]).toEqual([404, ['not_found']]);
    for (const id of ['0', 'me', '1.0', '9007199254740992', "1'"]) {
      const wrong = await send('GET', `/api/v3/users/${id}`);
      expect([id, wrong.status, problems(wrong)]).toEqual([id, 400, ['invalid_parameter id']]);
    }
  });

  test('keep their role, whatever is asked for with a further token', async () => {
    const { db, send } = await testService();
    await expect(grantToken(db, 'user', 'admin', null)).rejects.toThrow(TokenError);
    expect(await findUser(db, 3)).toEqual({ id: 3, name: 'user', role: 'user' });
    const again = await grantToken(db, 'user', 'user', null);
    expect(
      (await send('POST', '/api/v5/surveys', {}, { as: null, headers: { authorization: `Bearer ${again}` } })).status,
    ).toBe(403);
    expect((await listTokens(db)).filter(({ user }) => user === 'user').map(({ role }) => role)).toEqual([
      'user',
      'user',
    ]);
  });
});

describe('tokens', () => {
  test('are long, different each time, and safe in a header and a URL', async () => {
    const { db } = await testService();
    const granted = [];
    for (let count = 0; count < 50; count += 1) granted.push(await grantToken(db, 'amina', 'user', null));
    expect(new Set(granted).size).toBe(50);
    for (const token of granted) {
      expect(token).toMatch(/^shx_[\w-]{43}$/);
      expect(Buffer.from(token.slice(4), 'base64url').length).toBe(32);
    }
  });

  test('are nowhere in the database file, only their SHA-256', async () => {
    const { folder, open } = await fileDatabase();
    const db = await open();
    const token = await grantToken(db, 'amina', 'user', null);
    const stored = Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))));
    expect(stored.includes(createHash('sha256').update(token).digest('hex'))).toBe(true);
    for (const part of [token, token.slice(4), token.slice(4, 20), Buffer.from(token).toString('base64').slice(0, 30)])
      expect(stored.includes(part)).toBe(false);
    expect(stored.includes(Buffer.from(token.slice(4), 'base64url'))).toBe(false);
    expect(JSON.stringify(await listTokens(db))).not.toContain(token.slice(4, 12));
  });

  test('are listed with user, role and state', async () => {
    const { db } = await testService();
    await grantToken(db, 'amina', 'user', inDays(-1));
    await grantToken(db, 'amina', 'user', inDays(1));
    await revokeToken(db, 2);
    expect((await listTokens(db)).map(({ id, user, role, state }) => [id, user, role, state])).toEqual([
      [1, 'admin', 'admin', 'active'],
      [2, 'manager', 'manager', 'revoked'],
      [3, 'user', 'user', 'active'],
      [4, 'amina', 'user', 'expired'],
      [5, 'amina', 'user', 'active'],
    ]);
  });

  test('come first to the administrator of an empty database, and only once', async () => {
    const db = await (await fileDatabase()).open();
    expect(await grantFirstToken(db)).toMatch(/^shx_/);
    expect(await grantFirstToken(db)).toBeUndefined();
    expect(await findUser(db, 1)).toEqual({ id: 1, name: 'admin', role: 'admin' });
  });

  test('do not come by themselves where there is a user', async () => {
    const db = await (await fileDatabase()).open();
    await grantToken(db, 'amina', 'user', inDays(-1));
    expect(await grantFirstToken(db)).toBeUndefined();
    expect((await listTokens(db)).length).toBe(1);
  });

  test('come only once, with one schema, when four processes start on the same empty databases at once', async () => {
    const databases = await Promise.all(Array.from({ length: 24 }, fileDatabase));
    // All wait for the same moment before each step.
    const script = `
      import { openDatabase } from ${JSON.stringify(import.meta.resolve('../../src/database/database.ts'))};
      import { grantFirstToken } from ${JSON.stringify(import.meta.resolve('../../src/users/store.ts'))};
      const [start, ...paths] = process.argv.slice(1);
      let moment = Number(start);
      const next = () => { while (Date.now() < moment); moment += 40; };
      const opened = [];
      for (const path of paths) { next(); opened.push(await openDatabase('file:' + path)); }
      for (const db of opened) { next(); console.log(await grantFirstToken(db) ?? ''); }`;
    const start = String(Date.now() + 1000);
    const ask = () =>
      new Promise<string[]>((resolve, reject) =>
        execFile(
          process.execPath,
          ['--input-type=module', '-e', script, start, ...databases.map(({ path }) => path)],
          (error, stdout) => (error ? reject(error) : resolve(stdout.trimEnd().split('\n'))),
        ),
      );
    const granted = (await Promise.all([ask(), ask(), ask(), ask()])).flat().filter((token) => token !== '');
    expect(granted.length).toBe(24);
    expect(new Set(granted).size).toBe(24);
    for (const { open } of databases)
      expect((await listTokens(await open())).map(({ user }) => user)).toEqual(['admin']);
  });
});
