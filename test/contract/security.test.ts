/** Security requirements of a contract: whose credentials are taken from where, and what a 401 and a 403 ask for. */
import { describe, expect, test } from 'vitest';
import type { Authenticator, Identity } from '../../src/contract/authorization.ts';
import type { BasicCredentials } from '../../src/contract/security-schemes.ts';
import { document, echoService, refusalOf } from '../support/echo-service.ts';

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'Basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  oauth: { type: 'oauth2', flows: {} },
  openid: { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' },
};

/** Credentials are the name of a caller, who has the scopes behind the slash: `ann/read~write`. Nobody knows `mallory`. */
function callerOf(credentials: string): Identity | undefined {
  const [name = '', scopes = ''] = credentials.split('/');
  if (name === 'mallory') return undefined;
  return { id: name, role: 'any', scopes: new Set(scopes.split('~')), expires: name === 'late' ? 1 : Infinity };
}

const byText: Authenticator<Identity> = { digest: (text) => text, identify: async (text) => callerOf(text) };
const byPassword: Authenticator<Identity, BasicCredentials> = {
  digest: ({ username, password }) => `${username}/${password}`,
  identify: async (_digest, { username, password }) => (password === 'pä:ss' ? callerOf(username) : undefined),
};
const authenticators = {
  ...Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, byText])),
  login: byPassword,
};

async function service(...security: object[]) {
  const { send } = await echoService(
    document({ '/things': { get: { security } } }, { components: { securitySchemes }, security: [{ token: [] }] }),
    { authenticators },
  );
  return async (headers: Record<string, string> = {}, url = '/things') => {
    const { status, json, problems, headers: sent } = await send({ url, headers });
    return status === 200 ? json.caller : { status, challenge: sent['www-authenticate'], problem: problems[0] };
  };
}

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

test.each(['token', 'oauth', 'openid'])('%s is a bearer token', async (name) => {
  const get = await service({ [name]: [] });
  expect(await get(bearer('ann'))).toBe('ann');
  expect(await get({ authorization: 'bearer ann' })).toBe('ann');
  expect(await get()).toEqual({
    status: 401,
    challenge: 'Bearer',
    problem: {
      code: 'unauthorized',
      message: "Send a valid access token in the header 'Authorization: Bearer <ACCESS_TOKEN>'.",
      source: { header: 'authorization' },
    },
  });
  for (const text of ['mallory', 'late', 'a b', '"ann"'])
    expect(await get(bearer(text))).toMatchObject({ status: 401, challenge: 'Bearer error="invalid_token"' });
  expect(await get(basic('ann:pä:ss'))).toMatchObject({ challenge: 'Bearer' });
});

test.each([
  [[{ token: [] }], 'authorization'],
  [[{ header: [] }], 'x-key'],
  [[{ cookie: [] }], 'cookie'],
  [[{ header: [], cookie: [] }, { login: [] }, { token: [] }], 'x-key, cookie, authorization'],
  [[{ query: [] }], undefined],
  [[], undefined],
])('a response that caches may hold varies by the headers of the credentials: %j', async (security, vary) => {
  const schema = { type: 'string' };
  const content = { 'application/json': { schema: {} } };
  const responses = { '2XX': { description: '', headers: { ETag: { schema } }, content } };
  const { send } = await echoService(
    document({ '/things': { get: { security, responses } } }, { components: { securitySchemes } }),
    { authenticators },
  );
  const { headers } = await send({
    url: '/things?key=ann',
    headers: { 'x-key': 'ann', cookie: 'sid=ann', ...bearer('ann') },
  });
  expect(headers).toMatchObject({ etag: expect.stringMatching(/^".+"$/), 'cache-control': 'private, no-cache' });
  expect(headers.vary).toBe(vary);
});

test('two schemes that read the same header have authenticators of their own', async () => {
  const nobody: Authenticator<Identity> = { ...byText, identify: async () => undefined };
  const { send } = await echoService(
    document({ '/things': { get: { security: [{ token: [] }, { oauth: [] }] } } }, { components: { securitySchemes } }),
    { authenticators: { token: nobody, oauth: byText } },
  );
  expect((await send({ url: '/things', headers: bearer('ann') })).json).toMatchObject({ caller: 'ann' });
});

test('basic credentials are a name and a password, which may have colons', async () => {
  const get = await service({ login: [] });
  expect(await get(basic('ann:pä:ss'))).toBe('ann');
  for (const headers of [{}, basic('ann:wrong'), basic('ann'), { authorization: 'Basic ???' }, bearer('ann')])
    expect(await get(headers)).toMatchObject({
      status: 401,
      challenge: 'Basic realm="Things", charset="UTF-8"',
      problem: { source: { header: 'authorization' } },
    });
});

describe('a key', () => {
  test.each([
    ['header', { 'x-key': 'ann' }, '/things', { header: 'x-key' }, 'ApiKey in="header", name="X-Key"'],
    ['query', {}, '/things?key=ann', { parameter: 'key' }, 'ApiKey in="query", name="key"'],
    ['cookie', { cookie: 'a=b; sid=ann' }, '/things', { header: 'cookie' }, 'ApiKey in="cookie", name="sid"'],
  ])('is read from the %s', async (name, headers, url, source, challenge) => {
    const get = await service({ [name]: [] });
    expect(await get(headers as Record<string, string>, url)).toBe('ann');
    expect(await get()).toMatchObject({ status: 401, challenge, problem: { source } });
    expect(await get({ 'x-key': 'mallory', cookie: 'sid=mallory' }, '/things?key=mallory')).toMatchObject({
      status: 401,
    });
    expect(await get({ 'x-key': '', cookie: 'sid=' }, '/things?key=')).toMatchObject({ status: 401 });
  });

  test('that is given twice in a query is none', async () => {
    const get = await service({ query: [] });
    expect(await get({}, '/things?key=ann&key=bob')).toMatchObject({ status: 401 });
  });
});

