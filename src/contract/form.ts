/** Parses forms, `application/x-www-form-urlencoded`: text becomes the values that the contract's types describe. */
import { isUtf8 } from 'node:buffer';
import type { OpenAPIV3_1 } from 'openapi-types';
import { findUnstorableValues, type Parsed } from './json-parser.ts';
import { kindsOf, converter as parameterConverter } from './parameter-values.ts';
import { problemError } from './problem-error.ts';
import type { Schema as AnySchema } from './schemas.ts';

type Schema = OpenAPIV3_1.SchemaObject;

/** How the texts that are sent under one name become a value. */
export type FieldReader = (texts: readonly string[]) => unknown;

/** How many fields a form may have. */
const maxFields = 10_000;

/**
 * Returns the function that parses forms. A name that stands for an array may be sent several times; another one that
 * is sent several times becomes an array too, for the validator to refuse.
 */
export function formParser({ schema }: OpenAPIV3_1.MediaTypeObject): (bytes: Buffer) => Parsed {
  const readers = fieldReaders(schema as Schema);
  return (bytes) => {
    const sent = new Map<string, string[]>();
    for (const [name, text] of fieldsOf(bytes)) {
      const texts = sent.get(name);
      if (texts === undefined) sent.set(name, [text]);
      else texts.push(text);
    }
    const value = Object.fromEntries([...sent].map(([name, texts]) => [name, readField(readers.get(name), texts)]));
    return { value, problems: findUnstorableValues(value), parsed: true };
  };
}

/** The value of a field that was sent with these texts, one for each time. */
export function readField(read: FieldReader | undefined, texts: readonly string[]): unknown {
  return read ? read(texts) : texts.length === 1 ? texts[0] : texts;
}

/** For each property of a form that is sent as text, how it is read. */
export function fieldReaders({ properties = {} }: Schema): Map<string, FieldReader> {
  return new Map(Object.entries(properties).map(([name, property]) => [name, fieldReader(property as Schema)]));
}

function fieldReader(schema: Schema): FieldReader {
  if (typesOf(schema).includes('array')) {
    const convert = converter(((schema as { items?: Schema }).items ?? {}) as Schema);
    return (texts) => texts.map(convert);
  }
  const convert = converter(schema);
  return (texts) => (texts.length === 1 ? convert(texts[0]!) : texts.map(convert));
}

/** Why the engine cannot read a property from text; undefined when it can. */
export function unreadableProperty(name: string, schema: Schema): string | undefined {
  const types = typesOf(schema);
  if (types.includes('object')) return `${name} is an object, which has no place in a form`;
  if (types.length === 0 && !('enum' in schema || 'const' in schema)) return `${name} has no type`;
  if (!types.includes('array')) return undefined;
  const items = (schema as { items?: Schema }).items;
  const itemTypes = items === undefined ? [] : typesOf(items);
  return itemTypes.length === 0 || itemTypes.some((type) => type === 'array' || type === 'object')
    ? `the items of ${name} are not declared as texts, numbers or booleans`
    : undefined;
}

export function typesOf({ type = [] }: Schema): string[] {
  return [type].flat();
}

/** Texts become values as those of parameters do, but where the schema takes text, each text is one. */
function converter(schema: Schema): (text: string) => unknown {
  if (kindsOf(schema as AnySchema)?.has('string')) return (text) => text;
  return parameterConverter(schema as AnySchema, () => () => true);
}

/** @throws an HTTP error when these bytes are no form. */
function fieldsOf(bytes: Buffer): [name: string, text: string][] {
  if (!isUtf8(bytes)) throw malformed('it is not valid UTF-8');
  const pairs = bytes.toString().split('&', maxFields + 1);
  if (pairs.length > maxFields) throw malformed(`it has more than ${maxFields} fields`);
  return pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('percent signs must begin an escape such as %20');
  }
}

function malformed(why: string): Error {
  return problemError(400, { code: 'malformed_request', message: `The body is no form: ${why}.` });
}
