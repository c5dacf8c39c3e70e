/** Finds the members of a body that its schema does not name, for requests that ask to have them refused. */
import { suggestion } from './nearest-name.ts';
import { once } from './once.ts';
import {
  boundPointer,
  type EngineProblem,
  maxReportedProblems,
  nameLabel,
  pointerLabel,
  pointerTo,
} from './problem.ts';

/** The keywords of JSON Schema that say which members there are, and `x-ignored-members`. No `$ref` is left in it. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  patternProperties?: object;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  then?: Schema;
  else?: Schema;
  /** Names that a client may send although nothing is made of them, because responses have them, for instance. */
  'x-ignored-members'?: string[];
}

/** What is known of the values at one place. */
interface Shape {
  members: Map<string, () => Shape>;
  ignored: Set<string>;
  /** The shape of all other members, where a schema describes those. */
  others: (() => Shape) | undefined;
  items: (() => Shape) | undefined;
  /** Whether objects may have any member: they are declared free-form, or nothing is said of their members. */
  isFree: boolean;
}

/**
 * Returns the function that finds the first problems of this kind. An object is held against the names that its schema
 * has in `properties`, in whichever of its parts and alternatives. It may have any member where these say nothing of
 * members, where `additionalProperties` is true or a schema, and where there are `patternProperties`.
 */
export function unknownMemberFinder(schema: object): (body: unknown) => EngineProblem[] {
  const shape = shaper()([schema]);
  return (body) => {
    const problems: EngineProblem[] = [];
    const path: (string | number)[] = [];
    const visitMember = (step: string | number, value: unknown, inner: () => Shape): void => {
      if (typeof value !== 'object' || value === null) return;
      path.push(step);
      visit(value, inner());
      path.pop();
    };
    // Calls itself at each level; the depth of a body is bounded.
    const visit = (value: object, { members, ignored, others, items, isFree }: Shape): void => {
      if (Array.isArray(value)) {
        if (items === undefined) return;
        for (let at = 0; at < value.length && problems.length < maxReportedProblems; at += 1)
          visitMember(at, value[at], items);
        return;
      }
      if (isFree && members.size === 0) return;
      for (const name in value) {
        if (problems.length === maxReportedProblems) return;
        const inner = members.get(name) ?? others;
        if (inner !== undefined) visitMember(name, value[name as keyof object], inner);
        else if (!(isFree || ignored.has(name))) problems.push(unknownMember(path, name, [...members.keys()]));
      }
    };
    if (typeof body === 'object' && body !== null) visit(body, shape());
    return problems;
  };
}

function unknownMember(path: readonly (string | number)[], name: string, known: string[]): EngineProblem {
  const place = path.length === 0 ? 'the body' : pointerLabel(pointerTo(path));
  return {
    code: 'unknown_member',
    message: `${nameLabel(name)} is not a member of ${place}. ${suggestion(name, known)}`,
    source: { pointer: boundPointer(pointerTo([...path, name])) },
  };
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
    const parts = schemas.flatMap(withParts);
    const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
    const others = parts.flatMap(({ additionalProperties: all }) => (typeof all === 'object' ? [all] : []));
    const items = parts.flatMap((part) => part.items ?? []);
    return {
      members: new Map(
        [...names].map((name) => [name, shapeOf(parts.flatMap(({ properties }) => own(properties, name)))]),
      ),
      ignored: new Set(parts.flatMap((part) => part['x-ignored-members'] ?? [])),
      others: others.length > 0 ? shapeOf(others) : undefined,
      items: items.length > 0 ? shapeOf(items) : undefined,
      isFree: (names.size === 0 && others.length === 0) || takesAnyMember(parts),
    };
  };
  return shapeOf;
}

/** A schema and all that it is made of. */
function withParts(schema: Schema): Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  const conditional = [schema.then, schema.else].filter((part) => part !== undefined);
  return [schema, ...[...allOf, ...anyOf, ...oneOf, ...conditional].flatMap(withParts)];
}

function own(properties: Record<string, Schema> = {}, name: string): Schema[] {
  return Object.hasOwn(properties, name) ? [properties[name]!] : [];
}

/** Whether this place takes objects with any members: a part says so, or one of the alternatives says nothing of members. */
function takesAnyMember(parts: readonly Schema[]): boolean {
  const alternatives = parts.flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
  return (
    parts.some(({ additionalProperties, patternProperties }) => additionalProperties === true || patternProperties) ||
    alternatives.some(
      (schema) => [schema.type].flat().includes('object') && !withParts(schema).some(({ properties }) => properties),
    )
  );
}
