/** Shapes of surveys in which many values are wrong. */
import { type Bounds, fill, largestBody, pick, type Shape, times, type Values } from './shapes.ts';

const fieldHead = '"label":"a","type":"int","input":"text"';

/** Values that are wrong, directly in one of the arrays, up to the size where all errors are collected and above. */
const wrong = (
  path: 'tasks' | 'fields',
  make: (values: Values, number: number) => string,
  bounds: Bounds = {},
): Shape => ({
  bounds: { bytes: largestBody, valid: largestBody, tasks: 200, ...bounds },
  text: (values) => {
    const filler = fill(Math.min(values.valid!, values.bytes! - 100), () => `{${fieldHead}}`);
    const items = (bytes: number) => fill(bytes, (number) => make(values, number));
    const left = Math.max(100, values.bytes! - filler.length);
    if (path === 'tasks') return `{"tasks":[{"label":"a","fields":[${filler}]},${items(left)}]}`;
    const share = left / values.tasks!;
    return `{"tasks":[{"label":"a","fields":[${filler}]},${times(values.tasks!, () => `{"label":"a","fields":[${items(share - 25)}]}`)}]}`;
  },
});

/** Many wrong values in one member of the survey. */
const listed = (open: string, close: string, make: (values: Values, number: number) => string): Shape => ({
  bounds: { bytes: largestBody, length: 1000, kind: 4 },
  text: (values) => `{${open}${fill(values.bytes! - 60, (number) => make(values, number))}${close}}`,
});

/** By what is wrong. */
export const wrongBody: Record<string, Shape> = {
  'wrong fields': wrong(
    'fields',
    (values) =>
      pick(values, '{}', 'null', '0', '{"label":0,"type":0,"input":0,"id":{},"options":0,"config":0,"translations":0}'),
    { kind: 4 },
  ),
  'wrong tasks': wrong(
    'tasks',
    (values) => pick(values, '{}', '0', '{"label":"","id":"x","fields":0}', '{"fields":[{}]}'),
    { kind: 4 },
  ),
  'wrong alternatives': wrong(
    'fields',
    (values, number) =>
      pick(
        values,
        `{${fieldHead},"id":{}}`,
        `{${fieldHead},"id":"${number}"}`,
        `{${fieldHead},"id":1.5}`,
        `{${fieldHead},"translations":{"a":0,"b":[],"c":{"label":0}}}`,
      ),
    { kind: 4 },
  ),
  'wrong names of languages': wrong(
    'fields',
    ({ length }, number) =>
      `{${fieldHead},"translations":{${times(50, (at) => `"${'!'.repeat(length!)}${number}${at}":{}`)}}}`,
    { length: 1000 },
  ),
  'wrong languages under long names': listed(
    '"translations":{',
    '}',
    (values, number) => `"${'~'.repeat(values.length!)}${number}":${pick(values, '0', '{"name":0}', '{}', '[]')}`,
  ),
  'wrong languages that are enabled': listed('"enabled_languages":{"available":[', ']}', (values, number) =>
    pick(values, '"!"', '0', '""', `"${'a'.repeat(values.length!)}!${number}"`),
  ),
  'wrong roles': listed('"can_create":[', ']', (values) =>
    pick(values, '0', '""', `"${'a'.repeat(values.length!)}"`, '{}'),
  ),
  'wrong options of languages': wrong(
    'fields',
    (values) =>
      `{${fieldHead},"translations":{"a":{"options":${pick(values, '0', '"a"', `[${'['.repeat(40)}${']'.repeat(40)}]`, '{"x":0,"y":0}')}}}}`,
    { kind: 4 },
  ),
};
