/** Which members the objects at each place of a JSON value have, as far as their schema names them. */
import { once } from './once.ts';

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
  items: (() => Shape) | undefined;
  /** Whether objects may have any member: they are declared free-form, or nothing is said of their members. */
  isFree: boolean;
}

/**
 * The shape of the values that a schema describes. An object has the members that its schema names in `properties`, in
 * whichever of its parts and alternatives. It may have any member where these say nothing of members, where
 * `additionalProperties` is true or a schema, and where there are `patternProperties`.
 */
export function memberShape(schema: object): () => Shape {
  return shaper()([schema]);
}

/** The shape of one member of an object; undefined where nothing describes it. */
export function shapeOfMember({ members, patterns, others }: Shape, name: string): (() => Shape) | undefined {
  return members.get(name) ?? (patterns?.names.some((form) => form.test(name)) ? patterns.shape : others);
}

/** Whether objects at this place may have any members, of which nothing is known. */
export function describesNoMember({ isFree, members, patterns, others }: Shape): boolean {
  return isFree && members.size === 0 && patterns === undefined && others === undefined;
}

/** Makes shapes of all that is said about one place, each when it is first needed: schemas may contain themselves. */
function shaper() {
  const made = new Map<Schema, () => Shape>();
  const shapeOf = (schemas: readonly Schema[]): (() => Shape) => {
    const [only, ...more] = schemas;
    if (only === undefined || more.length > 0) return once(() => makeShape(schemas));
    const shape = made.get(only) ?? once(() => makeShape(schemas));
    made.set(only, shape);
    return shape;
  };
  const makeShape = (schemas: readonly Schema[]): Shape => {
    const parts = [...new Set(schemas.flatMap(withParts))];
    const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
    const others = parts.flatMap(schemasOfOthers);
    const patterns = parts.flatMap(({ patternProperties = {} }) => Object.entries(patternProperties));
    const items = parts.flatMap(({ items = [], prefixItems = [] }) => [items, prefixItems].flat());
    return {
      members: new Map(
        [...names].map((name) => [name, shapeOf(parts.flatMap(({ properties }) => own(properties, name)))]),
      ),
      ignored: new Set(parts.flatMap((part) => part['x-ignored-members'] ?? [])),
      patterns:
        patterns.length === 0
          ? undefined
          : {
              names: patterns.map(([form]) => new RegExp(form, 'u')),
              shape: shapeOf(patterns.map(([, inner]) => inner)),
            },
      others: others.length > 0 ? shapeOf(others) : undefined,
      items: items.length > 0 ? shapeOf(items) : undefined,
      isFree: (names.size === 0 && others.length === 0) || takesAnyMember(parts),
    };
  };
  return shapeOf;
}

/** A schema and all that it is made of. */
function withParts(schema: Schema): Schema[] {
  const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const conditional = [schema.then, schema.else].filter((part) => part !== undefined);
  const parts = [...allOf, ...anyOf, ...oneOf, ...conditional, ...Object.values(dependentSchemas)];
  return [schema, ...parts.flatMap(withParts)];
}

/** The schemas of members that are not named. */
function schemasOfOthers({ additionalProperties, unevaluatedProperties }: Schema): Schema[] {
  return [additionalProperties, unevaluatedProperties].filter((schema) => typeof schema === 'object');
}

function own(properties: Record<string, Schema> = {}, name: string): Schema[] {
  return Object.hasOwn(properties, name) ? [properties[name]!] : [];
}

/** Whether this place takes objects with any members: a part says so, or one of the alternatives says nothing of members. */
function takesAnyMember(parts: readonly Schema[]): boolean {
  const alternatives = parts.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
  return (
    parts.some(
      ({ additionalProperties, unevaluatedProperties, patternProperties }) =>
        additionalProperties === true || unevaluatedProperties === true || patternProperties,
    ) ||
    alternatives.some(
      (schema) => [schema.type].flat().includes('object') && !withParts(schema).some(({ properties }) => properties),
    )
  );
}
