/** Bodies and replies of each media type, by small contracts of their own. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { operation, refusal, response, serve } from '../support/small-contract.ts';

const thing = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', maxLength: 9 }, size: { type: 'integer' } },
};
const text = { type: 'string' };
const binary = { type: 'string', format: 'binary' };

/** Serves one operation that takes these contents and returns, as JSON, what it got. */
async function taking(content: object, bodyLimit?: number) {
  const app = await serve({
    paths: operation(content, { 200: response({ 'application/json': {} }) }),
    handlers: { use: async ({ body, contentType }) => ({ status: 200, body: { got: body, contentType } }) },
    ...(bodyLimit !== undefined && { bodyLimit }),
  });
  return (payload: string | Buffer, type: string) =>
    app.inject({ method: 'POST', url: '/things', payload, headers: { 'content-type': type } });
}

/** Serves one operation that returns this, where the contract declares these contents. */
async function returning(content: object, reply: object, development = true) {
  const app = await serve({
    paths: operation(undefined, { 200: response(content) }),
    handlers: { use: async () => ({ status: 200, ...reply }) },
    development,
  });
  return (headers: Record<string, string> = {}) => app.inject({ method: 'POST', url: '/things', headers });
}

test.each(['application/json', 'application/merge-patch+json', 'application/geo+json', 'application/vnd.x.v1+json'])(
  'a body of type %s is parsed and checked, with the limits of all JSON',
  async (type) => {
    const send = await taking({ [type]: { schema: thing } });
    expect((await send('{"name":"one"}', type)).json().got).toEqual({ name: 'one' });
    expect(refusal(await send('{"size":1.5}', type))).toEqual([422, 'required /name', 'invalid_type /size']);
    expect(refusal(await send('{"name":', type))).toEqual([400, 'malformed_json']);
    expect(refusal(await send('['.repeat(65) + ']'.repeat(65), type))).toEqual([422, 'too_deep ']);
    expect(refusal(await send('{"name":"\\u0000"}', type))).toEqual([422, 'invalid_character /name']);
  },
);

test.each(['application/json', 'application/problem+json', 'application/geo+json'])(
  'a reply of %s is JSON',
  async (type) => {
    const { headers, payload } = await (await returning({ [type]: { schema: thing } }, { body: { name: 'é' } }))();
    expect([headers['content-type'], payload]).toEqual([`${type}; charset=utf-8`, '{"name":"é"}']);
  },
);

const lines = { 'application/x-ndjson': { schema: { type: 'array', items: thing } } };

test('a body of JSON lines is parsed line by line, and each line is checked', async () => {
  const send = await taking(lines, 2 ** 20);
  const type = 'application/x-ndjson';
  expect((await send('{"name":"a"}\n\r\n{"name":"b"}', type)).json().got).toEqual([{ name: 'a' }, { name: 'b' }]);
  expect((await send('', type)).json().got).toEqual([]);
  expect(refusal(await send('{"name":"a"}\n{"name":1}\n', type))).toEqual([422, 'invalid_type /1/name']);
  const broken = await send('{"name":"a"}\n{"name"\n', type);
  expect([...refusal(broken), broken.json().errors[0].message]).toEqual([
    400,
    'malformed_json',
    expect.stringContaining('Line 2 is not JSON'),
  ]);
  expect((await send('{"name":"a"}\n'.repeat(5000), type)).json().got).toHaveLength(5000);
});

test.each([true, false])('a reply of JSON lines is an array or a stream (development: %s)', async (development) => {
  const items = [{ name: 'a' }, { name: 'b', size: 1 }];
  for (const body of [items, Readable.from(items)]) {
    const { headers, payload } = await (await returning(lines, { body }, development))();
    expect([headers['content-type'], payload]).toEqual([
      'application/x-ndjson; charset=utf-8',
      '{"name":"a"}\n{"name":"b","size":1}\n',
    ]);
  }
});

