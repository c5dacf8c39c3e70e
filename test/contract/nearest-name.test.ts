/** The name that is suggested is the one a person would have meant, or none. */
import { expect, test } from 'vitest';
import { nearestName, suggestion } from '../../src/contract/nearest-name.ts';

const known = ['id', 'name', 'description', 'base_language', 'color', 'type', 'tasks', 'translations', 'hide_author'];

test.each([
  ['nmae', 'name'],
  ['Name', 'name'],
  ['names', 'name'],
  ['descripton', 'description'],
  ['desciprtion', 'description'],
  ['baseLanguage', 'base_language'],
  ['BASE-LANGUAGE', 'base_language'],
  ['colour', 'color'],
  ['task', 'tasks'],
  ['hide_autor', 'hide_author'],
  ['title', undefined],
  ['key', undefined],
  ['', undefined],
  ['_'.repeat(1024), undefined],
  ['description_of_the_survey', undefined],
])('%s: %s', (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

test('of two near names the nearer one is taken', () => {
  expect(nearestName('limits', ['limes', 'limit'])).toBe('limit');
});

test('when no name is near, all are told', () => {
  expect(suggestion('title', ['id', 'name'])).toBe('Known are id, name.');
  expect(suggestion('title', [])).toBe('There are none.');
});
