/** What handlers return, by statuses, headers and bodies: it is sent as it is, or refused with what is wrong with it. */
import { expect, test, vi } from 'vitest';
import { operation, response, serve } from '../support/small-contract.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const thing = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };

/** The response to a request whose handler returns this. */
async function respond(responses: object, reply: object, development = true) {
  const app = await serve({
    paths: operation(undefined, responses),
    handlers: { use: async () => reply },
    development,
  });
  return app.inject({ method: 'POST', url: '/things' });
}

/** What a response in development says is wrong with the reply. */
async function fault(responses: object, reply: object): Promise<string> {
  const { statusCode, json } = await respond(responses, reply);
  const { errors } = json();
  expect([statusCode, errors.length, errors[0].code]).toEqual([500, 1, 'internal_error']);
  return errors[0].message;
}

test('a status has its own declaration, that of its class, or the default one', async () => {
  const of = (name: string) => response(json({ type: 'object', required: [name], properties: { [name]: {} } }));
  const responses = { 201: of('exact'), '2XX': of('class'), default: of('other') };
  for (const [status, name] of [
    [201, 'exact'],
    [200, 'class'],
    [226, 'class'],
    [404, 'other'],
    [503, 'other'],
  ] as const) {
    const reply = { status, body: { [name]: 1 } };
    expect((await respond(responses, reply)).json()).toEqual({ [name]: 1 });
    expect(await fault(responses, { status, body: { wrong: 1 } })).toContain(`${name} is required`);
    const { statusCode, payload } = await respond(responses, { status, body: { [name]: 1, wrong: 1 } }, false);
    expect([statusCode, payload]).toEqual([status, `{"${name}":1}`]);
  }
});

test.each([204, 205, 304])('a response with the status %i has no body', async (status) => {
  for (const declared of [{ [status]: response() }, { default: response(json(thing)) }]) {
    const { statusCode, payload, headers } = await respond(declared, { status });
    expect([statusCode, payload, headers['content-type']]).toEqual([status, '', undefined]);
    expect(await fault(declared, { status, body: { name: 'x' } })).toContain('with a body that the contract');
  }
  await expect(respond({ [status]: response(json(thing)) }, { status })).rejects.toThrow(
    `use: response status ${status} with content`,
  );
});

test.each(['20X', '2xx', '600', '99', 'other', '100', '1XX'])('the start refuses the status %s', async (status) => {
  await expect(respond({ [status]: response() }, { status: 200 })).rejects.toThrow(`use: response status ${status}: `);
});

test('headers of any type are text in the style `simple`', async () => {
  const schemas = {
    'X-Text': { type: 'string' },
    'X-Count': { type: 'integer' },
    'X-Share': { type: 'number' },
    'X-Is-Last': { type: 'boolean' },
    'X-Ids': { type: 'array', items: { type: 'integer' } },
    'X-Range': { type: 'object', properties: { from: { type: 'integer' }, to: { type: 'integer' } } },
  };
  const declared = {
    ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, { schema }])),
    'X-Exploded': { explode: true, schema: schemas['X-Range'] },
    'X-Content': { content: { 'application/json': { schema: {} } } },
    'X-Left-Out': { schema: { type: 'integer' } },
  };
  const range = { from: 1, to: 9 };
  const headers = {
    'X-Text': 'a, b',
    'X-Count': 0,
    'X-Share': 0.5,
    'X-Is-Last': false,
    'X-Ids': [1, 2, 3],
    'X-Range': range,
    'X-Exploded': range,
    'X-Content': [null],
    'X-Left-Out': undefined,
  };
  for (const development of [true, false]) {
    const sent = await respond({ 204: response(undefined, declared) }, { status: 204, headers }, development);
    expect(sent.headers).toMatchObject({
      'x-text': 'a, b',
      'x-count': '0',
      'x-share': '0.5',
      'x-is-last': 'false',
      'x-ids': '1,2,3',
      'x-range': 'from,1,to,9',
      'x-exploded': 'from=1,to=9',
      'x-content': '[null]',
    });
    expect(sent.headers).not.toHaveProperty('x-left-out');
  }
});

