/** Shapes of surveys, and of changes of a survey that is large already. */
import { type Bounds, fill, largestBody, pick, type Shape, times, type Values } from './shapes.ts';

const fieldHead = '"label":"a","type":"int","input":"text"';

/** A survey with so many tasks, and in them so many bytes of what is made. */
const survey = (tasks: number, bytes: number, field: (number: number) => string) => {
  let number = 0;
  // At most 500 fields are allowed in a task.
  const task = () => `{"label":"a","fields":[${fill(bytes / tasks - 25, () => field(number++), 500)}]}`;
  return `{"tasks":[${times(tasks, task)}]}`;
};

/** Fields with something in them. */
const fields = (bounds: Bounds, inside: (values: Values, number: number) => string): Shape => ({
  bounds: { bytes: largestBody, tasks: 200, ...bounds },
  text: (values) => survey(values.tasks!, values.bytes!, (number) => `{${fieldHead}${inside(values, number)}}`),
});

/** Values that are wrong, directly in one of the arrays, up to the size where all errors are collected and above. */
const wrong = (
  path: 'tasks' | 'fields' | 'options' | 'top',
  make: (values: Values, number: number) => string,
  bounds: Bounds = {},
): Shape => ({
  bounds: { bytes: largestBody, valid: largestBody, tasks: 200, ...bounds },
  text: (values) => {
    const filler = fill(Math.min(values.valid!, values.bytes! - 100), () => `{${fieldHead}}`);
    const items = (bytes: number) => fill(bytes, (number) => make(values, number));
    const left = Math.max(100, values.bytes! - filler.length);
    if (path === 'top') return `{"tasks":[{"label":"a","fields":[${filler}]}],${items(left)}}`;
    if (path === 'tasks') return `{"tasks":[{"label":"a","fields":[${filler}]},${items(left)}]}`;
    const share = left / values.tasks!;
    return `{"tasks":[{"label":"a","fields":[${filler}]},${times(values.tasks!, () => `{"label":"a","fields":[${items(share - 25)}]}`)}]}`;
  },
});

const language = (number: number) => number.toString(36).padStart(2, 'a');

/** Shapes of a survey. */
export const surveyBody: Record<string, Shape> = {
  'many fields': fields({}, () => ''),
  'many tasks': {
    bounds: { tasks: 200, length: 5000 },
    text: ({ tasks, length }) =>
      `{"tasks":[${times(tasks!, () => `{"label":"a","description":"${'é'.repeat(length!)}"}`)}]}`,
  },
  'fields with languages': fields(
    { languages: 200, kind: 4 },
    (values) =>
      `,"translations":{${times(values.languages!, (at) => `"${language(at)}":${pick(values, '{}', '{"label":"a"}', '"a"', '{"options":[0]}')}`)}}`,
  ),
  'fields with languages of their own': fields(
    { languages: 200, kind: 2 },
    (values, number) =>
      `,"translations":{${times(values.languages!, (at) => `"${(number * values.languages! + at).toString(36)}":${pick(values, '{}', '{"label":""}')}`)}}`,
  ),
  'fields with options': fields(
    { options: 1000, kind: 6 },
    (values) =>
      `,"options":[${times(values.options!, () => pick(values, '0', '1e20', '{}', '""', '5e-324', '{"a":0}'))}]`,
  ),
  'fields with deep options': fields(
    { options: 1000, depth: 33 },
    ({ options, depth }) => `,"options":[${times(options!, () => '['.repeat(depth!) + ']'.repeat(depth!))}]`,
  ),
  'fields with translated options': fields(
    { languages: 200, options: 1000 },
    ({ languages, options }) =>
      `,"translations":{${times(languages!, (at) => `"${language(at)}":{"options":{${times(options!, (one) => `"${one}":0`)}}}`)}}`,
  ),
  'fields with config': fields(
    { members: 10_000, length: 1000 },
    ({ members, length }, number) =>
      `,"config":{${times(members!, (at) => `"${number}-${at}${'x'.repeat(length!)}":0`)}}`,
  ),
  'fields with unknown members': fields(
    { members: 10_000 },
    ({ members }) => `,${times(members!, (at) => `"${at}":0`)}`,
  ),
  'fields of one kind': fields({ kind: 3 }, (values) =>
    pick(values, ',"type":"title"', ',"type":"description"', ',"type":"tags","response_private":true'),
  ),
  'fields in reverse order': fields({}, (_, number) => `,"priority":${2e6 - number}`),
  'fields with temporary identifiers': fields({ kind: 4 }, (values, number) =>
    pick(values, `,"id":"interim_id_${number}"`, `,"id":${number + 1}`, ',"id":1', ',"id":9007199254740991'),
  ),
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
  'wrong members under long names': wrong(
    'top',
    ({ length }, number) => `"translations":{"${'~'.repeat(length!)}${number}":0,"a":{"name":0,"description":0}}`,
    { length: 1000 },
  ),
  'wrong languages': wrong(
    'top',
    (values) =>
      `"enabled_languages":{"available":[${times(values.count!, () => pick(values, '"!"', '0', '""', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"'))}]}`,
    { kind: 4, count: 20_000 },
  ),
  'wrong options of languages': wrong(
    'fields',
    (values) =>
      `{${fieldHead},"translations":{"a":{"options":${pick(values, '0', '"a"', `[${'['.repeat(40)}${']'.repeat(40)}]`, '{"x":0,"y":0}')}}}}`,
    { kind: 4 },
  ),
};

/** Shapes of a change of a survey that is large already. */
export const updateBody: Record<string, Shape> = {
  'only a new name': {
    bounds: { length: 250 },
    text: ({ length }) => JSON.stringify({ name: 'n'.repeat(length! + 2) }),
  },
  'tasks without their fields': {
    bounds: { tasks: 200 },
    text: ({ tasks }, target) =>
      `{"tasks":[${target
        .slice(0, tasks!)
        .map(({ id }) => `{"id":${id},"label":"b"}`)
        .join(',')}]}`,
  },
  'one field taken out of each task': {
    bounds: { tasks: 200 },
    text: ({ tasks }, target) =>
      `{"tasks":[${target
        .slice(1, tasks! + 1)
        .map(({ id }) => `{"id":${id},"label":"b"}`)
        .join(',')},{"label":"c","fields":[${target
        .slice(1, 500)
        .map((task) => `{"id":${task.fields[0]},${fieldHead}}`)
        .join(',')}]}]}`,
  },
  'all fields moved to another task': {
    bounds: { shift: 200, count: 40_000 },
    text: ({ shift, count }, target) => {
      let left = count!;
      return `{"tasks":[${target
        .map(
          ({ id }, at) =>
            `{"id":${id},"label":"b","fields":[${target[(at + shift!) % target.length]!.fields.filter(() => left-- > 0)
              .map((field) => `{"id":${field},${fieldHead}}`)
              .join(',')}]}`,
        )
        .join(',')}]}`;
    },
  },
  'all tasks replaced': fields({}, () => ''),
  'nothing left': {
    bounds: { spaces: largestBody },
    text: ({ spaces }) => `{"tasks":[]${' '.repeat(Math.max(0, spaces! - 20))}}`,
  },
};
