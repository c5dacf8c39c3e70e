/**
 * Turns an OpenAPI 3.1 document into an OpenAPI 3.0.3 one that says the same, for generators that still need it.
 *
 * No package does this: @apiture/openapi-down-convert 0.14.2 does not convert `type: 'null'` and `info.summary`, and depends
 * on a compiler of 60 MB; @scalar/openapi-upgrader converts in the other direction only.
 *
 * Every object of the specification has a table of its fields. A field that is in no table stops the conversion, so
 * nothing of 3.1 remains that a reader of 3.0 would misunderstand.
 *
 * Sources: the specifications 3.0.3 and 3.1.0, and the guide for the other direction,
 * https://www.openapis.org/blog/2021/02/16/migrating-from-openapi-3-0-to-3-1-0
 */
import { methods } from '../../src/contract/operation.ts';
import { escapePointerStep } from '../../src/contract/problem.ts';

// A document is JSON of many shapes; the tests hold the result against the meta-schema of 3.0.
type Json = any;
/** Returns the 3.0 form of the value at a place, or undefined when 3.0 has none and needs none. */
type Convert = (value: Json, at: string) => Json;

/** OpenAPI 3.0 cannot express a part of the document, or the part is not known here. */
export class NoCounterpart extends Error {
  constructor(at: string, why = 'has no counterpart in OpenAPI 3.0') {
    super(`openapi.json#${at} ${why} (scripts/lib/downgrade.ts)`);
  }
}

/**
 * Returns an OpenAPI 3.0.3 copy of a bundled OpenAPI 3.1 document. The document itself is not changed.
 *
 * @throws NoCounterpart with the place in the document.
 */
export function downgrade(document: Json): Json {
  const copy = root(document, '');
  const operations = Object.values<Json>(copy.paths).flatMap((path) => methods.flatMap((method) => path[method] ?? []));
  for (const secured of [copy, ...operations]) moveScopes(secured, copy.components?.securitySchemes ?? {});
  return copy;
}

const keep: Convert = (value) => value;
const drop: Convert = () => undefined;
const same = (...names: string[]): Record<string, Convert> => Object.fromEntries(names.map((name) => [name, keep]));

/** The place of a member, as a JSON Pointer (RFC 6901). */
const below = (at: string, name: string | number) => `${at}/${escapePointerStep(String(name))}`;

/** An object whose members have any names. */
const map =
  (convert: Convert): Convert =>
  (values, at) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value, below(at, name))]));

const list =
  (convert: Convert): Convert =>
  (values, at) =>
    values.map((value: Json, index: number) => convert(value, below(at, index)));

/** The entry of a table for a field. Extensions have no entry and stay. */
function entry<T>(table: Record<string, T>, name: string, at: string, extension: T): T {
  if (Object.hasOwn(table, name)) return table[name]!;
  if (name.startsWith('x-')) return extension;
  throw new NoCounterpart(below(at, name));
}

/** An object of the specification, by the table of its fields. */
const object =
  (fields: Record<string, Convert>): Convert =>
  (value, at) => {
    const copy: Json = {};
    for (const [name, member] of Object.entries(value)) {
      const converted = entry(fields, name, at, keep)(member, below(at, name));
      if (converted !== undefined) copy[name] = converted;
    }
    return copy;
  };

/** A reference, or what it would refer to. */
const orReference =
  (convert: Convert): Convert =>
  (value, at) => {
    if (!Object.hasOwn(value, '$ref')) return convert(value, at);
    if (Object.keys(value).length > 1)
      throw new NoCounterpart(at, 'has something beside its $ref, which OpenAPI 3.0 ignores');
    return value;
  };

/** A JSON Schema 2020-12 as a schema of 3.0. A declared function, because schemas hold schemas. */
function schema(value: Json, at: string): Json {
  if (typeof value === 'boolean') return value ? {} : { not: {} };
  return orReference(schemaObject)(value, at);
}