test('in development a header that is missing or does not fit is named', async () => {
  const declared = {
    204: response(undefined, { 'X-Count': { required: true, schema: { type: 'integer', minimum: 1 } } }),
  };
  expect(await fault(declared, { status: 204 })).toBe(
    'use responded 204 without the header X-Count, which the contract requires.',
  );
  expect(await fault(declared, { status: 204, headers: { 'X-Count': '7' } })).toBe(
    'use responded 204 with a header that does not fit the contract: X-Count must be a whole number.',
  );
  expect((await respond(declared, { status: 204, headers: { 'x-count': 7 } })).headers['x-count']).toBe('7');
});

const page = {
  type: 'object',
  required: ['things'],
  properties: {
    things: { type: 'array', items: { ...thing, properties: { ...thing.properties, size: { type: 'integer' } } } },
  },
};

test.each<[string, unknown, string]>([
  [
    'a member of a wrong type',
    { things: [{ name: 'x' }, { name: 'y', size: 1.5 }] },
    'with a body that does not fit the contract: size must be a whole number (at /things/1/size).',
  ],
  [
    'a missing member',
    { things: [{}] },
    'with a body that does not fit the contract: name is required (at /things/0/name).',
  ],
  [
    'NaN',
    { things: [{ name: 'x', size: Number.NaN }] },
    'with a body that does not fit the contract: size must be a whole number (at /things/0/size).',
  ],
  [
    'an undeclared member',
    { things: [{ name: 'x', secret: 1 }] },
    'with what the contract does not declare: secret is not a member of things/0.',
  ],
  ['no body', undefined, 'without a body; the contract declares one.'],
])('in development the response says what is wrong: %s', async (_, body, message) => {
  expect(await fault({ 200: response(json(page)) }, { status: 200, body })).toContain(`use responded 200 ${message}`);
});

test('in development a status, a type or a body that is not declared is named', async () => {
  expect(await fault({ 200: response() }, { status: 404 })).toBe(
    'use responded 404 which the contract does not declare for it.',
  );
  expect(await fault({ 200: response() }, { status: 200, body: 1 })).toContain('with a body that the contract');
  const types = { 'text/csv': {}, 'text/plain': {} };
  expect(await fault({ 200: response(types) }, { status: 200, body: 'x' })).toContain('contentType');
  expect(await fault({ 200: response(types) }, { status: 200, contentType: 'text/html', body: 'x' })).toContain(
    'text/html',
  );
  expect(await fault({ 200: response(types) }, { status: 200, contentType: 'text/csv', body: 7 })).toContain('text');
});

test('in production a fault says nothing, and what is not declared is left out', async () => {
  const { statusCode, payload } = await respond(
    { 200: response(json(page)) },
    { status: 200, body: { things: [{ name: 'x', secret: 1 }], secret: 2 } },
    false,
  );
  expect([statusCode, payload]).toEqual([200, '{"things":[{"name":"x"}]}']);
  const refused = await respond({ 200: response() }, { status: 200, body: 1 }, false);
  expect([refused.statusCode, refused.json().errors[0].message]).toEqual([500, expect.stringContaining('went wrong')]);
});

test('recursive schemas are served in bodies and replies', async () => {
  const node = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
  };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } };
  const tree = (name: unknown, more: object = {}) => ({
    name: 'a',
    children: [{ name: 'b', children: [{ name, ...more }] }],
  });
  for (const development of [true, false]) {
    const app = await serve({
      paths: operation(content, { 200: response(content) }),
      components: { schemas: { Node: node } },
      handlers: {
        use: async ({ body }) => ({
          status: 200,
          body: body.children[0].children[0].name === 'leak' ? tree('x', { secret: 1 }) : body,
        }),
      },
      development,
    });
    const send = (payload: object) => app.inject({ method: 'POST', url: '/things', payload });
    expect((await send(tree('x'))).json()).toEqual(tree('x'));
    expect((await send(tree(1))).json().errors[0].source).toEqual({ pointer: '/children/0/children/0/name' });
    const leak = await send(tree('leak'));
    if (development) expect(leak.json().errors[0].message).toContain('secret is not a member');
    else expect(leak.json()).toEqual(tree('x'));
  }
});

test('no library prints what it thinks of a schema', async () => {
  const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', format: 'surely-unknown' }, b: { maxItems: 3, 'x-y': 1 } },
    if: { properties: { a: { const: 'x' } } },
    else: { maxProperties: 9 },
  };
  const { statusCode } = await respond({ 200: response(json(schema)) }, { status: 200, body: { a: 'x' } });
  expect([statusCode, printed.flatMap(({ mock }) => mock.calls)]).toEqual([200, []]);
  vi.restoreAllMocks();
});
