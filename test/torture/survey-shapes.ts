/** Shapes of surveys, and of changes of a survey that is large already. */
import { type Bounds, fill, largestBody, pick, type Shape, times, type Values } from './shapes.ts';
import { wrongBody } from './wrong-shapes.ts';

/** What every field has. */
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
  ...wrongBody,
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
