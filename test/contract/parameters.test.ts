/** Every way in which OpenAPI lets parameters be written: what a handler gets, and what is refused. */
import { describe, expect, test } from 'vitest';
import { document, echoService } from '../support/echo-service.ts';

type Place = 'path' | 'query' | 'header' | 'cookie';
const groups = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

const integers = { type: 'array', items: { type: 'integer' } };
const texts = { type: 'array', items: { type: 'string' } };
const point = {
  type: 'object',
  properties: { x: { type: 'integer' }, y: { type: 'integer' }, label: { type: 'string' } },
};
const open = { type: 'object', properties: { x: { type: 'integer' } }, additionalProperties: { type: 'boolean' } };

/** What arrives of the parameter `p` when this is sent; a text is a problem's code. */
async function arriving(place: Place, declared: object, sent: string) {
  const parameter = { name: 'p', in: place, ...(place === 'path' && { required: true }), ...declared };
  const path = place === 'path' ? '/things/{p}' : '/things';
  const { send } = await echoService(document({ [path]: { get: { parameters: [parameter] } } }));
  const url = place === 'path' ? `/things/${sent}` : `/things${place === 'query' ? sent : ''}`;
  const header = place === 'header' ? { p: sent } : place === 'cookie' ? { cookie: sent } : {};
  const { status, json, problems } = await send({ url, headers: header });
  if (status === 200) return json[groups[place]].p;
  expect(status).toBe(400);
  return problems.map(({ code, source }) => `${code} ${Object.values(source ?? {})}`.trim()).join();
}

const wrong = (place: Place) => (place === 'header' ? 'invalid_header p' : 'invalid_parameter p');
const W = Symbol('wrong');