test('of alternatives the first that holds counts, and all of them are asked for', async () => {
  const get = await service({ token: [] }, { header: [] }, { login: [] });
  expect(await get(bearer('ann'))).toBe('ann');
  expect(await get({ 'x-key': 'bob' })).toBe('bob');
  expect(await get({ 'x-key': 'bob', ...bearer('ann') })).toBe('ann');
  expect(await get({ 'x-key': 'bob', ...bearer('mallory') })).toBe('bob');
  expect(await get()).toMatchObject({
    status: 401,
    challenge: ['Bearer', 'ApiKey in="header", name="X-Key"', 'Basic realm="Things", charset="UTF-8"'],
    problem: {
      message:
        "Send a valid access token in the header 'Authorization: Bearer <ACCESS_TOKEN>', or a valid key in the header 'X-Key', " +
        "or a valid user name and password in the header 'Authorization: Basic <CREDENTIALS>'.",
    },
  });
  expect(await get(bearer('mallory'))).toMatchObject({
    challenge: ['Bearer error="invalid_token"', expect.anything(), expect.anything()],
  });
});

test('of a combination everything has to hold, and the first scheme says who calls', async () => {
  const get = await service({ header: [], token: [] });
  expect(await get({ 'x-key': 'app', ...bearer('ann') })).toBe('app');
  expect(await get(bearer('ann'))).toMatchObject({
    status: 401,
    challenge: ['ApiKey in="header", name="X-Key"', 'Bearer'],
    problem: { message: expect.stringContaining("'X-Key' and a valid access token") },
  });
  expect(await get({ 'x-key': 'app' })).toMatchObject({ status: 401 });
  expect(await get({ 'x-key': 'app', ...bearer('mallory') })).toMatchObject({
    challenge: ['ApiKey in="header", name="X-Key"', 'Bearer error="invalid_token"'],
  });
});

test('optional credentials may be missing, but not wrong', async () => {
  for (const security of [
    [{}, { token: [] }],
    [{ token: [] }, {}],
  ]) {
    const get = await service(...security);
    expect(await get()).toBeNull();
    expect(await get(basic('ann:pä:ss'))).toBeNull();
    expect(await get(bearer('ann'))).toBe('ann');
    expect(await get(bearer('mallory'))).toMatchObject({ status: 401, challenge: 'Bearer error="invalid_token"' });
  }
});

test('an operation that asks for nothing, though others do, looks at nothing', async () => {
  const get = await service();
  expect(await get(bearer('mallory'))).toBeNull();
});

test('scopes belong to the credentials of their scheme', async () => {
  const get = await service({ token: ['read', 'write'] });
  expect(await get(bearer('ann/read~write'))).toBe('ann');
  expect(await get(bearer('ann/read'))).toMatchObject({ status: 403 });
  const both = await service({ query: ['read'] }, { oauth: ['read', 'write'] });
  expect(await both({}, '/things?key=ann/read')).toBe('ann');
  expect(await both({}, '/things?key=ann')).toEqual({
    status: 403,
    challenge: undefined,
    problem: {
      code: 'insufficient_scope',
      message: 'This operation needs the scope read, which this key does not have.',
    },
  });
  expect(await both(bearer('ann'), '/things?key=ann/read')).toBe('ann');
  expect(await both(bearer('ann'))).toEqual({
    status: 403,
    challenge: 'Bearer error="insufficient_scope", scope="read write"',
    problem: {
      code: 'insufficient_scope',
      message: 'This operation needs the scope read write, which this access token does not have.',
    },
  });
});

test('a request without valid credentials is refused before its body is read', async () => {
  const body = { content: { 'application/json': { schema: {} } } };
  const { send } = await echoService(
    document(
      { '/things': { post: { security: [{ query: [] }], requestBody: body } } },
      { components: { securitySchemes } },
    ),
    { authenticators },
  );
  const headers = { 'content-type': 'application/json' };
  expect((await send({ method: 'POST', url: '/things', payload: '{', headers })).status).toBe(401);
  expect((await send({ method: 'POST', url: '/things?key=ann', payload: '{', headers })).status).toBe(400);
});

test('what cannot be checked stops the start', async () => {
  const withSecurity = (name: string, scheme?: object) =>
    document(
      { '/things': { get: { operationId: 'getThings', security: [{ [name]: [] }] } } },
      { components: { securitySchemes: { ...securitySchemes, ...(scheme && { [name]: scheme }) } } },
    );
  expect(await refusalOf(withSecurity('nothing'), authenticators)).toEqual([
    'getThings: unknown security scheme nothing: it is not declared in components/securitySchemes (#/paths/~1things/get)',
  ]);
  expect(await refusalOf(withSecurity('token'), {})).toEqual([
    'getThings: missing authenticator token: the application has nothing that authenticates this scheme (#/paths/~1things/get)',
  ]);
  for (const scheme of [
    { type: 'http', scheme: 'digest' },
    { type: 'mutualTLS' },
    { type: 'apiKey', in: 'body', name: 'x' },
  ])
    expect(await refusalOf(withSecurity('odd', scheme), { odd: byText })).toEqual([
      expect.stringMatching(/^getThings: security scheme odd, .*\(#\/components\/securitySchemes\/odd\)$/),
    ]);
});
