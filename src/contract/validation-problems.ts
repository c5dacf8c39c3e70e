/** The problems behind the errors that Ajv reports. */
import type { ErrorObject } from 'ajv';
import type { EngineCode } from './codes.ts';
import {
  boundPointer,
  type EngineProblem,
  escapePointerStep,
  pointerLabel,
  shorten,
  unescapePointerStep,
} from './problem.ts';

/**
 * How many errors are looked at: several can be about one thing. A body below the size from which validation stops
 * at the first error (see body-validators.ts) still has room for many thousands.
 */
const maxCollectedErrors = 1000;

/**
 * The keyword with which a schema says in words what its `pattern` takes, or text without control characters, as the end
 * of "must be": people read messages, and no regular expression helps them.
 */
const wordsKeyword = 'x-expected';

const bodyCodes: Record<string, EngineCode> = {
  required: 'required',
  type: 'invalid_type',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  exclusiveMaximum: 'too_large',
  minItems: 'too_few_items',
  maxItems: 'too_many_items',
  uniqueItems: 'duplicate_item',
  minProperties: 'too_few_members',
  maxProperties: 'too_many_members',
  propertyNames: 'invalid_name',
  additionalProperties: 'unknown_member',
  pattern: 'invalid_format',
  format: 'invalid_format',
  'x-no-control-characters': 'invalid_format',
  enum: 'not_allowed',
  const: 'not_allowed',
  oneOf: 'no_match',
  anyOf: 'no_match',
  'x-max-depth': 'too_deep',
};

/** The problems behind Ajv's errors about a body. */
export function bodyProblems(errors: readonly ErrorObject[]): EngineProblem[] {
  return distinct(errors).map((error) => {
    const pointer = error.instancePath + missing(error);
    return {
      code: bodyCodes[error.keyword] ?? 'invalid_body',
      message: `${pointerLabel(pointer)} ${expectation(error)}.`,
      source: { pointer: boundPointer(pointer) },
    };
  });
}

/**
 * What is wrong with the parameters of a request: what was found while they were read, and what is behind Ajv's errors about
 * `{ path, query, header, cookie }`, one problem for each parameter. Of one that could not be read, only why.
 */
export function allParameterProblems(
  whileReading: readonly EngineProblem[],
  errors: readonly ErrorObject[],
): readonly EngineProblem[] {
  if (errors.length === 0) return whileReading;
  // An address that cannot be read says nothing about its parameters.
  if (whileReading.some(({ source }) => source === undefined)) return whileReading;
  const unread = new Set(whileReading.map(({ source }) => JSON.stringify(source)));
  return [...whileReading, ...parameterProblems(errors).filter(({ source }) => !unread.has(JSON.stringify(source)))];
}

function parameterProblems(errors: readonly ErrorObject[]): EngineProblem[] {
  const problems = distinct(errors).map((error): [string, EngineProblem] => {
    const [, group, ...steps] = `${error.instancePath}${missing(error)}`.split('/').map(unescapePointerStep);
    const [name = ''] = steps;
    const kind = group === 'header' ? 'header' : 'parameter';
    return [
      `${kind} ${name}`,
      {
        code: `invalid_${kind}`,
        message: `${steps.join('/')} ${expectation(error)}.`,
        source: kind === 'header' ? { header: name } : { parameter: name },
      },
    ];
  });
  return [...new Map(problems).values()];
}

/**
 * One error for each thing that is wrong: of a value in the wrong type only that, and of alternatives only what
 * helps (see `withoutAlternatives`).
 */
function distinct(errors: readonly ErrorObject[]): ErrorObject[] {
  const collected = errors.slice(0, maxCollectedErrors).filter(({ keyword }) => keyword !== 'if');
  const left = withoutAlternatives(collected);
  const mistyped = placesOf(left, ['type']);
  const outOfRange = placesOf(left, ['minimum', 'maximum']);
  return left.filter(
    ({ keyword, instancePath }) =>
      keyword === 'type' || !(mistyped.has(instancePath) || (keyword === 'format' && outOfRange.has(instancePath))),
  );
}

/**
 * Of alternatives (`oneOf`, `anyOf`) Ajv reports what is wrong with every one and then with the whole. When the
 * value has the type of just one alternative, what is wrong with that one is reported, otherwise only the whole. Of
 * the name of a member, only that it is not allowed is reported.
 */
function withoutAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>();
  for (const [at, whole] of errors.entries()) {
    if (!['oneOf', 'anyOf', 'propertyNames'].includes(whole.keyword)) continue;
    // Inner alternatives come first in Ajv's list, so their errors are already dropped here.
    const inside = errorsBefore(errors, at).filter((error) => !dropped.has(error));
    const helpful = whole.keyword === 'propertyNames' ? undefined : onlyMatchingBranch(whole, inside);
    for (const error of helpful ? [whole] : inside) dropped.add(error);
    if (helpful) for (const error of inside) if (!helpful.includes(error)) dropped.add(error);
  }
  return errors.filter((error) => !dropped.has(error));
}

