/**
 * Writes a contract in one of the ways in which it can be written. Two contracts that say the same become equal, so
 * `npm run diff` does not report what only looks different:
 *
 * - the order of `required`, `enum`, `type`, scopes and security requirements has no meaning;
 * - `const` is an `enum` of one value, a list of one type is that type;
 * - `allOf` is the schema that its parts make together;
 * - parameters of a path belong to each of its operations, security of the document to each operation without its own;
 * - a component to which nothing refers says nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { holdsNamedSchemas, holdsSchema, holdsSchemas } from '../../src/contract/schema-keywords.ts';
import { at, type Json, keysOf, operationsOf, references, resolve } from './document.ts';

/** Returns the contract in its normal form. The document itself is not changed. */
export function normalize(document: Json): Json {
  const copy = structuredClone(document);
  for (const { operation, item } of operationsOf(copy)) {
    operation.parameters = parametersOf(copy, operation, item);
    operation.security = securityOf(operation.security ?? copy.security ?? []);
  }
  for (const item of Object.values<Json>(copy.paths ?? {})) delete item.parameters;
  delete copy.security;
  const schemas = copy.components?.schemas ?? {};
  // All are made from the document as it was written, so it does not matter which one comes first.
  const written = structuredClone(copy);
  for (const name of Object.keys(schemas)) schemas[name] = normalizeSchema(written, schemas[name]);
  for (const [name, part] of Object.entries<Json>(copy.components ?? {}))
    if (name !== 'schemas' && name !== 'examples') normalizeSchemasIn(written, part);
  normalizeSchemasIn(written, copy.paths);
  const used = references(copy, [copy.paths, copy.webhooks]);
  for (const name of Object.keys(schemas)) if (!used.has(`#/components/schemas/${name}`)) delete schemas[name];
  return copy;
}

/** Those of the path, unless the operation has one of the same name in the same place, and its own. */
function parametersOf(document: Json, { parameters = [] }: Json, item: Json): Json[] {
  const identity = (parameter: Json) => {
    const { in: place, name } = resolve(document, parameter);
    return `${place} ${name}`;
  };
  const own = new Set(parameters.map(identity));
  return [...(item.parameters ?? []).filter((parameter: Json) => !own.has(identity(parameter))), ...parameters];
}

function securityOf(requirements: Json[]): Json[] {
  const sorted = requirements.map((requirement) =>
    Object.fromEntries(
      Object.entries<string[]>(requirement)
        .map(([scheme, scopes]): [string, string[]] => [scheme, scopes.toSorted()])
        .toSorted(byText),
    ),
  );
  return sorted.toSorted(byText);
}

/** Below parameters, headers, bodies and responses a schema is the value of `schema`; in examples this may be any word. */
function normalizeSchemasIn(document: Json, part: Json): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries<Json>(part)) {
    if (name === 'example' || name === 'examples') continue;
    if (name === 'schema') part.schema = normalizeSchema(document, value);
    else normalizeSchemasIn(document, value);
  }
}

/** `within` are the references that led here; they are not followed again. */
function normalizeSchema(document: Json, schema: Json, within: string[] = []): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = (value: Json) => normalizeSchema(document, value, within);
  const copy: Json = {};
  for (const [keyword, value] of Object.entries<Json>(schema)) {
    if (holdsNamedSchemas.has(keyword) || keyword === '$defs')
      copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]));
    else if (holdsSchemas.has(keyword)) copy[keyword] = value.map(inside);
    else if (holdsSchema.has(keyword)) copy[keyword] = inside(value);
    else if (keyword === 'const' && schema.enum === undefined) copy.enum = [value];
    else if (['required', 'enum', 'type'].includes(keyword) && Array.isArray(value))
      copy[keyword] = keyword === 'type' && value.length === 1 ? value[0] : value.toSorted(byText);
    else copy[keyword] = value;
  }
  return copy.allOf === undefined ? copy : (flattened(document, copy, within) ?? copy);
}

/** A schema without `allOf` that says the same; undefined when there is none that is certain to. */
function flattened(document: Json, { allOf = [], ...rest }: Json, within: string[]): Json | undefined {
  // A reference that stands alone keeps its name.
  if (allOf.length === 1 && Object.keys(rest).length === 0) return allOf[0];
  let merged: Json | undefined = {};
  for (const part of [...allOf, rest]) {
    const whole = partOf(document, part, within);
    merged = whole && merged && merge(merged, whole);
  }
  return merged;
}

/** A part of `allOf`, in full. */
function partOf(document: Json, part: Json, within: string[]): Json | undefined {
  if (typeof part !== 'object' || within.includes(part.$ref)) return undefined;
  if (part.$ref === undefined) return part.allOf === undefined ? part : flattened(document, part, within);
  if (Object.keys(part).length > 1) return undefined;
  const inner = [...within, part.$ref];
  return partOf(document, normalizeSchema(document, at(document, keysOf(part.$ref)), inner), inner);
}

/** A value has to fit both schemas: the one that says so; undefined where that takes more than to put them together. */
function merge(one: Json, other: Json): Json | undefined {
  const result = { ...one };
  for (const [keyword, value] of Object.entries<Json>(other)) {
    const both = one[keyword] === undefined ? value : mergeKeyword(keyword, one[keyword], value);
    if (both === undefined) return undefined;
    result[keyword] = both;
  }
  // They look at the properties of their own part only.
  const isClosed = ({ additionalProperties: others = true, unevaluatedProperties: rest = true }: Json) =>
    others !== true || rest !== true;
  return [one, other].some(isClosed) && !isDeepStrictEqual(one, {}) && !isDeepStrictEqual(other, {})
    ? undefined
    : result;
}

function mergeKeyword(keyword: string, one: Json, other: Json): Json | undefined {
  if (isDeepStrictEqual(one, other)) return one;
  if (/^(title|description|examples?|deprecated|default|x-.*)$/.test(keyword)) return other; // What is said outside counts.
  if (keyword === 'required') return [...new Set([...one, ...other])].toSorted(byText);
  if (/^(exclusiveM|m)inimum$|^min[A-Z]/.test(keyword)) return Math.max(one, other);
  if (/^(exclusiveM|m)aximum$|^max[A-Z]/.test(keyword)) return Math.min(one, other);
  if (keyword === 'properties') {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const entries = names.map((name) => [
      name,
      one[name] === undefined ? other[name] : other[name] === undefined ? one[name] : merge(one[name], other[name]),
    ]);
    return entries.some(([, schema]) => schema === undefined) ? undefined : Object.fromEntries(entries);
  }
  return undefined;
}

function byText(one: unknown, other: unknown): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : Number(a > b);
}
