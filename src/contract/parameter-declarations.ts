/** The parameters of an operation as the contract declares them, and what cannot be served of them. */
import type { Operation } from './operation.ts';
import { defaultStyles, isStyle, type Place, type Shape } from './parameter-styles.ts';
import { itemsOf, kindsOf, memberOf, membersOf } from './parameter-values.ts';
import type { Schema } from './schemas.ts';
import type { Feature } from './servable.ts';

export interface Parameter {
  place: Place;
  /** As the contract spells it. */
  name: string;
  /** As requests and handlers have it: headers in lower case. */
  key: string;
  required: boolean;
  schema: Schema;
  style: string;
  explode: boolean;
  shape: Shape;
  /** Whether the text is JSON. */
  isJson: boolean;
  allowsEmpty: boolean;
  /** Its default, undefined when it has none. */
  fallback: unknown;
  /** The names in the query that belong to it. */
  queryNames: string[];
}

/** A parameter without references. */
export interface ParameterObject {
  name: string;
  in: Place;
  required?: boolean;
  schema?: Schema;
  content?: Record<string, { schema?: Schema }>;
  style?: string;
  explode?: boolean;
  allowEmptyValue?: boolean;
}

/** Reads the declarations of an operation, in which `parameterFault` has found nothing. */
export function declaredParameters(declared: readonly object[]): Parameter[] {
  return (declared as ParameterObject[]).map(readDeclaration);
}

function readDeclaration(declared: ParameterObject): Parameter {
  const { name, in: place, required = false, style = defaultStyles[place], allowEmptyValue = false } = declared;
  const isJson = declared.schema === undefined;
  const schema = declared.schema ?? Object.values(declared.content ?? {})[0]?.schema ?? true;
  const shape = isJson ? 'single' : (shapeOf(schema) ?? 'single');
  // There is no deepObject without explode, so who leaves it out means it.
  const { explode = style === 'form' || style === 'deepObject' } = declared;
  // A single value is written the same with explode and without, but for paths.
  const isExploded = explode && !(shape === 'single' && place !== 'path');
  return {
    place,
    name,
    key: place === 'header' ? name.toLowerCase() : name,
    required,
    schema,
    style,
    explode: isExploded,
    shape,
    isJson,
    allowsEmpty: allowEmptyValue,
    fallback: typeof schema === 'object' ? schema.default : undefined,
    queryNames: place === 'query' ? queryNames(name, style, isExploded, shape, schema) : [],
  };
}

function queryNames(name: string, style: string, explode: boolean, shape: Shape, schema: Schema): string[] {
  if (shape !== 'object' || !explode) return [name];
  const { names } = membersOf(schema);
  return style === 'deepObject' ? names.map((member) => `${name}[${member}]`) : names;
}

/** Whether values are single, arrays or objects; undefined when they may be of several of these. */
function shapeOf(schema: Schema): Shape | undefined {
  const kinds = new Set(kindsOf(schema) ?? ['string' as const]);
  kinds.delete('null');
  const isNested = kinds.has('array') || kinds.has('object');
  if (!isNested) return 'single';
  if (kinds.size > 1) return undefined;
  return kinds.has('array') ? 'array' : 'object';
}

const ignoredHeaders = ['accept', 'content-type', 'authorization'];

/** What cannot be served of one parameter, the first thing that is found. */
export function parameterFault(declared: ParameterObject): [feature: Feature, detail: string] | undefined {
  const { name, in: place, schema, content } = declared;
  if (typeof name !== 'string') return ['malformed', 'name'];
  if (!['path', 'query', 'header', 'cookie'].includes(place)) return ['parameter place', String(place)];
  const isToken = /^[\w!#$%&'*+.^`|~-]+$/.test(name);
  const isText = place === 'header' || place === 'cookie';
  if (name === '' || name in {} || (isText && !isToken)) return ['parameter name', name];
  if (place === 'header' && ignoredHeaders.includes(name.toLowerCase())) return ['ignored header parameter', name];
  if (place === 'path' && declared.required !== true) return ['optional path parameter', name];
  const types = Object.keys(content ?? {});
  if ((schema === undefined) === (types.length !== 1)) return ['parameter without schema', name];
  if (schema !== undefined) return schemaFault(declared, schema);
  return /^application\/(?:[\w.-]+\+)?json$/i.test(types[0]!) ? undefined : ['parameter content', types[0]!];
}

function schemaFault(
  { name, in: place, allowEmptyValue = false, ...declared }: ParameterObject,
  schema: Schema,
): [Feature, string] | undefined {
  const shape = shapeOf(schema);
  if (shape === undefined) return ['array or single value', name];
  const { style, explode } = readDeclaration({ ...declared, name, in: place });
  if (!isStyle(place, style, explode, shape)) {
    const what = shape === 'single' ? 'a single value' : `an ${shape}`;
    return ['style', `${style}${explode ? ' with explode' : ''} of ${what} in ${place}`];
  }
  const inner = shape === 'array' ? [itemsOf(schema)] : membersOf(schema).names.map((one) => memberOf(schema, one));
  if (shape !== 'single' && inner.some(isNested)) return ['nested values in a parameter', name];
  const takesText = shape !== 'single' || (kindsOf(schema)?.has('string') ?? true);
  const hasName = place === 'query' && !(shape === 'object' && explode);
  return allowEmptyValue && !(takesText && hasName) ? ['allowEmptyValue', name] : undefined;
}

function isNested(schema: Schema): boolean {
  const kinds = kindsOf(schema);
  return kinds !== undefined && (kinds.has('array') || kinds.has('object'));
}

/** The names that more than one parameter of the query would be read from. */
export function overlappingNames(declared: readonly ParameterObject[]): string[] {
  const names = declaredParameters(declared).flatMap(({ queryNames }) => queryNames);
  return names.filter((name, at) => names.indexOf(name) < at);
}

/** The names that a request of the operation may have in its query; objects may take more than those that are listed. */
export function queryNamesOf({ parameters = [], credentials }: Operation): {
  names: string[];
  isKnown: (name: string) => boolean;
} {
  const declared = declaredParameters(parameters).filter(({ place }) => place === 'query');
  const names = [...declared.flatMap(({ queryNames }) => queryNames), ...credentials.query];
  const open = declared.filter(
    ({ shape, explode, schema }) => shape === 'object' && explode && membersOf(schema).others,
  );
  const isInOpen = (name: string) =>
    open.some((one) => one.style === 'form' || (name.startsWith(`${one.name}[`) && name.endsWith(']')));
  return { names, isKnown: (name) => names.includes(name) || isInOpen(name) };
}