test('a body of text is text, in UTF-8, and held against its schema', async () => {
  const send = await taking({ 'text/csv': { schema: { type: 'string', pattern: '^id,' } } });
  expect((await send('id,name\r\n1,"é, x"\r\n', 'text/csv')).json().got).toBe('id,name\r\n1,"é, x"\r\n');
  expect((await send('id,', 'text/csv; charset=UTF-8; header=present')).statusCode).toBe(200);
  expect(refusal(await send('name\n', 'text/csv'))).toEqual([422, 'invalid_format ']);
  expect(refusal(await send('', 'text/csv'))).toEqual([422, 'invalid_format ']);
  expect(refusal(await send('id,\0', 'text/csv'))).toEqual([422, 'invalid_character ']);
  expect(refusal(await send(Buffer.from('id,\xe9', 'latin1'), 'text/csv'))).toEqual([400, 'malformed_request']);
  expect(refusal(await send('id,', 'text/csv; charset=latin1'))[1]).toBe('unsupported_media_type content-type');
});

test.each([true, false])('a reply of text is sent as it is (development: %s)', async (development) => {
  const csv = 'id,name\r\n1,"é, x"\r\n';
  for (const body of [csv, '', Readable.from(['id,name\r\n', '1,"é, x"\r\n'])]) {
    const content = { 'text/csv': { schema: text } };
    const { statusCode, headers, payload } = await (await returning(content, { body }, development))();
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(payload).toBe(body === '' ? '' : csv);
  }
});

test('a form is read by the types of its properties', async () => {
  const type = 'application/x-www-form-urlencoded';
  const properties = {
    name: text,
    size: { type: 'integer' },
    height: { type: ['number', 'null'] },
    open: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'integer' } },
  };
  const send = await taking({ [type]: { schema: { type: 'object', required: ['name'], properties } } });
  const { got } = (await send('name=a+b%26%C3%A9&size=-7&height=1.5&open=true&tags=1&tags=2&other=x', type)).json();
  expect(got).toEqual({ name: 'a b&é', size: -7, height: 1.5, open: true, tags: [1, 2], other: 'x' });
  expect((await send('name=&tags=7', type)).json().got).toEqual({ name: '', tags: [7] });
  expect(refusal(await send('size=0x10&open=1&tags=x', type))).toEqual([
    422,
    'required /name',
    'invalid_type /size',
    'invalid_type /open',
    'invalid_type /tags/0',
  ]);
  expect(refusal(await send('name=a&name=b', type))).toEqual([422, 'invalid_type /name']);
  expect(refusal(await send('', type))).toEqual([422, 'required /name']);
  expect(refusal(await send('name=%zz', type))).toEqual([400, 'malformed_request']);
  expect(refusal(await send('name=%00', type))).toEqual([422, 'invalid_character /name']);
});

test('numbers of a form are exact, and those of an enumeration are numbers', async () => {
  const type = 'application/x-www-form-urlencoded';
  const properties = { size: { type: 'integer' }, level: { enum: [1, 2] }, left: { type: ['integer', 'null'] } };
  const send = await taking({ [type]: { schema: { type: 'object', properties } } });
  expect((await send('size=9007199254740992&level=2&left=null', type)).json().got).toEqual({
    size: 2 ** 53,
    level: 2,
    left: null,
  });
  expect(refusal(await send('size=9007199254740993', type))).toEqual([422, 'invalid_type /size']);
});

test.each(['application/octet-stream', 'image/png', 'application/pdf'])('a body of type %s is bytes', async (type) => {
  const app = await serve({
    paths: operation({ [type]: { schema: { ...binary, maxLength: 4 } } }, { 200: response({ [type]: {} }) }),
    handlers: { use: async ({ body }) => ({ status: 200, body: Buffer.isBuffer(body) && body }) },
  });
  const payload = Buffer.from([0, 255, 254, 10]);
  const options = { method: 'POST' as const, url: '/things', payload };
  const { headers, rawPayload } = await app.inject({ ...options, headers: { 'content-type': type } });
  expect([headers['content-type'], rawPayload]).toEqual([type, payload]);
  const long = await app.inject({ ...options, payload: Buffer.alloc(5), headers: { 'content-type': type } });
  expect(refusal(long)).toEqual([422, 'too_long ']);
});