describe.each<[Place, string, object, [sent: string, arrives: unknown][]]>([
  [
    'query',
    'form',
    { schema: { type: 'string' } },
    [
      ['?p=a%2Cb+c', 'a,b c'],
      ['?p=', ''],
      ['?p', ''],
      ['?q=1', undefined],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: 'integer' } },
    [
      ['?p=7', 7],
      ['?p=007', 7],
      ['?p=-7', -7],
      ['?p=0', 0],
      ['?p=', W],
      ['?p=1e3', W],
      ['?p=%201', W],
      ['?p=0x10', W],
      ['?p=1.0', W],
      ['?p=+1', W],
      ['?p=9007199254740991', 9007199254740991],
      ['?p=9007199254740993', W],
      [`?p=${'9'.repeat(400)}`, W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: 'integer', format: 'int64' } },
    [
      ['?p=9007199254740993', W],
      ['?p=9007199254740992', 9007199254740992],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: 'number' } },
    [
      ['?p=1.50', 1.5],
      ['?p=-0.5', -0.5],
      ['?p=1e3', W],
      ['?p=.5', W],
      ['?p=Infinity', W],
      [`?p=${'9'.repeat(400)}`, W],
      ['?p=9007199254740993', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: 'boolean' } },
    [
      ['?p=true', true],
      ['?p=false', false],
      ['?p=1', W],
      ['?p=TRUE', W],
      ['?p=', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: ['integer', 'null'] } },
    [
      ['?p=7', 7],
      ['?p=null', null],
      ['?p=', W],
    ],
  ],
  ['query', 'form', { schema: { type: ['string', 'null'] } }, [['?p=null', 'null']]],
  [
    'query',
    'form',
    { schema: { type: ['string', 'integer'] } },
    [
      ['?p=7', 7],
      ['?p=007', '007'],
      ['?p=x', 'x'],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: ['string', 'integer'], enum: ['1', 2] } },
    [
      ['?p=1', '1'],
      ['?p=2', 2],
      ['?p=3', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: ['integer', 'boolean'] } },
    [
      ['?p=7', 7],
      ['?p=true', true],
      ['?p=x', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { allOf: [{ type: 'integer' }, { minimum: 3 }] } },
    [
      ['?p=7', 7],
      ['?p=2', W],
      ['?p=x', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { oneOf: [{ type: 'integer' }, { type: 'string', enum: ['all'] }] } },
    [
      ['?p=7', 7],
      ['?p=all', 'all'],
      ['?p=x', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { anyOf: [{ type: 'number' }, { type: 'boolean' }] } },
    [
      ['?p=7.5', 7.5],
      ['?p=true', true],
      ['?p=x', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { enum: [1, 2] } },
    [
      ['?p=1', 1],
      ['?p=3', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { const: 5 } },
    [
      ['?p=5', 5],
      ['?p=6', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: 'integer', default: 5 } },
    [
      ['', 5],
      ['?p=6', 6],
    ],
  ],
  [
    'query',
    'form',
    { schema: { ...texts, default: ['a'] } },
    [
      ['', ['a']],
      ['?p=b', ['b']],
    ],
  ],
  ['query', 'form', { schema: {} }, [['?p=7', '7']]],
  ['query', 'form', { schema: { type: 'string' }, allowEmptyValue: true }, [['?p=', '']]],
  [
    'query',
    'form',
    { schema: { type: 'string' }, allowReserved: true },
    [
      ['?p=http://a/?b:c;d', 'http://a/?b:c;d'],
      ['?p=http%3A%2F%2Fa', 'http://a'],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: 'integer' }, required: true },
    [
      ['', W],
      ['?p=1&p=2', 'repeated_parameter p'],
    ],
  ],
  [
    'query',
    'form',
    { schema: integers },
    [
      ['?p=1&p=2', [1, 2]],
      ['?p=1', [1]],
      ['?p=1,2', W],
      ['?p=1&p=x', W],
      ['?p=', W],
      ['', undefined],
    ],
  ],
  [
    'query',
    'form',
    { schema: texts },
    [
      ['?p=a%2Cb&p=c%20d+e', ['a,b', 'c d e']],
      ['?p=', ['']],
    ],
  ],
  [
    'query',
    'form',
    { schema: integers, allowEmptyValue: true },
    [
      ['?p=', []],
      ['?p=1', [1]],
    ],
  ],
  [
    'query',
    'form',
    { schema: integers, explode: false },
    [
      ['?p=1,2', [1, 2]],
      ['?p=1', [1]],
      ['?p=1,,2', W],
      ['?p=1,2&p=3', 'repeated_parameter p'],
    ],
  ],
  [
    'query',
    'form',
    { schema: texts, explode: false },
    [
      ['?p=a%2Cb,c', ['a,b', 'c']],
      ['?p=', ['']],
    ],
  ],
  [
    'query',
    'form',
    { schema: { type: ['array', 'null'], items: { type: ['integer', 'null'] } }, explode: false },
    [['?p=1,null', [1, null]]],
  ],
  [
    'query',
    'form',
    { schema: { allOf: [integers, { maxItems: 2 }] } },
    [
      ['?p=1&p=2', [1, 2]],
      ['?p=1&p=2&p=3', W],
    ],
  ],
  [
    'query',
    'spaceDelimited',
    { schema: integers, style: 'spaceDelimited' },
    [
      ['?p=1%202+3', [1, 2, 3]],
      ['?p=1', [1]],
    ],
  ],
  ['query', 'pipeDelimited', { schema: texts, style: 'pipeDelimited' }, [['?p=a|b%7Cc%7cd', ['a', 'b', 'c', 'd']]]],
  ['query', 'pipeDelimited', { schema: point, style: 'pipeDelimited' }, [['?p=x|1|y|2', { x: 1, y: 2 }]]],
  [
    'query',
    'form',
    { schema: point },
    [
      ['?x=1&y=2&z=3', { x: 1, y: 2 }],
      ['', undefined],
      ['?x=a', W],
      ['?x=1&x=2', 'repeated_parameter x'],
    ],
  ],
  [
    'query',
    'form',
    { schema: open },
    [
      ['?x=1&on=true', { x: 1, on: true }],
      ['?on=1', W],
    ],
  ],
  [
    'query',
    'form',
    { schema: point, explode: false },
    [
      ['?p=x,1,label,a%2Cb', { x: 1, label: 'a,b' }],
      ['?p=x,1,y', W],
      ['?p=x,1,x,2', W],
      ['?p=z,1', { z: '1' }],
    ],
  ],
  [
    'query',
    'deepObject',
    { schema: point, style: 'deepObject' },
    [
      ['?p[x]=1&p[label]=a', { x: 1, label: 'a' }],
      ['?p%5Bx%5D=1', { x: 1 }],
      ['', undefined],
      ['?p[x]=a', W],
      ['?p[x]=1&p[x]=2', 'repeated_parameter p[x]'],
    ],
  ],
  [
    'query',
    'deepObject',
    { schema: { ...open, required: ['x'] }, style: 'deepObject', explode: true },
    [
      ['?p[x]=1&p[a]=true', { x: 1, a: true }],
      ['?p[a]=true', W],
      ['?p[x]=1&p[__proto__]=true', JSON.parse('{"x":1,"__proto__":true}')],
    ],
  ],
  [
    'query',
    'content',
    { content: { 'application/json': { schema: point } } },
    [
      ['?p=%7B%22x%22:1%7D', { x: 1 }],
      ['?p={"x":"1"}', W],
      ['?p={', W],
      ['?p=1', W],
    ],
  ],
  [
    'path',
    'simple',
    { schema: { type: 'integer' } },
    [
      ['7', 7],
      ['x', W],
    ],
  ],
  [
    'path',
    'simple',
    { schema: texts },
    [
      ['a%2Cb,c', ['a,b', 'c']],
      ['a', ['a']],
    ],
  ],
  [
    'path',
    'simple',
    { schema: point },
    [
      ['x,1,y,2', { x: 1, y: 2 }],
      ['x,1,y', W],
    ],
  ],
  [
    'path',
    'simple, explode',
    { schema: point, explode: true },
    [
      ['x=1,y=2', { x: 1, y: 2 }],
      ['x=a', W],
    ],
  ],
  [
    'path',
    'label',
    { schema: { type: 'integer' }, style: 'label' },
    [
      ['.7', 7],
      ['7', W],
    ],
  ],
  ['path', 'label', { schema: integers, style: 'label' }, [['.1,2', [1, 2]]]],
  [
    'path',
    'label, explode',
    { schema: integers, style: 'label', explode: true },
    [
      ['.1.2', [1, 2]],
      ['1.2', W],
    ],
  ],
  ['path', 'label', { schema: point, style: 'label' }, [['.x,1,y,2', { x: 1, y: 2 }]]],
  ['path', 'label, explode', { schema: point, style: 'label', explode: true }, [['.x=1.y=2', { x: 1, y: 2 }]]],
  [
    'path',
    'matrix',
    { schema: { type: 'integer' }, style: 'matrix' },
    [
      [';p=7', 7],
      ['7', W],
      [';q=7', W],
    ],
  ],
  ['path', 'matrix', { schema: integers, style: 'matrix' }, [[';p=1,2', [1, 2]]]],
  [
    'path',
    'matrix, explode',
    { schema: integers, style: 'matrix', explode: true },
    [
      [';p=1;p=2', [1, 2]],
      [';p=1;q=2', W],
    ],
  ],
  ['path', 'matrix', { schema: point, style: 'matrix' }, [[';p=x,1,y,2', { x: 1, y: 2 }]]],
  ['path', 'matrix, explode', { schema: point, style: 'matrix', explode: true }, [[';x=1;y=2', { x: 1, y: 2 }]]],
  [
    'path',
    'content',
    { content: { 'application/json': { schema: point } } },
    [
      ['%7B%22x%22:1%7D', { x: 1 }],
      ['%7B', W],
    ],
  ],
  [
    'header',
    'simple',
    { schema: { type: 'integer' } },
    [
      ['7', 7],
      ['x', W],
    ],
  ],
  ['header', 'simple', { schema: { type: 'string' } }, [['a%20b', 'a%20b']]],
  [
    'header',
    'simple',
    { schema: integers },
    [
      ['1,2 , 3', [1, 2, 3]],
      ['1,x', W],
    ],
  ],
  ['header', 'simple', { schema: point }, [['x,1, y,2', { x: 1, y: 2 }]]],
  ['header', 'simple, explode', { schema: point, explode: true }, [['x=1, y=2', { x: 1, y: 2 }]]],
  [
    'header',
    'content',
    { content: { 'application/json': { schema: point } } },
    [
      ['{"x":1}', { x: 1 }],
      ['x', W],
    ],
  ],
  [
    'cookie',
    'form',
    { schema: { type: 'integer' } },
    [
      ['p=7; q=8', 7],
      ['p=x', W],
      ['q=8', undefined],
    ],
  ],
  [
    'cookie',
    'form',
    { schema: { type: 'string' } },
    [
      ['p=a%20b', 'a b'],
      ['p=a%zz', 'a%zz'],
    ],
  ],
  ['cookie', 'form', { schema: integers, explode: false }, [['p=1,2', [1, 2]]]],
  ['cookie', 'form', { schema: point, explode: false }, [['p=x,1,y,2', { x: 1, y: 2 }]]],
  ['cookie', 'content', { content: { 'application/json': { schema: point } } }, [['p=%7B%22x%22:1%7D', { x: 1 }]]],
] as [Place, string, object, [string, unknown][]][])('in %s, %s: %j', (place, _, declared, requests) => {
  test.each(requests)('%s', async (sent, arrives) => {
    expect(await arriving(place, declared, sent)).toEqual(arrives === W ? wrong(place) : arrives);
  });
});

test('a parameter of the operation replaces the one of the path', async () => {
  const { send } = await echoService(
    document({
      '/things': {
        parameters: [
          { name: 'p', in: 'query', required: true, schema: { type: 'integer', maximum: 5 } },
          { name: 'X-Size', in: 'header', schema: { type: 'integer' } },
          { name: 'q', in: 'query', schema: { type: 'integer' } },
        ],
        get: {
          parameters: [
            { name: 'p', in: 'query', schema: { type: 'string' } },
            { name: 'x-size', in: 'header', schema: { type: 'string' } },
          ],
        },
      },
    }),
  );
  expect((await send('/things')).status).toBe(200);
  const { json } = await send({ url: '/things?p=x&q=7', headers: { 'x-size': 'large' } });
  expect(json).toMatchObject({ query: { p: 'x', q: 7 }, headers: { 'x-size': 'large' } });
});

test('names are what the contract says, whatever characters they have', async () => {
  const names = ['survey-id', 'filter[x]', 'a.b', '$top', 'ids[]', 'größe', 'a/b', 'a~b'];
  const parameters = names.map((name) => ({ name, in: 'query', schema: { type: 'integer' } }));
  const { send } = await echoService(
    document({
      '/things/{thing-id}/{part.name}': {
        get: {
          parameters: [
            { name: 'thing-id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'part.name', in: 'path', required: true, schema: { type: 'string' } },
            ...parameters,
          ],
        },
      },
    }),
  );
  const query = names.map((name, at) => `${encodeURIComponent(name)}=${at}`).join('&');
  const { json } = await send(`/things/7/left?${query}`);
  expect(json.path).toEqual({ 'thing-id': 7, 'part.name': 'left' });
  expect(json.query).toEqual(Object.fromEntries(names.map((name, at) => [name, at])));
  for (const name of names) {
    const { problems } = await send(`/things/7/left?${encodeURIComponent(name)}=x`);
    expect(problems).toEqual([
      { code: 'invalid_parameter', message: `${name} must be a whole number.`, source: { parameter: name } },
    ]);
  }
});

test('a path may have text around a parameter, and colons', async () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const { send } = await echoService(
    document({
      '/things:batch': { get: {} },
      '/things/{id}': { parameters: [id], get: {} },
      '/things/{id}:cancel': { parameters: [id], get: {} },
      '/things/{id}.csv': { parameters: [id], get: {} },
      '/things/v{id}': { parameters: [id], get: {} },
    }),
  );
  expect((await send('/things:batch')).status).toBe(200);
  for (const [url, value] of [
    ['/things/7', '7'],
    ['/things/7:cancel', '7'],
    ['/things/a.b.csv', 'a.b'],
    ['/things/v7', '7'],
    ['/things/a%2Fb', 'a/b'],
  ]) {
    expect((await send(url!)).json.path).toEqual({ id: value });
  }
});

test('a broken escape in the query is refused, wherever it is', async () => {
  const { send } = await echoService(
    document({ '/things': { get: { parameters: [{ name: 'p', in: 'query', required: true, schema: {} }] } } }),
  );
  for (const query of ['p=%zz', 'p=%', 'p=%ff', '%zz=1&p=2', 'p=2&unknown=%c3%28']) {
    const { status, problems } = await send(`/things?${query}`);
    expect(status).toBe(400);
    expect(problems).toEqual([{ code: 'malformed_url', message: expect.stringContaining('escape') }]);
  }
  expect((await send('/things?p=100%25')).json.query).toEqual({ p: '100%' });
});

test('parameters that several operations share keep their defaults, and recursive schemas are compiled', async () => {
  const components = {
    parameters: { Size: { name: 'size', in: 'query', schema: { $ref: '#/components/schemas/Size' } } },
    schemas: {
      Size: { type: 'integer', default: 5, maximum: 9 },
      Node: { type: 'object', properties: { 'a/b': { $ref: '#/components/schemas/Node' }, n: { type: 'integer' } } },
    },
  };
  const size = { $ref: '#/components/parameters/Size' };
  const other = { name: 'other', in: 'query', schema: { $ref: '#/components/schemas/Size' } };
  const node = {
    name: 'node',
    in: 'query',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } },
  };
  const { send } = await echoService(
    document(
      { '/a': { get: { parameters: [size, other] } }, '/b': { get: { parameters: [size, node] } } },
      { components },
    ),
  );
  expect((await send('/a')).json.query).toEqual({ size: 5, other: 5 });
  expect((await send('/b?size=9')).json.query).toEqual({ size: 9 });
  const nested = (n: unknown) => `/b?node=${encodeURIComponent(JSON.stringify({ 'a/b': { 'a/b': { n } } }))}`;
  expect((await send(nested(1))).status).toBe(200);
  expect((await send(nested('x'))).problems).toMatchObject([
    { message: 'node/a/b/a/b/n must be a whole number.', source: { parameter: 'node' } },
  ]);
});

test('in OpenAPI 3.0 keywords mean what they mean there', async () => {
  const parameters = [
    { name: 'a', in: 'query', schema: { type: 'integer', minimum: 5, exclusiveMinimum: true, nullable: true } },
    { name: 'b', in: 'query', schema: { type: 'integer', maximum: 5, exclusiveMaximum: false } },
  ];
  const { send } = await echoService({ ...document({ '/things': { get: { parameters } } }), openapi: '3.0.3' });
  expect((await send('/things?a=6&b=5')).json.query).toEqual({ a: 6, b: 5 });
  expect((await send('/things?a=null')).json.query).toEqual({ a: null });
  expect((await send('/things?a=5')).status).toBe(400);
});
