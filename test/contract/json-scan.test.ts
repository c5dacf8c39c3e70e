/** The look over a JSON text finds its depth, its longest name and what may be lost, whatever the text is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countNameSequences, scanJson } from '../../src/contract/json-scan.ts';

const scan = (text: string) => scanJson(Buffer.from(text));

test.each([
  ['1', 0, 0],
  ['[]', 1, 0],
  ['[[],[[]]]', 3, 0],
  ['{"a": {"bcd" : [1]}, "ef":"longer than any name"}', 3, 3],
  ['"[[[{{{"', 0, 0],
  ['["\\"[", "\\\\", [1]]', 2, 0],
  ['{"\\"]":1}', 1, 3],
])('%s has its depth and its longest name', (text, depth, longestName) => {
  expect(scan(text)).toMatchObject({ depth, longestName });
});

test.each(['"\\u0000"', '"a\\uD800"', '"\\udFFF"', '1e400', '[-1E+999]', '{"a":1.5e308}', `1${'0'.repeat(200)}`])(
  '%s may hold what cannot be stored',
  (text) => {
    expect(scan(text).suspicious).toBe(true);
  },
);

test.each(['"\\u0001"', '"\\ud7ff"', '"\\\\u0000"', '1e99', '"1e400"', '[12345678901234567890]', '"0"', '"\\u00e9"'])(
  '%s can be stored',
  (text) => {
    expect(scan(text).suspicious).toBe(false);
  },
);

test('any JSON is scanned as it is', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const longestName = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Math.max(
          0,
          ...(Array.isArray(value) ? [] : Object.keys(value).map((name) => JSON.stringify(name).length - 2)),
          ...Object.values(value).map(longestName),
        )
      : 0;
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value: unknown = JSON.parse(text);
      // Names are compared as they are written, so only names that are written without escapes of more bytes.
      const ascii = JSON.stringify(value);
      fc.pre(ascii === Buffer.from(ascii).toString('latin1'));
      expect(scan(ascii)).toMatchObject({ depth: depthOf(value), longestName: longestName(value) });
    }),
  );
});

test.each([
  ['1', 0],
  ['["a","b"]', 0],
  ['{"a":1,"b":{"a":1}}', 2],
  ['[{"a":1,"b":1},{"b":1,"a":1}]', 4],
  ['[{"a":1},{"a":2},{"a":1,"b":"a"},{"a":{"a":1,"c":1}}]', 3],
  ['{"\\"a":1,"x" :{ "y"\n: 1}}', 3],
])('%s has so many different sequences of names: %i', (text, count) => {
  const bytes = Buffer.from(text);
  expect(countNameSequences(bytes, 5, 100)).toBe(count);
  expect(countNameSequences(bytes, 5, 1)).toBe(Math.min(count, 1));
});

test('any bytes are scanned to their end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(scanJson(bytes)).toMatchObject({ depth: expect.any(Number), suspicious: expect.any(Boolean) });
    }),
  );
});
