/** The validator gives up looking, not judging, when a value is wrong in more places than anyone would read of. */
import { expect, test } from 'vitest';
import { enough } from '../../src/contract/problem.ts';
import { createAjv } from '../../src/contract/validators.ts';

const many = (item: unknown) => Array.from({ length: 5 * enough }, () => item);
const members = (value: unknown) => Object.fromEntries(many(value).map((one, at) => [`member${at}`, one]));
const items = { type: 'array', items: { type: 'string', minLength: 3 } };
const map = { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { maxLength: 12 } };

test.each([
  ['items', items, many('')],
  ['items of items', { type: 'array', items }, Array.from({ length: 50 }, () => many(''))],
  ['members', map, members(1)],
  ['names', { ...map, propertyNames: { maxLength: 3 } }, members('text')],
  ['members of items', { type: 'array', items: map }, Array.from({ length: 50 }, () => members(1))],
])('of wrong %s about as many are found as are looked at', (_, schema, value) => {
  const validate = createAjv('requestBodyValidator').compile(schema);
  expect(validate(value)).toBe(false);
  expect(validate.errors!.length).toBeGreaterThanOrEqual(enough);
  expect(validate.errors!.length).toBeLessThan(3 * enough);
});

test('an item that is looked for is found behind many others', () => {
  const validate = createAjv('requestBodyValidator').compile({ contains: { const: 'text' } });
  expect([validate([...many(0), 'text']), validate(many(0))]).toEqual([true, false]);
});

test.each(['oneOf', 'anyOf'])(
  'a value fits one branch of %s, or none, however wrong it is for the others',
  (keyword) => {
    const ofType = (type: string) => ({ type: 'array', items: { type } });
    const validate = createAjv('requestBodyValidator').compile({
      [keyword]: [ofType('null'), ofType('boolean'), ofType('string')],
    });
    expect([null, true, 'text', 1].map((item) => validate(many(item)))).toEqual([true, true, true, false]);
    expect(validate([...many('text'), 1])).toBe(false);
  },
);
