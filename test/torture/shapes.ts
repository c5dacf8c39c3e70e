/** Bodies that may cost much, as shapes with parameters that the search varies: here those that are any JSON. */

/** A body is at most so large, in bytes. */
export const largestBody = 2 ** 20;

/** The largest value of each parameter of a shape; the least is 1. */
export type Bounds = Record<string, number>;
export type Values = Record<string, number>;

/** The survey that an update changes: the identifiers of its tasks, with those of their fields. */
export type Target = readonly { id: number; fields: readonly number[] }[];

export interface Shape {
  bounds: Bounds;
  /** JSON text for these values; too large a text is not sent. */
  text: (values: Values, target: Target) => string;
}

/** Parts with commas between them, as many as fit into so many bytes, and not more than so many. */
export const fill = (bytes: number, make: (number: number) => string, most = Number.POSITIVE_INFINITY) => {
  const parts: string[] = [];
  for (let left = bytes; parts.length < most; ) {
    const part = make(parts.length);
    left -= Buffer.byteLength(part) + 1;
    if (left < 0) break;
    parts.push(part);
  }
  return parts.join(',');
};
/** So many parts with commas between them. */
export const times = (count: number, make: (number: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(',');

/** The variant of a shape. */
export const pick = (values: Values, ...texts: string[]) => texts[(values.kind! - 1) % texts.length]!;

/** A member that is not known, with something in it: it is read and validated, and not stored. */
const unknown = (bounds: Bounds, inside: (values: Values, number: number) => string, [open, close] = '[]'): Shape => ({
  bounds: { bytes: largestBody, ...bounds },
  text: (values) => `{"x":${open}${fill(values.bytes! - 20, (number) => inside(values, number))}${close}}`,
});

/** Shapes of any JSON: only the reading of a body and the looks over it matter. */
export const anyBody: Record<string, Shape> = {
  'many numbers': unknown({ kind: 7 }, (values) =>
    pick(values, '0', '1e20', '0.1', '5e-324', '1.7976931348623157e308', '-0', '9007199254740993'),
  ),
  'numbers of many digits': unknown({ digits: 300_000 }, ({ digits }) => `0.${'123456789'.repeat(digits! / 9)}1`),
  'numbers between two others': unknown(
    { digits: 780 },
    ({ digits }) => `9007199254740993${'0'.repeat(digits!)}1e-${digits! + 1}`,
  ),
  'numbers beyond range': unknown({ digits: 1000 }, ({ digits }) => `1e${'9'.repeat(digits!)}`),
  'many names': unknown(
    { length: 1024, kind: 4 },
    (values, number) =>
      `"${pick(values, '', '4294', '\\u0061', '__proto__')}${number}${'~/'.repeat(values.length! / 2)}":0`,
    '{}',
  ),
  'objects with names of their own': unknown(
    { members: 200, kind: 2 },
    (values, number) =>
      `{${times(values.members!, (at) => `"${pick(values, (number * values.members! + at).toString(36), String.fromCharCode(97 + ((number * 7 + at * (number % 23)) % 26)))}":0`)}}`,
  ),
  'the same name': unknown({ length: 1024 }, ({ length }) => `"${'a'.repeat(length!)}":0`, '{}'),
  'many empty objects': unknown({ kind: 4 }, (values) => pick(values, '{}', '[]', '{"a":{}}', '""')),
  'deep values': unknown({ depth: 61 }, ({ depth }) => `${'['.repeat(depth!)}${']'.repeat(depth!)}`),
  'deep objects': unknown(
    { depth: 61, length: 1000 },
    ({ depth, length }) => `${`{"${'a'.repeat(length!)}":`.repeat(depth!)}0${'}'.repeat(depth!)}`,
  ),
  'texts with escapes': unknown(
    { length: 1000, kind: 6 },
    (values) => `"${pick(values, '\\n', '\\u0061', '\\ud83d\\ude00', '\\\\', 'é', '\\"').repeat(values.length!)}"`,
  ),
  'what cannot be stored': unknown(
    { depth: 61, length: 1024, kind: 4 },
    (values) =>
      `${`{"${'/'.repeat(values.length!)}":`.repeat(values.depth!)}${pick(values, '"\\u0000"', '1e999', '"\\ud800"', '{"\\u0000":0}')}${'}'.repeat(values.depth!)}`,
  ),
  'a NUL behind all': {
    bounds: { bytes: largestBody, kind: 4 },
    text: (values) =>
      `{"x":[${fill(values.bytes! - 40, () => pick(values, '0', '{}', '""', '{"a":0}'))}],"y":"\\u0000"}`,
  },
  'a long text': {
    bounds: { bytes: largestBody, member: 12, kind: 4 },
    text: (values) => {
      const members = [
        'name',
        'description',
        'base_language',
        'color',
        'type',
        'message',
        'dataset_title',
        'organisation_id',
        'organisation_name',
        'source',
        'translations',
        'x',
      ];
      const part = pick(values, 'a', '-aaaaaaaa', '\\n', '😀');
      return `{"${members[values.member! - 1]}":"en${part.repeat((values.bytes! - 40) / Buffer.byteLength(part))}"}`;
    },
  },
  'JSON cut off': {
    bounds: { bytes: largestBody, kind: 4 },
    text: (values) => `{"x":[${fill(values.bytes! - 10, () => pick(values, '0', '{}', '"a"', '[]'))}`,
  },
};