test.each([true, false])('a reply of bytes may come as a stream (development: %s)', async (development) => {
  const parts = [new Uint8Array([1, 2]), Buffer.from([255])];
  for (const body of [Buffer.concat(parts), new Uint8Array([1, 2, 255]), Readable.from(parts)]) {
    const { rawPayload } = await (await returning({ 'image/png': { schema: binary } }, { body }, development))();
    expect([...rawPayload]).toEqual([1, 2, 255]);
  }
});

test('the most specific range of the contract describes a body (RFC 9110)', async () => {
  const send = await taking({
    '*/*': {},
    'text/*': { schema: text },
    'text/csv': { schema: { type: 'string', maxLength: 3 } },
    'text/csv; header=absent': { schema: { type: 'string', maxLength: 1 } },
    'application/json': { schema: thing },
  });
  const got = async (body: string, type: string) => (await send(body, type)).json();
  expect(await got('long', 'text/plain')).toEqual({ got: 'long', contentType: 'text/plain' });
  expect(await got('abc', 'TEXT/CSV;charset=utf-8')).toEqual({ got: 'abc', contentType: 'text/csv' });
  expect(await got('a', 'text/csv; header="Absent"')).toMatchObject({ contentType: 'text/csv; header=absent' });
  expect(refusal(await send('ab', 'text/csv;header=absent'))).toEqual([422, 'too_long ']);
  expect(await got('{"name":"x"}', 'Application/JSON')).toMatchObject({ got: { name: 'x' } });
  expect(await got('x', 'chemical/x-pdb')).toMatchObject({ contentType: 'chemical/x-pdb', got: { type: 'Buffer' } });
});

test('a body of another type is refused, and the response says what would be right', async () => {
  const send = await taking({ 'application/merge-patch+json': { schema: thing }, 'text/csv': { schema: text } });
  for (const type of ['application/json', 'text/plain', 'text/*', 'x', 'text/csv, text/plain']) {
    const refused = await send('{"name":"x"}', type);
    expect(refusal(refused)).toEqual([415, 'unsupported_media_type content-type']);
    expect(refused.json().errors[0].message).toBe('Send the body as application/merge-patch+json or text/csv.');
    expect(refused.headers.accept).toBe('application/merge-patch+json, text/csv');
  }
});

test('a body that may be left out is undefined then', async () => {
  const paths = operation(
    undefined,
    { 200: response({ 'application/json': {} }) },
    {
      requestBody: { content: { 'application/json': { schema: thing } } },
    },
  );
  const app = await serve({
    paths,
    handlers: { use: async ({ body }) => ({ status: 200, body: { isThere: body !== undefined } }) },
  });
  const send = (payload?: string) =>
    app.inject({
      method: 'POST',
      url: '/things',
      ...(payload && { payload, headers: { 'content-type': 'application/json' } }),
    });
  expect((await send()).json()).toEqual({ isThere: false });
  expect((await send('{"name":"x"}')).json()).toEqual({ isThere: true });
  expect(refusal(await send('{}'))).toEqual([422, 'required /name']);
});

const several = {
  'application/json': { schema: thing },
  'text/csv': { schema: text },
  'application/geo+json': { schema: thing },
};

/** Serves one operation that returns the type that is asked for. */
async function choosing() {
  const app = await serve({
    paths: {
      '/things': {
        get: { operationId: 'get', responses: { 200: response(several), 404: response({ 'application/json': {} }) } },
      },
    },
    handlers: {
      get: async ({ accept }) => ({
        status: 200,
        contentType: accept,
        body: accept === 'text/csv' ? 'name\nx\n' : { name: 'x' },
      }),
    },
  });
  return (accept: string | undefined, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: '/things', headers: accept === undefined ? {} : { accept } });
}