function schemaObject(value: Json, at: string): Json {
  const copy: Json = {};
  for (const [name, content] of Object.entries(value)) {
    const counterpart = entry(keywords, name, at, unchanged(name))(content, below(at, name), value);
    for (const [keyword, converted] of Object.entries(counterpart)) {
      if (keyword in copy && copy[keyword] !== converted)
        throw new NoCounterpart(below(at, name), `needs a second ${keyword} in OpenAPI 3.0`);
      copy[keyword] = converted;
    }
  }
  // In 3.0 an array has to say what it holds.
  if (copy.type === 'array') copy.items ??= {};
  return copy;
}

/** Returns the keywords that replace one keyword; some depend on the keywords beside it. */
type Keyword = (content: Json, at: string, beside: Json) => Record<string, Json>;

const unchanged =
  (name: string): Keyword =>
  (content) => ({ [name]: content });
const inside =
  (name: string, convert: Convert): Keyword =>
  (content, at) => ({ [name]: convert(content, at) });

const keywords: Record<string, Keyword> = {
  ...Object.fromEntries(
    [
      'title',
      'description',
      'default',
      'example',
      'deprecated',
      'readOnly',
      'writeOnly',
      'discriminator',
      'xml',
      'externalDocs',
      'enum',
      'format',
      'pattern',
      'minLength',
      'maxLength',
      'multipleOf',
      'minItems',
      'maxItems',
      'uniqueItems',
      'minProperties',
      'maxProperties',
    ].map((name) => [name, unchanged(name)]),
  ),

  type: (type, at) => {
    const types = [type].flat().filter((one) => one !== 'null');
    if (types.length !== 1) throw new NoCounterpart(at, 'must name one type, beside which null may stand');
    return { type: types[0], ...(Array.isArray(type) && type.length > 1 && { nullable: true }) };
  },
  const: (value, at, { type }) => {
    if (value === null) throw new NoCounterpart(at);
    return { ...(type === undefined && { type: typeOf(value) }), enum: [value] };
  },
  examples: ([first], _at, { example }) => (example === undefined && first !== undefined ? { example: first } : {}),
  // An empty list is not allowed in 3.0.
  required: (names) => (names.length > 0 ? { required: names } : {}),

  // In 3.0 an exclusive bound is a flag beside the inclusive one, so of two bounds only the narrower can stay.
  minimum: (minimum, _at, { exclusiveMinimum }) => (exclusiveMinimum >= minimum ? {} : { minimum }),
  maximum: (maximum, _at, { exclusiveMaximum }) => (exclusiveMaximum <= maximum ? {} : { maximum }),
  exclusiveMinimum: (bound, _at, { minimum }) => (minimum > bound ? {} : { minimum: bound, exclusiveMinimum: true }),
  exclusiveMaximum: (bound, _at, { maximum }) => (maximum < bound ? {} : { maximum: bound, exclusiveMaximum: true }),

  properties: inside('properties', map(schema)),
  items: inside('items', schema),
  not: inside('not', schema),
  allOf: inside('allOf', list(schema)),
  oneOf: alternatives('oneOf'),
  anyOf: alternatives('anyOf'),

  // 3.0 has neither conditions nor rules for names. They stay as extensions for readers: the copy may allow more than
  // the contract does, never less.
  ...Object.fromEntries(['if', 'then', 'else'].map((name) => [name, unchanged(`x-${name}`)])),
  propertyNames: unchanged('x-property-names'),
  // One pattern that all names have to match becomes a map. With several patterns, members may be anything.
  patternProperties: (patterns, at, { additionalProperties }) => {
    const [first, ...others] = Object.values(map(schema)(patterns, at));
    return {
      additionalProperties: additionalProperties === false && others.length === 0 ? first : true,
      'x-pattern-properties': patterns,
    };
  },
  additionalProperties: (content, at, { patternProperties }) =>
    patternProperties ? {} : { additionalProperties: typeof content === 'boolean' ? content : schema(content, at) },

  // Binary content had a format of its own in 3.0.
  contentEncoding: (encoding, at) => {
    if (encoding !== 'base64') throw new NoCounterpart(at);
    return { type: 'string', format: 'byte' };
  },
  contentMediaType: (type, _at, { contentEncoding }) =>
    type === 'application/octet-stream' && !contentEncoding
      ? { type: 'string', format: 'binary' }
      : { 'x-content-media-type': type },
};