/** The errors that are part of the one at this place: Ajv reports them right before it. */
function errorsBefore(errors: readonly ErrorObject[], at: number): ErrorObject[] {
  const { schemaPath, instancePath } = errors[at]!;
  let first = at;
  while (first > 0) {
    const previous = errors[first - 1]!;
    if (!previous.schemaPath.startsWith(`${schemaPath}/`) || !previous.instancePath.startsWith(instancePath)) break;
    first -= 1;
  }
  return errors.slice(first, at);
}

/** The errors of the only alternative whose type the value has; undefined when there is none, or more than one. */
function onlyMatchingBranch(whole: ErrorObject, inside: readonly ErrorObject[]): ErrorObject[] | undefined {
  const branch = (error: ErrorObject) => error.schemaPath.slice(whole.schemaPath.length + 1).split('/')[0];
  const ofOtherType = new Set(
    inside.filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === whole.instancePath).map(branch),
  );
  const ofThisType = inside.filter((error) => !ofOtherType.has(branch(error)));
  return new Set(ofThisType.map(branch)).size === 1 ? ofThisType : undefined;
}

function placesOf(errors: readonly ErrorObject[], keywords: string[]): Set<string> {
  return new Set(errors.filter(({ keyword }) => keywords.includes(keyword)).map(({ instancePath }) => instancePath));
}

function missing(error: ErrorObject): string {
  return error.keyword === 'required' ? `/${escapePointerStep(error.params.missingProperty)}` : '';
}

/** The end of the sentence that begins with what is wrong. */
function expectation({ keyword, params, schema, parentSchema, message }: ErrorObject): string {
  const range = wholeNumberRange(parentSchema);
  if (range && ['type', 'minimum', 'maximum', 'format'].includes(keyword)) return `must be ${range}`;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${types(params.type)}`;
    case 'minLength':
      return `must have at least ${count(params.limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${count(params.limit, 'character')}`;
    case 'minItems':
      return `must have at least ${count(params.limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${count(params.limit, 'item')}`;
    case 'maxProperties':
      return `must have at most ${count(params.limit, 'member')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'pattern':
    case 'x-no-control-characters':
      return parentSchema?.[wordsKeyword] ? `must be ${parentSchema[wordsKeyword]}` : 'does not have the right form';
    case 'format':
      return `must be ${formats[params.format] ?? `in the format ${params.format}`}`;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'propertyNames':
      return `has a member whose name is not allowed: ${JSON.stringify(shorten(params.propertyName))}${rightName(schema as Described)}`;
    case 'oneOf':
    case 'anyOf':
      return `must be ${(schema as Described[]).map(alternative).join(', or ')}`;
    case 'x-max-depth':
      return `is nested more than ${schema} levels deep`;
    default:
      return message ?? 'does not fit the contract';
  }
}

interface Described {
  type?: string | string[];
  [wordsKeyword]?: string;
}

/** What an alternative takes, in the words of the contract where it has some. */
function alternative({ type = 'value', [wordsKeyword]: words = types(type) }: Described): string {
  return words;
}

function rightName({ [wordsKeyword]: words }: Described): string {
  return words === undefined ? '' : `. A name must be ${words}`;
}

/** What a schema for whole numbers takes, when it says so at both ends. */
function wholeNumberRange({ type, minimum, maximum }: ErrorObject['parentSchema'] = {}): string | undefined {
  const bounded = type === 'integer' && minimum !== undefined && maximum !== undefined;
  return bounded ? `a whole number from ${minimum} to ${maximum}` : undefined;
}

function types(type: string | string[]): string {
  return [type]
    .flat()
    .map((name) => typeNames[name] ?? `a ${name}`)
    .join(' or ');
}

function count(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? '' : 's'}`;
}

const typeNames: Record<string, string> = {
  integer: 'a whole number',
  array: 'an array',
  object: 'an object',
  boolean: 'true or false',
  null: 'null',
};

const formats: Record<string, string> = {
  int32: 'a whole number of 32 bits',
  int64: 'a whole number of 64 bits',
  'date-time': 'a date and time such as 2026-03-01T09:30:00Z (RFC 3339)',
  date: 'a date such as 2026-03-01 (RFC 3339)',
  uuid: 'a UUID',
  uri: 'an absolute URI',
  'entity-tags': '* or entity tags such as "3-8lx87l" (RFC 9110)',
};