test.each([
  [undefined, 'application/json; charset=utf-8'],
  ['', 'application/json; charset=utf-8'],
  ['*/*', 'application/json; charset=utf-8'],
  ['text/csv', 'text/csv; charset=utf-8'],
  ['TEXT/CSV; charset=utf-8', 'text/csv; charset=utf-8'],
  ['text/*', 'text/csv; charset=utf-8'],
  ['application/json;q=0.5, text/csv;q=0.8', 'text/csv; charset=utf-8'],
  ['application/geo+json, */*;q=0.1', 'application/geo+json; charset=utf-8'],
  ['application/json;q=0, application/*', 'application/geo+json; charset=utf-8'],
])('of several types the client gets the one that it prefers: %s', async (accept, type) => {
  const respond = await choosing();
  for (const method of ['GET', 'HEAD'] as const) {
    const { statusCode, headers } = await respond(accept, method);
    expect([statusCode, headers['content-type'], headers.vary]).toEqual([200, type, 'accept']);
  }
  expect((await respond(accept)).payload).toBe(type.startsWith('text') ? 'name\nx\n' : '{"name":"x"}');
});

test.each(['image/png', 'text/html', 'text/csv;q=0', '*/*;q=0'])('when none fits, it is 406: %s', async (accept) => {
  const refused = await (await choosing())(accept);
  expect([...refusal(refused), refused.headers.vary]).toEqual([406, 'not_acceptable accept', 'accept']);
  expect(refused.json().errors[0].message).toContain('application/json or text/csv or application/geo+json');
});

test('an operation with one type of response does not look at Accept', async () => {
  const send = await returning({ 'application/json': { schema: thing } }, { body: { name: 'x' } });
  const { statusCode, headers } = await send({ accept: 'text/html' });
  expect([statusCode, headers.vary]).toEqual([200, undefined]);
});

test('beside a success, `default` stands for errors, whose type nobody chooses', async () => {
  const problem = response({ 'application/problem+json': { schema: {} } });
  const accepted = async (responses: object, accept: string) => {
    const app = await serve({
      paths: operation(undefined, responses),
      handlers: {
        use: async (request) => ({ status: 200, contentType: 'application/json', body: { got: request.accept } }),
      },
    });
    return app.inject({ method: 'POST', url: '/things', headers: { accept } });
  };
  const one = response({ 'application/json': {} });
  for (const responses of [
    { 200: one, default: problem },
    { '2XX': one, default: problem },
  ]) {
    const { statusCode, headers, payload } = await accepted(responses, 'text/html');
    expect([statusCode, headers.vary, payload]).toEqual([200, undefined, '{}']);
  }
  const both = { default: response({ 'application/json': {}, 'application/problem+json': {} }) };
  expect(refusal(await accepted(both, 'text/html'))).toEqual([406, 'not_acceptable accept']);
  expect((await accepted(both, 'application/*')).json()).toEqual({ got: 'application/json' });
});

test.each(['Vary', 'vary'])('what a handler says a response varies by comes after its type: %s', async (name) => {
  const headers = { [name]: { schema: { type: 'string' } } };
  const app = await serve({
    paths: operation(undefined, { 200: response(several, headers) }),
    handlers: {
      use: async () => ({ status: 200, headers: { [name]: 'origin' }, contentType: 'text/csv', body: 'name\n' }),
    },
  });
  expect((await app.inject({ method: 'POST', url: '/things' })).headers.vary).toBe('accept, origin');
});

test('what the server says a response varies by stays beside its type', async () => {
  const app = await serve({
    paths: operation(undefined, { 200: response(several) }),
    handlers: { use: async () => ({ status: 200, contentType: 'text/csv', body: 'name\n' }) },
    env: { CORS_ORIGINS: 'https://editor.example.org' },
  });
  for (const accept of ['text/csv', 'image/png']) {
    const headers = { accept, origin: 'https://editor.example.org' };
    const { vary } = (await app.inject({ method: 'POST', url: '/things', headers })).headers;
    expect(vary).toBe('Origin, accept');
  }
});

test.each([
  ['GET', {}],
  ['HEAD', {}],
  ['GET', { 'if-none-match': '"a"' }],
] as const)('a stream is closed, whether it is sent or not: %s %j', async (method, headers) => {
  const bytes = Readable.from([Buffer.from('x')]);
  const app = await serve({
    paths: {
      '/things': {
        get: {
          operationId: 'get',
          parameters: [{ name: 'If-None-Match', in: 'header', schema: { type: 'string' } }],
          responses: {
            200: response({ 'application/pdf': { schema: binary } }, { ETag: { schema: text } }),
            304: response(),
          },
        },
      },
    },
    handlers: { get: async () => ({ status: 200, headers: { ETag: '"a"' }, body: bytes }) },
    development: false,
  });
  const { statusCode } = await app.inject({ method, url: '/things', headers });
  expect(statusCode).toBe('if-none-match' in headers ? 304 : 200);
  await expect.poll(() => bytes.destroyed).toBe(true);
});

