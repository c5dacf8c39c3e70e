/** Resolves the schemas of a contract: no `$ref` is left, and OpenAPI 3.0 is rewritten as 3.1 says the same. */
import { escapePointerStep } from './problem.ts';
import { follow, isObject, isReference } from './references.ts';
import {
  annotations,
  dynamicReferences,
  holdsNamedSchemas,
  holdsParts,
  holdsSchema,
  holdsSchemas,
  knownKeywords,
} from './schema-keywords.ts';
import type { Feature } from './servable.ts';

/** A schema without references; it may contain itself. */
export type Schema = boolean | SchemaObject;
export type SchemaObject = Record<string, unknown>;

/** What is wrong with a schema, whichever operations use it. */
export interface SchemaFault {
  feature: Feature;
  detail: string;
  place: string;
}

/** Which way values go: a request has no required `readOnly` members, a response no `writeOnly` ones. */
export type Direction = 'request' | 'response';

const dialects =
  /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.1\/dialect\/base)#?$/;

/** Whether schemas of this dialect are read as they are meant. */
export function isKnownDialect(dialect: unknown): boolean {
  return typeof dialect === 'string' && dialects.test(dialect);
}

/** Resolves schemas. Each is resolved once for each direction, so the same source gives the same object. */
export class SchemaResolver {
  /** By resolved schema. */
  readonly faults = new Map<SchemaObject, SchemaFault[]>();
  readonly #document: object;
  readonly #version: '3.0' | '3.1';
  readonly #resolved = { request: new Map<object, Schema>(), response: new Map<object, Schema>() };

  /** Where the resolved schemas are declared. */
  readonly #places = new Map<SchemaObject, string>();

  /** The members of a resolved schema that go the other way only. */
  readonly #oneWay = new Map<SchemaObject, ReadonlySet<string>>();

  constructor(document: object, version: '3.0' | '3.1') {
    this.#document = document;
    this.#version = version;
  }

