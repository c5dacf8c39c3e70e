/** Which members count as unknown, for schemas of every kind. */
import { expect, test } from 'vitest';
import { unknownMemberFinder } from '../../src/contract/unknown-members.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const found = (schema: object, body: unknown) =>
  unknownMemberFinder(schema)(body).map(({ source }) => Object.values(source!)[0]);

test.each<[string, object, unknown, string[]]>([
  ['a member', object({ a: text }), { a: '', b: '' }, ['/b']],
  ['names are escaped', object({ a: text }), { 'a/~': '' }, ['/a~1~0']],
  [
    'in members and items',
    object({ a: { type: 'array', items: object({ b: text }) } }),
    { a: [{}, { c: 1 }] },
    ['/a/1/c'],
  ],
  ['in a map', { additionalProperties: object({ a: text }) }, { x: { a: '' }, y: { b: '' } }, ['/y/b']],
  ['not in a map of anything', object({ a: { additionalProperties: true } }), { a: { b: { c: 1 } } }, []],
  ['not where nothing is said', object({ a: {}, b: { type: 'object' } }), { a: { c: 1 }, b: { c: 1 } }, []],
  [
    'not where others are allowed',
    object({ a: object({ b: text }) }, { additionalProperties: true }),
    { c: 1, a: { d: 1 } },
    ['/a/d'],
  ],
  ['not beside names with patterns', object({ a: text }, { patternProperties: { '^x': text } }), { b: 1 }, []],
  ['what is ignored', object({ a: text }, { 'x-ignored-members': ['b'] }), { b: { c: 1 }, c: 1 }, ['/c']],
  [
    'in parts',
    { allOf: [object({ a: text }), object({ b: text }), { type: 'object', required: ['a'] }] },
    { a: '', b: '', c: '' },
    ['/c'],
  ],
  ['in alternatives', { oneOf: [object({ a: text }), object({ b: text }), text] }, { a: '', b: '', c: '' }, ['/c']],
  ['not in free alternatives', { anyOf: [object({ a: text }), { type: 'object' }] }, { c: '' }, []],
  [
    'not in alternatives that only describe',
    {
      anyOf: [object({ a: text }), { title: 'Any', externalDocs: { url: 'https://example.org' }, default: {} }],
    },
    { c: '' },
    [],
  ],
  [
    'beside alternatives',
    object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    { c: 1 },
    ['/c'],
  ],
  ['in conditions', object({ a: text }, { if: {}, else: object({ c: text }) }), { c: 1, d: 1 }, ['/d']],
  [
    'the same member in two parts',
    { allOf: [object({ a: object({ b: text }) }), object({ a: object({ c: text }) })] },
    { a: { b: 1, c: 1, d: 1 } },
    ['/a/d'],
  ],
  [
    'names that all objects have',
    object({ a: text }),
    JSON.parse('{"__proto__":1,"constructor":1}'),
    ['/__proto__', '/constructor'],
  ],
  ['values of another type', object({ a: text, b: { type: 'array' } }), { a: { c: 1 }, b: [{ c: 1 }] }, []],
  ['no object', object({ a: text }), null, []],
])('%s', (_, schema, body, pointers) => {
  expect(found(schema, body)).toEqual(pointers);
});

test('a schema may contain itself', () => {
  const tree = object({ name: text }) as { properties: Record<string, object> };
  tree.properties.children = { type: 'array', items: tree };
  expect(found(tree, { children: [{ children: [{ nmae: '' }] }] })).toEqual(['/children/0/children/0/nmae']);
});

test('at most 100 are found, and that costs little, however long the names are and however many objects there are', () => {
  const find = unknownMemberFinder(
    object({ list: { type: 'array', items: object({ label: text, cardinality: text }) } }),
  );
  const bodies = [
    { list: Array.from({ length: 100_000 }, () => ({ label: '' })) },
    { list: Array.from({ length: 100_000 }, () => ({ lable: '' })) },
    Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${'n'.repeat(1000)}${at}`, at])),
  ];
  for (const body of bodies) find(body);
  const start = performance.now();
  expect(bodies.map((body) => find(body).length)).toEqual([0, 100, 100]);
  expect(performance.now() - start).toBeLessThan(150);
});