function typeOf(value: Json): string {
  return Number.isInteger(value) ? 'integer' : Array.isArray(value) ? 'array' : typeof value;
}

/** In 3.0 `nullable` has an effect only beside a `type`; validators such as Ajv refuse it elsewhere. */
const onlyNull = { type: 'string', nullable: true, enum: [null] };

/** Alternatives, of which null may be one. Then the first one that has a type takes null too; where none has, there is one more. */
function alternatives(keyword: 'oneOf' | 'anyOf'): Keyword {
  return (branches, at) => {
    const isNull = (branch: Json) => branch.type === 'null';
    const converted: Json[] = branches.flatMap((branch: Json, index: number) =>
      isNull(branch) ? [] : [schema(branch, below(at, index))],
    );
    if (converted.length === branches.length) return { [keyword]: converted };
    if (converted.length === 0) throw new NoCounterpart(at);
    const typed = converted.find(({ type }) => type !== undefined);
    if (typed) typed.nullable = true;
    else converted.push(onlyNull);
    return { [keyword]: converted };
  };
}

const mediaTypes: Convert = map(
  object({
    ...same('example', 'examples'),
    schema,
    encoding: map((value, at) =>
      object({ ...same('contentType', 'style', 'explode', 'allowReserved'), headers: map(parameter) })(value, at),
    ),
  }),
);

/** A parameter; or a header, which is a parameter without name and place. */
const parameter = orReference(
  object({
    ...same(
      'name',
      'in',
      'description',
      'required',
      'deprecated',
      'allowEmptyValue',
      'style',
      'explode',
      'allowReserved',
    ),
    ...same('example', 'examples'),
    schema,
    content: mediaTypes,
  }),
);

const requestBody = orReference(object({ ...same('description', 'required'), content: mediaTypes }));
const response = orReference(object({ ...same('description', 'links'), headers: map(parameter), content: mediaTypes }));
const callback: Convert = orReference(map((value, at) => pathItem(value, at)));

const operation = object({
  ...same('tags', 'summary', 'description', 'externalDocs', 'operationId', 'deprecated', 'servers', 'security'),
  parameters: list(parameter),
  requestBody,
  responses: map(response),
  callbacks: map(callback),
});

const pathItem = object({
  ...same('summary', 'description', 'servers'),
  parameters: list(parameter),
  ...Object.fromEntries(methods.map((method) => [method, operation])),
});

const securityScheme = orReference((scheme, at) => {
  if (scheme.type === 'mutualTLS') throw new NoCounterpart(at);
  return scheme;
});

const root = object({
  openapi: () => '3.0.3',
  jsonSchemaDialect: drop,
  info: object({
    ...same('title', 'description', 'termsOfService', 'contact', 'version'),
    summary: drop,
    license: object({ ...same('name', 'url'), identifier: drop }),
  }),
  ...same('servers', 'security', 'tags', 'externalDocs'),
  paths: map(pathItem),
  components: object({
    ...same('examples', 'links'),
    schemas: map(schema),
    responses: map(response),
    parameters: map(parameter),
    requestBodies: map(requestBody),
    headers: map(parameter),
    securitySchemes: map(securityScheme),
    callbacks: map(callback),
  }),
});

/** In 3.0 only OAuth 2 and OpenID Connect have scopes in `security`. Those of other schemes move to `x-scopes` beside it. */
function moveScopes(secured: Json, schemes: Json): void {
  if (secured.security === undefined) return;
  const moved: string[] = [];
  const strip = ([scheme, scopes]: [string, string[]]) => {
    if (['oauth2', 'openIdConnect'].includes(schemes[scheme]?.type)) return [scheme, scopes];
    moved.push(...scopes);
    return [scheme, []];
  };
  secured.security = secured.security.map((requirement: Json) =>
    Object.fromEntries(Object.entries<string[]>(requirement).map(strip)),
  );
  if (moved.length > 0) secured['x-scopes'] = moved;
}
