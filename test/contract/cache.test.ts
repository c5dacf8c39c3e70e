/** What is kept in memory is bounded, never out of date, and never somebody else's. */
import sensible from '@fastify/sensible';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Cache } from '../../src/contract/cache.ts';
import { contract } from '../../src/contract/plugin.ts';
import type { Sharing } from '../../src/contract/response-cache.ts';
import { testService } from '../support/service.ts';

/** A cache, and the version of the data that it belongs to. */
function cacheOf(maxBytes: number) {
  const version = { current: 1, reference: 1 };
  const cache = new Cache(maxBytes, { current: () => version.current, reference: () => version.reference });
  cache.synchronize();
  /** Offers a value twice, since one that comes only once is not kept. */
  const keep = (key: string, value: unknown, bytes = 0) => {
    for (const offer of [cache.offering('current', key), cache.offering('current', key)]) offer(value, bytes);
  };
  return { cache, version, keep };
}

describe('the cache', () => {
  test('keeps a value that is offered for the second time', () => {
    const { cache } = cacheOf(2 ** 20);
    cache.offering('current', 'key')('first', 0);
    expect(cache.get('current', 'key')).toBeUndefined();
    cache.offering('current', 'key')('second', 0);
    expect(cache.get('current', 'key')).toBe('second');
  });

  test('drops what is out of date: all when anything changes, reference data when that changes', () => {
    const { cache, version, keep } = cacheOf(2 ** 20);
    keep('key', 'value');
    for (const offer of [cache.offering('reference', 'key'), cache.offering('reference', 'key')]) offer('tags', 0);
    version.current += 1;
    cache.synchronize();
    expect([cache.get('current', 'key'), cache.get('reference', 'key')]).toEqual([undefined, 'tags']);
    version.current += 1;
    version.reference += 1;
    cache.synchronize();
    expect(cache.get('reference', 'key')).toBeUndefined();
  });

  test('does not keep what was read while the data changed', () => {
    const { cache, version, keep } = cacheOf(2 ** 20);
    keep('key', 'old');
    const late = [cache.offering('current', 'other'), cache.offering('current', 'other')];
    version.current += 1;
    cache.synchronize();
    for (const offer of late) offer('old', 0);
    expect(cache.get('current', 'other')).toBeUndefined();
  });

  test('does not keep what was read in a version that was left and came back', () => {
    const { cache, version } = cacheOf(2 ** 20);
    const late = [cache.offering('current', 'key'), cache.offering('current', 'key')];
    for (const current of [2, 1]) {
      version.current = current;
      cache.synchronize();
    }
    for (const offer of late) offer('old', 0);
    expect(cache.get('current', 'key')).toBeUndefined();
  });

  test('is used from when a request has read the version, where it is not known before', () => {
    const cache = new Cache(2 ** 20, { current: () => undefined, reference: () => undefined });
    expect([cache.synchronize(), cache.setVersion(null), cache.setVersion(undefined)]).toEqual([false, false, false]);
    expect(cache.setVersion(1)).toBe(true);
    const offers = [cache.offering('reference', 'key'), cache.offering('reference', 'key')];
    for (const offer of offers) offer('value', 0);
    cache.setVersion(1);
    expect(cache.get('reference', 'key')).toBe('value');
    cache.setVersion(2);
    expect(cache.get('reference', 'key')).toBeUndefined();
  });

  test('never takes more memory than it may: the oldest values go, large values and long keys are not kept', () => {
    const { cache, keep } = cacheOf(2 ** 21);
    for (let at = 0; at < 100; at += 1) keep(`key ${at}`, at, 2 ** 15);
    const kept = Array.from({ length: 100 }, (_, at) => cache.get('current', `key ${at}`)).filter(Number.isInteger);
    expect(kept).toEqual(Array.from({ length: 31 }, (_, at) => at + 69));
    keep('large', 'value', 2 ** 18 + 1);
    keep('long'.repeat(1000), 'value');
    expect([cache.get('current', 'large'), cache.get('current', 'long'.repeat(1000))]).toEqual([undefined, undefined]);
  });

  test('keeps nothing when it may take no memory', () => {
    const { cache, keep } = cacheOf(0);
    keep('key', 'value');
    expect(cache.get('current', 'key')).toBeUndefined();
  });
});

/** Serves GET /greeting, which greets whoever `greets` makes of the caller, and counts how often it was performed. */
async function greeter(
  sharing: Sharing | undefined,
  greets: 'id' | 'role' | 'all' | 'link' | 'scopes',
  development = false,
) {
  const app = fastify({ logger: { level: 'silent' } });
  onTestFinished(() => app.close());
  await app.register(sensible);
  let performed = 0;
  const schema = { type: 'object', properties: { hello: { type: 'string' } } };
  await app.register(
    contract({
      document: {
        openapi: '3.1.0',
        info: { title: 'Test', version: '1' },
        paths: {
          '/greeting': {
            get: {
              operationId: 'getGreeting',
              parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
              responses: { 200: { description: 'Hello.', content: { 'application/json': { schema } } } },
              security: [{ key: [] }],
            },
          },
        },
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } } },
      },
      handlers: {
        getGreeting: async (
          _: object,
          context: { id: string; role: string; scopes: Set<string>; address: () => string },
        ) => {
          performed += 1;
          const { id, role, scopes, address } = context;
          const greetings = { id, role, scopes: [...scopes].join(), all: 'all' };
          return { status: 200, body: { hello: greets === 'link' ? address() : greetings[greets] } };
        },
      } as never,
      authenticators: {
        key: {
          digest: (id) => id,
          identify: async (sent) => {
            const [id = '', ...scopes] = sent.split('/');
            return { id, role: id.slice(0, 1), scopes: new Set(scopes) };
          },
        },
      },
      context: (_, identity, address) => ({ ...identity!, address }),
      address: ({ host }) => `http://${host}`,
      sendRefusal: (reply, status) => reply.code(status).send(),
      responseCache: {
        cache: new Cache(2 ** 20, { current: () => 1, reference: () => 1 }),
        sharing: sharing === undefined ? {} : { getGreeting: sharing },
      },
      development,
    }),
  );
  const get = async (authorization: string, url = '/greeting', host = 'here') =>
    app.inject({ url, headers: { authorization, host } });
  const hello = async (...call: Parameters<typeof get>) => (await get(...call)).json().hello;
  return { get, hello, performed: () => performed };
}