  resolve(source: unknown, place: string, direction: Direction): Schema {
    if (typeof source === 'boolean') return source;
    const known = this.#resolved[direction].get(source as object);
    if (known !== undefined) return known;
    const result: SchemaObject = {};
    const fault = (feature: Feature, detail: string, at = place) => {
      this.faults.set(result, [...(this.faults.get(result) ?? []), { feature, detail, place: at }]);
    };
    if (!isObject(source)) {
      fault('malformed', JSON.stringify(source) ?? 'undefined');
      return result;
    }

    let schema = source;
    if (isReference(source)) {
      const beside = Object.entries(source).filter(([name]) => name !== '$ref' && !annotations.has(name));
      const target = follow(this.#document, source.$ref);
      if (target === undefined) {
        this.#resolved[direction].set(source, result);
        fault('unresolved $ref', source.$ref);
        return result;
      }
      if (this.#version === '3.0' || beside.length === 0) {
        const end = this.resolve(target.value, target.place, direction);
        this.#resolved[direction].set(source, end);
        return end;
      }
      const { allOf = [], ...others } = Object.fromEntries(beside);
      schema = { ...others, allOf: [...(allOf as object[]), { $ref: source.$ref }] };
    }
    this.#resolved[direction].set(source, result);
    this.#places.set(result, place);

    if (this.#version === '3.0') schema = as31(schema, fault);
    for (const [keyword, value] of Object.entries(schema)) {
      const at = `${place}/${escapePointerStep(keyword)}`;
      if (holdsSchema.has(keyword)) result[keyword] = this.resolve(value, at, direction);
      else if (holdsSchemas.has(keyword)) {
        if (Array.isArray(value))
          result[keyword] = value.map((one, index) => this.resolve(one, `${at}/${index}`, direction));
        else fault('malformed', keyword, at);
      } else if (holdsNamedSchemas.has(keyword)) {
        if (isObject(value))
          result[keyword] = Object.fromEntries(
            Object.entries(value).map(([name, one]) => [
              name,
              this.resolve(one, `${at}/${escapePointerStep(name)}`, direction),
            ]),
          );
        else fault('malformed', keyword, at);
      } else if (keyword !== '$defs' && keyword !== '$anchor' && keyword !== '$schema') result[keyword] = value;
      this.#checkKeyword(keyword, value, (feature, detail) => fault(feature, detail, at));
    }
    this.#keepDirection(result, direction, fault);
    if (isObject(schema.discriminator)) this.#discriminate(schema, result, place, direction, fault);
    return result;
  }

  /** Finds the schemas that are made of themselves, when all are resolved. Members and items may well lead back. */
  findLoops(): void {
    const done = new Set<SchemaObject>();
    const around = new Set<SchemaObject>();
    const visit = (schema: Schema): void => {
      if (typeof schema === 'boolean' || done.has(schema)) return;
      if (around.has(schema)) {
        const place = this.#places.get(schema)!;
        const fault: SchemaFault = { feature: 'schema made of itself', detail: '', place };
        this.faults.set(schema, [...(this.faults.get(schema) ?? []), fault]);
        return;
      }
      around.add(schema);
      for (const part of partsOf(schema)) visit(part);
      around.delete(schema);
      done.add(schema);
    };
    for (const schema of this.#places.keys()) visit(schema);
  }

  #checkKeyword(keyword: string, value: unknown, fault: (feature: Feature, detail: string) => void): void {
    if (dynamicReferences.has(keyword)) fault('dynamic reference', keyword);
    else if (keyword === '$schema') {
      if (!isKnownDialect(value)) fault('JSON Schema dialect', String(value));
    } else if (keyword === 'nullable' && this.#version === '3.1') fault('nullable', '');
    else if (!(knownKeywords['3.1'].has(keyword) || keyword.startsWith('x-'))) fault('unknown keyword', keyword);
    else if (/^exclusiveM(?:in|ax)imum$/.test(keyword) && typeof value !== 'number') fault('exclusive bound', keyword);
  }

  /**
   * The service alone decides about `readOnly` members, so a request need not have them; `writeOnly` never comes back. Of a
   * part of `allOf`, which others may use too, what another part requires cannot be taken away.
   */
  #keepDirection(schema: SchemaObject, direction: Direction, fault: (feature: Feature, detail: string) => void): void {
    const { properties = {}, allOf = [] } = schema as { properties?: Record<string, Schema>; allOf?: Schema[] };
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
    const own = Object.keys(properties).filter((name) => isMarked(properties[name]!, mark));
    const parts = allOf.filter((part) => typeof part === 'object');
    const marked = new Set([...own, ...parts.flatMap((part) => [...(this.#oneWay.get(part) ?? [])])]);
    if (marked.size === 0) return;
    this.#oneWay.set(schema, marked);
    const { required } = schema;
    if (Array.isArray(required)) schema.required = required.filter((name) => !marked.has(name));
    if (direction === 'response' && own.length > 0)
      schema.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => !own.includes(name)));
    const demanded = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
    for (const name of demanded) if (marked.has(name)) fault('one-way member required elsewhere', `${mark} ${name}`);
  }

  /** A discriminator names the alternative that a value is of: each alternative takes its own names only. */
  #discriminate(
    source: SchemaObject,
    result: SchemaObject,
    place: string,
    direction: Direction,
    fault: (feature: Feature, detail: string, at?: string) => void,
  ): void {
    const { propertyName, mapping = {} } = source.discriminator as {
      propertyName?: unknown;
      mapping?: Record<string, string>;
    };
    const at = `${place}/discriminator`;
    if (typeof propertyName !== 'string' || !isObject(mapping)) {
      fault('malformed', 'discriminator', at);
      return;
    }
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const alternatives = source[keyword];
      if (!Array.isArray(alternatives)) continue;
      const used = new Set<string>();
      result[keyword] = alternatives.map((alternative) => {
        const names = isReference(alternative) ? (follow(this.#document, alternative.$ref)?.names ?? []) : [];
        const direct = isReference(alternative) ? names[0] : undefined;
        if (direct === undefined) {
          fault('discriminator', `${propertyName} with an alternative of its own`, at);
          return true;
        }
        const mapped = Object.keys(mapping).filter((value) => {
          const isThis = mapping[value] === direct || mapping[value] === (alternative as { $ref: string }).$ref;
          if (isThis) used.add(value);
          return isThis;
        });
        const values = mapped.length > 0 ? mapped : [direct];
        return {
          allOf: [this.resolve(alternative, place, direction)],
          required: [propertyName],
          properties: { [propertyName]: { enum: values } },
        };
      });
      for (const value of Object.keys(mapping))
        if (!used.has(value)) fault('discriminator', `${propertyName} maps ${value} to no alternative`, at);
    }
  }
}

/** The schemas that a value is held against when it is held against this one. */
function partsOf(schema: SchemaObject): Schema[] {
  return holdsParts.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined) return [];
    return holdsSchema.has(keyword) ? [value as Schema] : (Object.values(value as object) as Schema[]);
  });
}

function isMarked(schema: Schema, mark: 'readOnly' | 'writeOnly'): boolean {
  if (typeof schema === 'boolean') return false;
  return (
    schema[mark] === true || ((schema.allOf as Schema[] | undefined) ?? []).some((part) => isMarkedShallow(part, mark))
  );
}

function isMarkedShallow(schema: Schema, mark: 'readOnly' | 'writeOnly'): boolean {
  return typeof schema === 'object' && schema[mark] === true;
}

/** One schema object of OpenAPI 3.0 in the words of 3.1. */
function as31(source: SchemaObject, fault: (feature: Feature, detail: string) => void): SchemaObject {
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...schema } = source;
  for (const keyword of Object.keys(schema))
    if (!(knownKeywords['3.0'].has(keyword) || keyword.startsWith('x-') || keyword === '$ref'))
      fault('unknown keyword', keyword);
  if (nullable === true) {
    if (typeof schema.type === 'string') schema.type = [schema.type, 'null'];
    else if (['allOf', 'anyOf', 'oneOf', 'enum', 'not'].some((keyword) => keyword in schema))
      fault('nullable without type', '');
  }
  for (const [keyword, bound, value] of [
    ['exclusiveMinimum', 'minimum', exclusiveMinimum],
    ['exclusiveMaximum', 'maximum', exclusiveMaximum],
  ] as const) {
    if (value === undefined || value === false) continue;
    if (value !== true) fault('exclusive bound', keyword);
    else if (schema[bound] !== undefined) {
      schema[keyword] = schema[bound];
      delete schema[bound];
    }
  }
  return schema;
}
