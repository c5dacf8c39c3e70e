/** What the validators of an operation report: all that is wrong, or in a large body the first thing. */
import { expect, test } from 'vitest';
import { createAjv } from '../../src/contract/ajv.ts';
import { declaredBody } from '../../src/contract/body.ts';
import { bodyValidators } from '../../src/contract/body-validators.ts';
import { loadContract } from '../../src/contract/openapi.ts';

const schema = { type: 'array', items: { type: 'string', minLength: 3 } };
const document = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths: {
    '/words': {
      post: {
        operationId: 'createWords',
        requestBody: { content: { 'application/json': { schema } } },
        responses: { 204: { description: 'Stored.' } },
      },
    },
  },
};

async function wordErrors(value: string[]) {
  const { operations, checks } = await loadContract(document, {});
  const declared = declaredBody(operations[0]!)!;
  const [media] = declared.types;
  const size = JSON.stringify(value).length;
  const body = { value, size, problems: [], parsed: true, media: media!, contentType: 'application/json' };
  return bodyValidators(declared, checks).check(body);
}

test('all errors of a body of up to 64 KiB are reported', async () => {
  expect(await wordErrors(Array.from({ length: 1000 }, () => ''))).toHaveLength(1000);
});

test('in a larger body validation stops at the first error, wherever it is', async () => {
  const words = Array.from({ length: 30_000 }, () => 'word');
  expect(await wordErrors(words)).toEqual([]);
  expect(await wordErrors([...words, '', ''])).toMatchObject([{ instancePath: '/30000' }]);
});

test('keywords of JSON Schema 2020-12 are not ignored', () => {
  const validate = createAjv().compile({ prefixItems: [{ type: 'string' }], dependentRequired: { a: ['b'] } });
  expect([validate(['text']), validate([1]), validate({ a: 1, b: 1 }), validate({ a: 1 })]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test.each(['oneOf', 'anyOf'])(
  'a value fits one branch of %s, or none, however wrong it is for the others',
  (keyword) => {
    const ofType = (type: string) => ({ type: 'array', items: { type } });
    const many = (item: unknown) => Array.from({ length: 5000 }, () => item);
    for (const allErrors of [true, false]) {
      const validate = createAjv({ allErrors }).compile({
        [keyword]: [ofType('null'), ofType('boolean'), ofType('string')],
      });
      expect([null, true, 'text', 1].map((item) => validate(many(item)))).toEqual([true, true, true, false]);
      expect(validate([...many('text'), 1])).toBe(false);
    }
  },
);
