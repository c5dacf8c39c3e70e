/** Conditions of requests, by the rules of RFC 9110, section 13. */
import { expect, test } from 'vitest';
import { evaluate, isEntityTags } from '../../src/contract/preconditions.ts';

const modified = 'Sun, 01 Mar 2026 09:30:00 GMT';
const before = 'Sun, 01 Mar 2026 09:29:59 GMT';
const after = 'Sun, 01 Mar 2026 09:30:01 GMT';

test.each([
  // A reading request, a change, the conditions.
  ['proceed', 'proceed', {}],
  ['proceed', 'proceed', { 'if-match': '"a"' }],
  ['proceed', 'proceed', { 'if-match': '*' }],
  ['proceed', 'proceed', { 'if-match': '"b", "a"' }],
  ['failed', 'failed', { 'if-match': '"b"' }],
  ['failed', 'failed', { 'if-match': 'W/"a"' }],
  ['not_modified', 'failed', { 'if-none-match': '"a"' }],
  ['not_modified', 'failed', { 'if-none-match': '"b",W/"a"' }],
  ['not_modified', 'failed', { 'if-none-match': '*' }],
  ['proceed', 'proceed', { 'if-none-match': '"b"' }],
  ['not_modified', 'proceed', { 'if-modified-since': modified }],
  ['not_modified', 'proceed', { 'if-modified-since': after }],
  ['proceed', 'proceed', { 'if-modified-since': before }],
  ['proceed', 'proceed', { 'if-modified-since': 'yesterday' }],
  ['proceed', 'proceed', { 'if-unmodified-since': modified }],
  ['failed', 'failed', { 'if-unmodified-since': before }],
  ['proceed', 'proceed', { 'if-unmodified-since': '2020' }],
  // Which condition counts when there are several: section 13.2.2.
  ['proceed', 'proceed', { 'if-match': '"a"', 'if-unmodified-since': before }],
  ['proceed', 'proceed', { 'if-none-match': '"b"', 'if-modified-since': modified }],
  ['failed', 'failed', { 'if-match': '"b"', 'if-none-match': '"a"' }],
  ['not_modified', 'failed', { 'if-match': '"a"', 'if-none-match': '"a"' }],
] as const)('%s when reading, %s when changing: %j', (reading, changing, conditions) => {
  const validators = { ETag: '"a"', 'Last-Modified': modified };
  expect(evaluate(conditions, validators, true)).toBe(reading);
  expect(evaluate(conditions, validators, false)).toBe(changing);
});

test('what a tag ends in need not be a coding', () => {
  const validators = { ETag: '"1;draft"' };
  for (const tag of ['"1;draft"', '"1;draft;br"']) {
    expect(evaluate({ 'if-match': tag }, validators, false)).toBe('proceed');
    expect(evaluate({ 'if-none-match': tag }, validators, false)).toBe('failed');
  }
  expect(evaluate({ 'if-match': '"1;draft"' }, { ETag: '"1"' }, false)).toBe('failed');
  expect(evaluate({ 'if-match': '"1;br"' }, { ETag: '"1;br"' }, false)).toBe('proceed');
});

test('a weak tag fits If-None-Match and never If-Match', () => {
  const validators = { ETag: 'W/"a"' };
  expect(evaluate({ 'if-none-match': '"a"' }, validators, true)).toBe('not_modified');
  expect(evaluate({ 'if-match': 'W/"a"' }, validators, true)).toBe('failed');
  expect(evaluate({ 'if-match': '*' }, validators, true)).toBe('proceed');
});

test('whether two tags mean the same state may be known better', () => {
  const sameNumber = (one: string, other: string) => one.split('-')[0] === other.split('-')[0];
  const validators = { ETag: '"3-x"' };
  expect(evaluate({ 'if-match': '"3-y"' }, validators, false, sameNumber)).toBe('proceed');
  expect(evaluate({ 'if-match': '"4-x", "2-x"' }, validators, false, sameNumber)).toBe('failed');
});

test.each(['*', '"a"', 'W/"a"', '"a", "b"', '"a",,W/"b" ', '""', '"a,b"', ' "a"'])('%j is a list of tags', (text) => {
  expect(isEntityTags(text)).toBe(true);
});

test.each([
  '',
  'a',
  '"a',
  'a"',
  '"a" "b"',
  'w/"a"',
  '*, "a"',
  '"a" x',
  'W/a',
  ',',
  '"a\u0001"',
  `${','.repeat(15_000)}x`,
])('%j is none', (text) => {
  expect(isEntityTags(text)).toBe(false);
});