test('of a range the handler says the type', async () => {
  const send = await returning({ 'image/*': {} }, { contentType: 'image/webp', body: Buffer.from('x') });
  expect((await send()).headers['content-type']).toBe('image/webp');
  const wrong = await returning({ 'image/*': {} }, { contentType: 'text/html', body: Buffer.from('x') });
  expect((await wrong()).statusCode).toBe(500);
  const unsaid = await returning({ 'image/*': {} }, { body: Buffer.from('x') }, false);
  expect((await unsaid()).statusCode).toBe(500);
});

test.each([
  [
    'a body of an unknown type',
    operation({ 'application/x-protobuf': {} }, { 204: response() }),
    'use: media type application/x-protobuf of the request body (it is not known): the table in src/contract/media.ts',
  ],
  [
    'a response of an unknown type',
    operation(undefined, { 200: response({ 'application/cbor': {} }) }),
    'use: media type application/cbor of the response 200 (it is not known)',
  ],
  [
    'a key that is no media type',
    operation({ json: {} }, { 204: response() }),
    'use: media type json of the request body',
  ],
  [
    'another charset',
    operation({ 'text/csv; charset=latin1': {} }, { 204: response() }),
    'text is read and written in UTF-8',
  ],
  [
    'a form as a response',
    operation(undefined, { 200: response({ 'multipart/form-data': { schema: thing } }) }),
    'it is for request bodies',
  ],
  [
    'an object in a form',
    operation(
      { 'application/x-www-form-urlencoded': { schema: { properties: { at: { type: 'object' } } } } },
      { 204: response() },
    ),
    'at is an object, which has no place in a form',
  ],
  [
    'a part of a name that the parser refuses',
    operation(
      { 'multipart/form-data': { schema: { properties: { constructor: { type: 'string' } } } } },
      { 204: response() },
    ),
    'constructor is a name that JavaScript keeps for itself',
  ],
  [
    'a form without properties',
    operation({ 'application/x-www-form-urlencoded': { schema: text } }, { 204: response() }),
    'its schema has to be an object with properties',
  ],
  [
    'text that is an object',
    operation({ 'text/csv': { schema: thing } }, { 204: response() }),
    'its schema takes no string',
  ],
  [
    'bytes that are an object',
    operation(undefined, { 200: response({ 'image/png': { schema: thing } }) }),
    'to which required, properties cannot be applied',
  ],
  [
    'lines that are no array',
    operation({ 'application/x-ndjson': { schema: thing } }, { 204: response() }),
    'its schema has to be an array of the lines',
  ],
  [
    'an encoding with a style',
    operation(
      { 'multipart/form-data': { schema: thing, encoding: { name: { style: 'deepObject' } } } },
      { 204: response() },
    ),
    'the engine does not serve style in the encoding of name',
  ],
  ...['png', 'image/png,', 7].map((contentType): [string, object, string] => [
    `an encoding with the type ${contentType}`,
    operation(
      {
        'multipart/form-data': {
          schema: { properties: { photo: { type: 'string', format: 'binary' } } },
          encoding: { photo: { contentType } },
        },
      },
      { 204: response() },
    ),
    `${contentType} in the encoding of photo is no list of media types`,
  ]),
  [
    'a range among several types',
    operation(undefined, { 200: response({ 'image/*': {}, 'text/csv': {} }) }),
    'range among response types image/*, text/csv',
  ],
  [
    'a body of GET',
    { '/things': { get: { operationId: 'use', requestBody: { content: several }, responses: { 204: response() } } } },
    'use: body of a method without one',
  ],
])('the start refuses %s', async (_, paths, message) => {
  await expect(serve({ paths, handlers: { use: async () => ({ status: 204 }) } })).rejects.toThrow(message);
});
