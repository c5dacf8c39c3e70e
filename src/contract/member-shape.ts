/** Which members the objects at each place of a JSON value have, as far as their schema names them. */
import { once } from './once.ts';
import { annotations } from './schema-keywords.ts';

/** The keywords of JSON Schema that say which members there are, and `x-ignored-members`. No `$ref` is left in it. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  unevaluatedProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  prefixItems?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  then?: Schema;
  else?: Schema;
  dependentSchemas?: Record<string, Schema>;
  /** Names that a client may send although nothing is made of them, because responses have them, for instance. */
  'x-ignored-members'?: string[];
}

/** What is known of the values at one place. */
export interface Shape {
  members: Map<string, () => Shape>;
  ignored: Set<string>;
  /** The members that `patternProperties` describe. */
  patterns: { names: readonly RegExp[]; shape: () => Shape } | undefined;
  /** The shape of all other members, where a schema describes those. */
  others: (() => Shape) | undefined;
  /** Whether objects may have any member: they are declared free-form, or nothing is said of their members. */
  isFree: boolean;
  /** The shapes of the first items, where they differ; undefined where nothing describes one. */
  prefix: readonly ((() => Shape) | undefined)[];
  /** The shape of the other items; undefined where nothing describes them. */
  items: (() => Shape) | undefined;
}

/**
 * The shape of the values that a schema describes. An object has the members that its schema names in `properties`, in
 * whichever of its parts and alternatives. It may have any member where these say nothing of members, where one of
 * several alternatives does so, where `additionalProperties` is true or a schema, and where there are `patternProperties`.
 */
export function memberShape(schema: object): () => Shape {
  return shaper()([{ schema, isAlternative: false }]);
}

/** The shape of one member of an object; undefined where nothing describes it. */
export function shapeOfMember({ members, patterns, others }: Shape, name: string): (() => Shape) | undefined {
  return members.get(name) ?? (patterns?.names.some((form) => form.test(name)) ? patterns.shape : others);
}

/** The shape of one item of an array; undefined where nothing describes it. */
export function shapeOfItem({ prefix, items }: Shape, at: number): (() => Shape) | undefined {
  return at < prefix.length ? prefix[at] : items;
}

/** Whether objects at this place may have any members, of which nothing is known. */
export function describesNoMember({ isFree, members, patterns, others }: Shape): boolean {
  return isFree && members.size === 0 && patterns === undefined && others === undefined;
}

/** A schema at a place, and whether it is one of several of which a value need fit only some. */
interface Part {
  schema: Schema;
  isAlternative: boolean;
}

/** Makes shapes of all that is said about one place, each when it is first needed: schemas may contain themselves. */
function shaper() {
  const made = new Map<Schema, () => Shape>();
  const shapeOf = (parts: readonly Part[]): (() => Shape) => {
    const [only, ...more] = parts;
    if (only === undefined || more.length > 0) return once(() => makeShape(parts));
    const shape = made.get(only.schema) ?? once(() => makeShape(parts));
    made.set(only.schema, shape);
    return shape;
  };
  const shapeOfAny = (parts: readonly Part[]) => (parts.length === 0 ? undefined : shapeOf(parts));

  const makeShape = (places: readonly Part[]): Shape => {
    const parts = places.flatMap(withParts);
    /** What the parts have under a keyword, each as a part of the place inside. */
    const inside = (find: (schema: Schema) => readonly (Schema | boolean | undefined)[]): Part[] =>
      parts.flatMap(({ schema, isAlternative }) =>
        find(schema).flatMap((inner) => (typeof inner === 'object' ? [{ schema: inner, isAlternative }] : [])),
      );
    const names = new Set(parts.flatMap(({ schema }) => Object.keys(schema.properties ?? {})));
    const others = inside((schema) => [schema.additionalProperties, schema.unevaluatedProperties]);
    const patterns = parts.flatMap(({ schema }) => Object.keys(schema.patternProperties ?? {}));
    /** The shape of the item at this place, or of those behind all prefixes. */
    const itemAt = (at: number) => {
      const isFree = parts.some(({ schema, isAlternative }) => isAlternative && leavesItemOpen(schema, at));
      return isFree ? undefined : shapeOfAny(inside(({ prefixItems = [], items }) => [prefixItems[at] ?? items]));
    };
    const prefixes = Math.max(0, ...parts.map(({ schema }) => schema.prefixItems?.length ?? 0));
    return {
      members: new Map(
        [...names].map((name) => [name, shapeOf(inside(({ properties = {} }) => own(properties, name)))]),
      ),
      ignored: new Set(parts.flatMap(({ schema }) => schema['x-ignored-members'] ?? [])),
      patterns:
        patterns.length === 0
          ? undefined
          : {
              names: patterns.map((form) => new RegExp(form, 'u')),
              shape: shapeOf(inside(({ patternProperties = {} }) => Object.values(patternProperties))),
            },
      others: shapeOfAny(others),
      isFree: (names.size === 0 && others.length === 0 && !parts.some(takesNoOther)) || parts.some(takesAnyMember),
      prefix: Array.from({ length: prefixes }, (_, at) => itemAt(at)),
      items: itemAt(prefixes),
    };
  };
  return shapeOf;
}

/** A schema and all that it is made of. */
function withParts({ schema, isAlternative }: Part): Part[] {
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const conditional = [schema.then, schema.else].filter((part) => part !== undefined);
  const always = [...allOf, ...Object.values(dependentSchemas)].map((part) => ({ schema: part, isAlternative }));
  const sometimes = [...anyOf, ...oneOf, ...conditional].map((part) => ({ schema: part, isAlternative: true }));
  return [{ schema, isAlternative }, ...[...always, ...sometimes].flatMap(withParts)];
}

function own(properties: Record<string, Schema>, name: string): Schema[] {
  return Object.hasOwn(properties, name) ? [properties[name]!] : [];
}

/** Whether a part says that objects may have any member, or is an alternative that says nothing of them. */
function takesAnyMember({ schema, isAlternative }: Part): boolean {
  const { additionalProperties, unevaluatedProperties, patternProperties } = schema;
  if (additionalProperties === true || unevaluatedProperties === true || patternProperties) return true;
  return isAlternative && leavesMembersOpen(schema);
}

/** Whether a part that always counts says that objects have no members but those that are named. */
function takesNoOther({ schema, isAlternative }: Part): boolean {
  return !isAlternative && (schema.additionalProperties === false || schema.unevaluatedProperties === false);
}

/** Whether a schema takes objects, and says nothing of their members. */
function leavesMembersOpen(schema: Schema): boolean {
  return leavesOpen(
    schema,
    'object',
    ({ properties = {}, additionalProperties }) => Object.keys(properties).length > 0 || additionalProperties,
  );
}

/** Whether a schema takes arrays, and says nothing of the item at this place. */
function leavesItemOpen(schema: Schema, at: number): boolean {
  return leavesOpen(schema, 'array', ({ prefixItems = [], items }) => prefixItems[at] ?? items);
}

/** Whether a schema takes values of this type, and none of its parts describes what is in them. */
function leavesOpen(schema: Schema, type: 'object' | 'array', describes: (part: Schema) => unknown): boolean {
  if (schema === (true as unknown)) return true;
  if (withParts({ schema, isAlternative: false }).some(({ schema: part }) => describes(part))) return false;
  const isBare = Object.keys(schema).every(
    (keyword) => annotations.has(keyword) || keyword === 'default' || keyword.startsWith('x-'),
  );
  return isBare || [schema.type].flat().includes(type);
}
