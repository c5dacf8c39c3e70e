/** Makes wrong values from right ones: for each value in an example, one for each thing its schema forbids. */
import type { OpenAPIV3_1 } from 'openapi-types';

export interface WrongValue {
  /** The whole example with one value in it replaced. */
  value: unknown;
  code: string;
  pointer: string;
}

type Schema = OpenAPIV3_1.SchemaObject & { 'x-max-depth'?: number };

/** Every way in which a value inside `example` can break `schema`, wherever there is just one way to read it. */
export function wrongValues(schema: Schema, example: unknown): WrongValue[] {
  return inside(schema, example, '', (replacement) => replacement);
}

function inside(
  schema: Schema,
  value: unknown,
  pointer: string,
  whole: (replacement: unknown) => unknown,
): WrongValue[] {
  const here = replacements(schema).map(([code, replacement]) => ({ value: whole(replacement), code, pointer }));
  return [
    ...here,
    ...members(schema, value).flatMap(({ name, member, schema: inner }) => {
      const replace = (replacement: unknown) =>
        whole(
          Array.isArray(value) ? value.with(Number(name), replacement) : { ...(value as object), [name]: replacement },
        );
      return inside(inner, member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, replace);
    }),
  ];
}

function members(schema: Schema, value: unknown): { name: string; member: unknown; schema: Schema }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = Array.isArray(value) ? (schema as { items?: Schema }).items : schema.properties?.[name];
    return inner === undefined ? [] : [{ name, member, schema: inner as Schema }];
  });
}

function replacements(schema: Schema): [code: string, replacement: unknown][] {
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return [];
  const found: [string, unknown][] = [['invalid_type', types.includes('string') ? 7 : 'seven']];
  if (!types.includes('null')) found.push(['invalid_type', null]);
  if (schema.minLength) found.push(['too_short', 'x'.repeat(schema.minLength - 1)]);
  if (schema.maxLength !== undefined) found.push(['too_long', 'x'.repeat(schema.maxLength + 1)]);
  if (schema.minimum !== undefined) found.push(['too_small', schema.minimum - 1]);
  if (schema.maximum !== undefined) found.push(['too_large', schema.maximum + 1]);
  if (types.includes('integer')) found.push(['invalid_type', 1.5]);
  if (schema.enum) found.push(['not_allowed', 'surely not allowed']);
  if (schema.pattern) found.push(['invalid_format', '\u0001']);
  if (schema.maxItems !== undefined)
    found.push(['too_many_items', Array.from({ length: schema.maxItems + 1 }, () => 0)]);
  if (schema.maxProperties !== undefined) found.push(['too_many_members', manyMembers(schema.maxProperties + 1)]);
  if (schema['x-max-depth'] !== undefined)
    found.push(['too_deep', nested(schema['x-max-depth'] + 1, types.includes('array'))]);
  if (types.includes('string')) found.push(['invalid_character', 'a\0b'], ['invalid_character', 'a\ud800b']);
  return found;
}

function manyMembers(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, '']));
}

function nested(depth: number, array: boolean): unknown {
  const inner = depth === 1 ? 0 : nested(depth - 1, array);
  return array ? [inner] : { inner };
}
