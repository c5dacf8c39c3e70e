/** Resolved schemas as Ajv takes them. */
import { escapePointerStep } from './problem.ts';
import { holdsNamedSchemas, holdsSchema, holdsSchemas } from './schema-keywords.ts';
import type { Schema } from './schemas.ts';

/**
 * A copy of a resolved schema in which a schema that comes again is a `$ref` to where it comes first: schemas may contain
 * themselves, and Ajv compiles each of them once.
 */
export function withLocalReferences(schema: Schema): Schema {
  const places = new Map<object, string>();
  const copy = (value: unknown, place: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const known = places.get(value);
    if (known !== undefined) return { $ref: known };
    places.set(value, place);
    return Object.fromEntries(
      Object.entries(value).map(([keyword, inner]) => [keyword, inside(keyword, inner, `${place}/${keyword}`)]),
    );
  };
  const inside = (keyword: string, value: unknown, place: string): unknown => {
    if (holdsSchema.has(keyword)) return copy(value, place);
    if (holdsSchemas.has(keyword)) return (value as unknown[]).map((one, at) => copy(one, `${place}/${at}`));
    if (!holdsNamedSchemas.has(keyword)) return value;
    return Object.fromEntries(
      Object.entries(value as object).map(([name, one]) => [
        name,
        copy(one, `${place}/${encodeURIComponent(escapePointerStep(name))}`),
      ]),
    );
  };
  return copy(schema, '#') as Schema;
}