describe('responses', () => {
  const callers = ['a1', 'a2', 'b1'];

  test.each([
    [undefined, 'id', ['a1', 'a2', 'b1']],
    ['caller', 'id', ['a1', 'a2', 'b1']],
    ['role', 'role', ['a', 'a', 'b']],
    ['everyone', 'all', ['all', 'all', 'all']],
    ['reference', 'all', ['all', 'all', 'all']],
  ] as const)('shared by %s are right for each caller, and made only twice', async (sharing, greets, expected) => {
    const { hello, performed } = await greeter(sharing, greets);
    for (let round = 0; round < 4; round += 1) {
      for (const [at, caller] of callers.entries()) expect(await hello(caller)).toBe(expected[at]);
    }
    expect(performed()).toBe(2 * new Set(expected).size);
  });

  test('differ by the scopes of credentials, though they are of the same caller', async () => {
    const { hello } = await greeter(undefined, 'scopes');
    for (let round = 0; round < 4; round += 1)
      for (const scopes of ['read', 'write']) expect(await hello(`a/${scopes}`)).toBe(scopes);
  });

  test('differ by caller and by parameter, however alike these look', async () => {
    const { hello, performed } = await greeter(undefined, 'id');
    const calls: Parameters<typeof hello>[] = [
      ['a', '/greeting'],
      ['a', '/greeting?q='],
      ['a', '/greeting?q=undefined'],
      ['a', '/greeting?q=%22'],
      ['a,here', '/greeting'],
    ];
    for (const call of [...calls, ...calls]) await hello(...call);
    expect(performed()).toBe(2 * calls.length);
  });

  test('without links are the same for all addresses', async () => {
    const { hello, performed } = await greeter(undefined, 'id');
    for (let at = 0; at < 10; at += 1) await hello('a', '/greeting', `host${at}`);
    expect(performed()).toBe(2);
  });

  test('with links are right for each address', async () => {
    const { hello, performed } = await greeter(undefined, 'link');
    for (let round = 0; round < 5; round += 1) {
      for (const host of ['here', 'there']) expect(await hello('a', '/greeting', host)).toBe(`http://${host}`);
    }
    expect(performed()).toBeLessThan(10);
  });

  test('that are shared by too many are found in development, by whoever gets another one', async () => {
    const { get, hello } = await greeter('everyone', 'id', true);
    for (let round = 0; round < 3; round += 1) expect(await hello('a1')).toBe('a1');
    const response = await get('a2');
    expect(response.statusCode).toBe(500);
    expect(response.json().message).toBe(
      'getGreeting is cached (shared by: everyone), but caller a2 gets another response than the cached one. ' +
        'Correct its sharing.',
    );
  });
});

test.each(['test', 'production'])('in %s no caller gets what only another one may see', async (NODE_ENV) => {
  const { send } = await testService({ NODE_ENV });
  await send('POST', '/api/v5/surveys', {
    name: 'Open',
    tasks: [{ label: 'Inner', task_is_internal_only: true }],
  });
  await send('POST', '/api/v5/surveys', { name: 'Closed', disabled: true });
  const record = {
    dataset_title: 'Wells',
    source: 'Teams',
    organisation_id: 'x',
    organisation_name: 'X',
    license_id: 1,
  };
  await send('POST', '/api/v3/hxl/metadata', { ...record, private: true }, { as: 'manager' });
  const urls = [
    '/api/v5/surveys/1',
    '/api/v5/surveys/2',
    '/api/v5/surveys?limit=5',
    '/api/v3/hxl/metadata?limit=5',
    '/api/v3/hxl/organisations?limit=5',
  ];
  const roles = ['admin', 'manager', 'admin', 'user', 'manager', 'user', 'admin', 'manager', 'user', 'user'] as const;
  for (const url of urls) {
    const alone = await send('GET', url, undefined, { as: 'user' });
    for (const as of roles) {
      const response = await send('GET', url, undefined, { as });
      if (as === 'user') expect({ ...response.json, request_id: '' }).toEqual({ ...alone.json, request_id: '' });
      else expect(response.text).not.toBe(alone.text);
    }
  }
});

test('a token that expires is refused from that moment on, though its owner is kept in memory', async () => {
  const { db, send } = await testService();
  const { grantToken } = await import('../../src/users/store.ts');
  const token = await grantToken(db, 'brief', 'user', new Date(Date.now() + 400));
  const status = async () =>
    (await send('GET', '/api/v3/hxl', undefined, { as: null, headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
  await expect.poll(status, { timeout: 5000 }).toBe(401);
});
