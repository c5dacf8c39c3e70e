/** What handlers return is sent as JSON.stringify writes it, whatever its schema says; only undeclared members are left out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mediaTypes } from '../../src/contract/media.ts';
import { unknownMemberFinder } from '../../src/contract/unknown-members.ts';

type Schema = Record<string, any>;

/** The JSON text that a client gets. */
function sent(schema: object, value: unknown): string {
  const [media] = mediaTypes({ 'application/json': { schema } }, 'response', { name: 'test', place: '' });
  return media!.replies!.serializer(media!.declared)(value) as string;
}

const names = ['a', 'b', 'c', 'toString', '__proto__', 'é "'];
const name = fc.constantFrom(...names);

/** Values that a serialiser may change: of the wrong type, out of range, not in JSON, of other classes. */
const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', '\u2028', '"\\\0', '2026-01-01', ''),
  fc.double(),
  fc.constantFrom(Number.NaN, Infinity, -0, 1e21, 1.5, -7, 2 ** 53),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.date(),
  fc.constant({ toJSON: () => 'made' }),
);

const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Schema>(
      {},
      { type: 'string' },
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
      { type: 'integer' },
      { type: 'number', multipleOf: 0.5 },
      { type: 'boolean' },
      { type: 'null' },
      { type: ['string', 'null'] },
      { type: 'integer', enum: [1, 2] },
      { const: 'x' },
    ),
    fc.constantFrom<Schema>({}, { type: 'object' }, { type: 'array' }, { type: 'object', additionalProperties: true }),
    fc.record<Schema>(
      {
        type: fc.constantFrom('object', ['object', 'null']),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 4 }),
        required: fc.uniqueArray(name, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        patternProperties: fc.record({ '^[ab]': tie('schema') }),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record<Schema>(
      { type: fc.constant('array'), items: tie('schema'), prefixItems: fc.array(tie('schema'), { maxLength: 2 }) },
      { requiredKeys: ['type'] },
    ),
    fc.record<Schema>({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record<Schema>({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    fc.record<Schema>({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
  ),
}));

/** Values all of whose members a schema declares. What is no member may be anything. */
function declared(of: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 1, arbitrary: leaf }, { weight: 6, arbitrary: structured(of) });
}

function structured(of: Schema): fc.Arbitrary<unknown> {
  const alternatives = of.anyOf ?? of.oneOf ?? (of.if && [of.then, of.else]);
  if (alternatives) return fc.oneof(...alternatives.map(declared));
  const { type, properties, additionalProperties, patternProperties, items, prefixItems = [] } = of;
  if (type === undefined) return 'const' in of ? leaf : fc.jsonValue();
  if (type === 'array') {
    const rest = fc.array(items === undefined ? fc.jsonValue() : declared(items), { maxLength: 3 });
    return fc
      .tuple(...prefixItems.map(declared), rest)
      .map((all) => [...all.slice(0, -1), ...(all.at(-1) as unknown[])]);
  }
  if (![type].flat().includes('object')) return leaf;
  const isOpen = additionalProperties === true || (additionalProperties === undefined && !properties);
  if (isOpen && !properties && !patternProperties) return fc.jsonValue();
  const known = Object.entries<Schema>(properties ?? {});
  const members = known.map(([member, inner]) => fc.tuple(fc.constant(member), declared(inner)));
  if (typeof additionalProperties === 'object' && !patternProperties)
    members.push(fc.tuple(fc.constant('other'), declared(additionalProperties)));
  if (members.length === 0) return fc.constant({});
  return fc.subarray(members).chain((some) => fc.tuple(...some).map((entries) => Object.fromEntries(entries)));
}

const reference = (value: unknown) => JSON.parse(JSON.stringify(value) ?? 'null') as unknown;

test('nothing that is declared is altered, of whatever type it is', () => {
  fc.assert(
    fc.property(
      schema.chain((of) => fc.tuple(fc.constant(of), declared(of))),
      ([of, value]) => {
        fc.pre(JSON.stringify(value) !== undefined);
        expect(JSON.parse(sent(of, value))).toEqual(reference(value));
      },
    ),
    { numRuns: 5000 },
  );
});

const inner = { type: 'object', properties: { a: {} } };

test.each<[Schema, unknown]>([
  [{ anyOf: [{}, inner] }, { other: 1 }],
  [{ oneOf: [{ type: 'object' }, inner] }, { other: 1 }],
  [{ anyOf: [{ type: 'array' }, { type: 'array', items: inner }] }, [{ other: 1 }]],
  [{ anyOf: [{ type: 'object', properties: {} }, inner] }, { other: 1 }],
  [
    {
      anyOf: [
        { type: 'array', prefixItems: [] },
        { type: 'array', items: inner },
      ],
    },
    [{ other: 1 }],
  ],
  [
    {
      anyOf: [
        { type: 'array', prefixItems: [inner] },
        { type: 'array', items: inner },
      ],
    },
    [{ a: 1 }, { other: 1 }],
  ],
  [
    {
      anyOf: [
        { type: 'array', prefixItems: [{}, inner] },
        { type: 'array', prefixItems: [inner] },
      ],
    },
    [{ other: 1 }],
  ],
  [{ type: 'array', prefixItems: [inner] }, [{ a: 1 }, { other: 1 }]],
  [
    { type: 'object', anyOf: [{ properties: { a: inner } }, { properties: { a: { type: 'object' } } }] },
    { a: { other: 1 } },
  ],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  [{ if: {}, else: { properties: { a: inner } }, then: { properties: { a: {} } } }, { a: { other: 1 } }],
])('where one of several schemas leaves open what is inside, everything is kept: %j', (of, value) => {
  expect(JSON.parse(sent(of, value))).toEqual(value);
});

test('where all parts hold, a member has to be named by one of them', () => {
  const of = { allOf: [inner, { properties: { b: inner } }, { required: ['a'] }] };
  expect(JSON.parse(sent(of, { a: 1, b: { a: 1, c: 1 }, c: 1 }))).toEqual({ a: 1, b: { a: 1 } });
});

test('an object that is declared to have no members is sent without any', () => {
  const empty = { type: 'object', additionalProperties: false };
  expect(sent(empty, { a: 1 })).toBe('{}');
  expect(sent({ properties: { a: empty } }, { a: { b: 1 }, c: 1 })).toBe('{"a":{}}');
  expect(sent({ anyOf: [empty, { type: 'object' }] }, { a: 1 })).toBe('{"a":1}');
});

test('of any value exactly that is left out which strict handling calls unknown, and the value stays as it was', () => {
  const members = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(schema, members, (of, value) => {
      fc.pre(JSON.stringify(value) !== undefined);
      const before = JSON.stringify(value);
      const result = JSON.parse(sent(of, value)) as unknown;
      expect(JSON.stringify(value)).toBe(before);
      const expected = reference(value);
      for (const { source } of unknownMemberFinder(of)(reference(value)))
        remove(expected, source as { pointer: string });
      expect(result).toEqual(expected);
    }),
    { numRuns: 5000 },
  );
});

function remove(from: unknown, { pointer }: { pointer: string }): void {
  const steps = pointer.slice(1).split('/');
  const last = steps.pop()!;
  const holder = steps.reduce((value: any, step) => value[step], from);
  delete holder[last];
}

test('a choice that a condition describes keeps its members', () => {
  const options = {
    if: { type: 'array' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { items: { type: 'string' } },
    else: { type: 'object', additionalProperties: { type: 'string' } },
  };
  const field = { type: 'object', properties: { options } };
  for (const value of [{ options: ['by car', 'on foot'] }, { options: { 0: 'by car', 2: 'on foot' } }])
    expect(JSON.parse(sent(field, value))).toEqual(value);
});
