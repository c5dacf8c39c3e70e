/** What kind of values a parameter's schema takes, and how one text becomes such a value, exactly or not at all. */
import { once } from './once.ts';
import type { Schema, SchemaObject } from './schemas.ts';

export type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** Compiles a schema into a check of values. */
export type Fits = (schema: Schema) => (value: unknown) => boolean;

/** The kinds of values that a schema takes, undefined when it takes any. */
export function kindsOf(schema: Schema, depth = 0): ReadonlySet<Kind> | undefined {
  // A schema that is made of itself says nothing.
  if (typeof schema === 'boolean' || depth > 20) return undefined;
  const { type, enum: values, allOf = [], anyOf, oneOf } = schema as Composition;
  const said: (ReadonlySet<Kind> | undefined)[] = [
    type === undefined ? undefined : new Set([type].flat()),
    'const' in schema ? new Set([kindOf(schema.const)]) : undefined,
    values && new Set(values.map(kindOf)),
    ...allOf.map((part) => kindsOf(part, depth + 1)),
    anyOf && union(anyOf.map((part) => kindsOf(part, depth + 1))),
    oneOf && union(oneOf.map((part) => kindsOf(part, depth + 1))),
  ];
  return said.reduce(intersection, undefined) ?? impliedKind(schema);
}

interface Composition {
  type?: Kind | Kind[];
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as Kind;
}

/** Authors leave `type` out where the other keywords say enough. */
function impliedKind(schema: SchemaObject): ReadonlySet<Kind> | undefined {
  if ('properties' in schema || 'additionalProperties' in schema) return new Set(['object']);
  return 'items' in schema || 'prefixItems' in schema ? new Set(['array']) : undefined;
}

function union(all: (ReadonlySet<Kind> | undefined)[]): ReadonlySet<Kind> | undefined {
  return all.includes(undefined) ? undefined : new Set(all.flatMap((kinds) => [...kinds!]));
}

function intersection(one: ReadonlySet<Kind> | undefined, other: ReadonlySet<Kind> | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  const has = (kinds: ReadonlySet<Kind>, kind: Kind) => kinds.has(kind) || (kind === 'integer' && kinds.has('number'));
  return new Set([...[...one].filter((kind) => has(other, kind)), ...[...other].filter((kind) => has(one, kind))]);
}

/** The schema of what is inside a schema's values, gathered from all its parts; true when nothing is said. */
function inside(schema: Schema, pick: (part: SchemaObject) => Schema | undefined, depth = 0): Schema {
  if (typeof schema === 'boolean' || depth > 20) return true;
  const { allOf = [], anyOf, oneOf } = schema as Composition;
  const all = [
    pick(schema) ?? true,
    ...allOf.map((part) => inside(part, pick, depth + 1)),
    ...[anyOf, oneOf].map((parts) => (parts ? { anyOf: parts.map((part) => inside(part, pick, depth + 1)) } : true)),
  ].filter((one) => one !== true);
  return all.length > 1 ? { allOf: all } : (all[0] ?? true);
}

/** The schema of an array's items. */
export function itemsOf(schema: Schema): Schema {
  return inside(schema, (part) => part.items as Schema | undefined);
}

/** The schema of one member of an object. */
export function memberOf(schema: Schema, name: string): Schema {
  return inside(schema, ({ properties = {}, additionalProperties }) =>
    Object.hasOwn(properties as object, name)
      ? (properties as Record<string, Schema>)[name]
      : (additionalProperties as Schema | undefined),
  );
}

/** The names of an object's members, and whether it takes others: only where `additionalProperties` says so. */
export function membersOf(schema: Schema, depth = 0): { names: string[]; others: boolean } {
  if (typeof schema === 'boolean' || depth > 20) return { names: [], others: false };
  const { properties = {}, additionalProperties = false } = schema as SchemaObject;
  const { allOf = [], anyOf = [], oneOf = [] } = schema as Composition;
  const parts = [...allOf, ...anyOf, ...oneOf].map((part) => membersOf(part, depth + 1));
  return {
    names: [...new Set([...Object.keys(properties as object), ...parts.flatMap(({ names }) => names)])],
    others: additionalProperties !== false || parts.some(({ others }) => others),
  };
}

/** A text as a value of one kind; undefined when it is none. */
type Conversion = (text: string) => unknown;

/** In the order in which they are tried. Ajv's own coercion takes `0x10`, `1e3` and ` 7` for numbers; here only digits are. */
const conversions: Partial<Record<Kind, Conversion>> = {
  integer: (text) => (/^(\d+|-0*[1-9]\d*)$/.test(text) ? exactNumber(text) : undefined),
  number: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? exactNumber(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  null: (text) => (text === 'null' ? null : undefined),
};

/** Whole numbers beyond 2^53 would be rounded. */
function exactNumber(text: string): number | undefined {
  const number = Number(text);
  if (Number.isSafeInteger(number) || text.includes('.')) return number;
  return Number.isFinite(number) && BigInt(text) === BigInt(number) ? number : undefined;
}

/**
 * Returns the function that makes a value of a text. What is no value of the schema's kinds stays text, for the validator
 * to refuse. Where text is right as well, it becomes another value only if that is written so and fits the schema: of
 * `[string, integer]`, `7` is a number and `007` is text.
 */
export function converter(schema: Schema, fits: Fits): (text: string) => unknown {
  const kinds = kindsOf(schema);
  if (kinds === undefined) return (text) => text;
  const possible = Object.entries(conversions).flatMap(([kind, convert]) => (kinds.has(kind as Kind) ? convert : []));
  const [only, ...more] = possible;
  if (only === undefined) return (text) => text;
  if (kinds.has('string')) {
    const check = once(() => fits(schema));
    return (text) => {
      for (const convert of possible) {
        const value = convert(text);
        if (value === undefined || String(value) !== text || !check()(value)) continue;
        // Somebody may be called null.
        if (value !== null || !check()(text)) return value;
      }
      return text;
    };
  }
  if (more.length > 0)
    return (text) => {
      for (const convert of possible) {
        const value = convert(text);
        if (value !== undefined) return value;
      }
      return text;
    };
  return (text) => {
    const value = only(text);
    return value === undefined ? text : value;
  };
}
