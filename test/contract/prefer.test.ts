/** The header Prefer is read as RFC 7240 says, and in linear time. */
import { expect, test } from 'vitest';
import { preferences } from '../../src/contract/prefer.ts';

test.each([
  ['handling=strict', { handling: 'strict' }],
  ['HANDLING = "strict"', { handling: 'strict' }],
  ['respond-async, wait=10,handling=strict', { 'respond-async': '', wait: '10', handling: 'strict' }],
  ['handling=strict; because="a, b"; c', { handling: 'strict' }],
  ['a; handling=strict', { a: '' }],
  [';handling=strict', {}],
  ['a="x, handling=strict"', { a: 'x, handling=strict' }],
  ['a;b="x, handling=strict"', { a: '' }],
  ['a="\\", handling=strict"', { a: '", handling=strict' }],
  ['a="\\\\", handling=strict', { a: '\\', handling: 'strict' }],
  ['a="not closed, handling=strict', { a: '"not closed, handling=strict' }],
  ['handling=lenient, handling=strict', { handling: 'lenient' }],
  ['handling, handling=strict', { handling: '' }],
  ['handling=strict=', { handling: 'strict=' }],
  ['handling=strict x', { handling: 'strict x' }],
  [' ,, =strict, ', {}],
  ['__proto__=1', JSON.parse('{"__proto__":"1"}')],
  ['', {}],
])('%j', (header, expected) => {
  expect(Object.fromEntries(preferences(header))).toEqual(expected);
});

test.each(['a=', '"', '\\', '"\\', ',', ';', 'a;"', ' = ', '"a" '])('a header full of %j costs little', (part) => {
  const header = part.repeat(2 ** 16 / part.length);
  const start = performance.now();
  preferences(header);
  preferences(`${header}@`);
  expect(performance.now() - start).toBeLessThan(200);
});
