/** The script that draws /docs: what is changed in Redoc, and what happens when Redoc has changed. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeRedocScript, patchRedoc, RedocChanged } from '../../scripts/lib/redoc.ts';

test('the committed script is the one that the installed package gives, below its licence', () => {
  const script = makeRedocScript();
  expect(readFileSync(new URL('../../src/generated/redoc.js', import.meta.url), 'utf8') === script).toBe(true);
  expect(script.slice(0, 400)).toMatch(
    /^\/\*!\nRedoc from @redocly\/cli \d+\.\d+\.\d+[^]*Permission is hereby granted/,
  );
  expect(script).not.toContain('https://cdn.redoc.ly/redoc/logo');
});

test('a version of Redoc without the code that a patch changes is refused, with the reason of the patch', () => {
  expect(() => patchRedoc('const{init}={}')).toThrow(RedocChanged);
  expect(() => patchRedoc('const{init}={}')).toThrow(/^Redoc has changed: .*logo-mini.* is not in it.*badge loads/);
});
