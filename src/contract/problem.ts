/** What was wrong with a request, as data: where, what, and what would be right. */
import type { ErrorObject } from 'ajv';

/** Where the problem is: a place in the body (RFC 6901), a path or query parameter, or a header. */
export type Source = { pointer: string } | { parameter: string } | { header: string };

/** One reason why a request is refused. `code` is stable, `message` is for people. */
export interface Problem {
  code: string;
  message: string;
  source?: Source;
}

/** Problems are reported together, but not more of them than anyone would read. */
export const most = 100;

/** How many errors are looked through for them: several can be about one thing. */
export const enough = 10 * most;

const bodyCodes: Record<string, string> = {
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
  enum: 'not_allowed',
  const: 'not_allowed',
  oneOf: 'no_match',
  anyOf: 'no_match',
  'x-max-depth': 'too_deep',
};

/** The problems behind Ajv's errors about `{ requestBody }`. */
export function bodyProblems(errors: readonly ErrorObject[]): Problem[] {
  return distinct(errors).map((error) => {
    const pointer = error.instancePath.replace(/^\/requestBody/, '') + missing(error);
    return {
      code: bodyCodes[error.keyword] ?? 'invalid_body',
      message: `${named(pointer)} ${expectation(error)}.`,
      source: { pointer },
    };
  });
}

/** The problems behind Ajv's errors about `{ path, query, header }`, one for each parameter. */
export function parameterProblems(errors: readonly ErrorObject[]): Problem[] {
  const problems = distinct(errors).map((error): [string, Problem] => {
    const [, group, name = ''] = `${error.instancePath}${missing(error)}`.split('/');
    const kind = group === 'header' ? 'header' : 'parameter';
    return [
      `${kind} ${name}`,
      {
        code: `invalid_${kind}`,
        message: `${name} ${expectation(error)}.`,
        source: kind === 'header' ? { header: name } : { parameter: name },
      },
    ];
  });
  return [...new Map(problems).values()];
}

/**
 * One error for each thing that is wrong. Of alternatives (`oneOf`, `anyOf`) Ajv reports what is wrong
 * with every one and then with the whole: when the value has the type of just one alternative, what is
 * wrong with that one is wanted, otherwise only the whole. Of a name, only that it is not allowed. Of a
 * value of the wrong type, only that.
 */
function distinct(errors: readonly ErrorObject[]): ErrorObject[] {
  const few = errors.slice(0, enough).filter(({ keyword }) => keyword !== 'if');
  const dropped = new Set<ErrorObject>();
  for (const whole of few) {
    if (!['oneOf', 'anyOf', 'propertyNames'].includes(whole.keyword)) continue;
    // Those further inside come first, so what they drop is gone by now.
    const inside = few.filter(
      (error) =>
        error !== whole &&
        !dropped.has(error) &&
        error.schemaPath.startsWith(`${whole.schemaPath}/`) &&
        error.instancePath.startsWith(whole.instancePath),
    );
    const branch = (error: ErrorObject) => error.schemaPath.slice(whole.schemaPath.length + 1).split('/')[0];
    const ofOtherType = new Set(
      inside
        .filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === whole.instancePath)
        .map(branch),
    );
    const ofThisType = inside.filter((error) => !ofOtherType.has(branch(error)));
    const meant =
      new Set(ofThisType.map(branch)).size === 1 && whole.keyword !== 'propertyNames' ? ofThisType : [whole];
    for (const error of [whole, ...inside]) if (!meant.includes(error)) dropped.add(error);
  }
  const left = few.filter((error) => !dropped.has(error));
  const mistyped = placesOf(left, ['type']);
  const outOfRange = placesOf(left, ['minimum', 'maximum']);
  return left.filter(
    ({ keyword, instancePath }) =>
      keyword === 'type' || !(mistyped.has(instancePath) || (keyword === 'format' && outOfRange.has(instancePath))),
  );
}

function placesOf(errors: readonly ErrorObject[], keywords: string[]): Set<string> {
  return new Set(errors.filter(({ keyword }) => keywords.includes(keyword)).map(({ instancePath }) => instancePath));
}

function missing(error: ErrorObject): string {
  return error.keyword === 'required' ? `/${escape(error.params.missingProperty)}` : '';
}

/** A name as one step of a JSON Pointer (RFC 6901). */
export function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** How a sentence begins that is about this place in a body: `label`, `tasks/0`, `The body`. */
export function named(pointer: string): string {
  return pointer === '' ? 'The body' : /[^/]*(\/\d+)*$/.exec(pointer.slice(1))![0];
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
      return `must match the pattern ${params.pattern}`;
    case 'format':
      return `must be ${formats[params.format] ?? `in the format ${params.format}`}`;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'propertyNames':
      return `has a member whose name is not allowed: ${JSON.stringify(params.propertyName)}`;
    case 'oneOf':
    case 'anyOf':
      return `must be ${(schema as Alternative[]).map(alternative).join(', or ')}`;
    case 'x-max-depth':
      return `is nested more than ${schema} levels deep`;
    default:
      return message ?? 'does not fit the contract';
  }
}

interface Alternative {
  type?: string | string[];
  pattern?: string;
}

function alternative({ type, pattern }: Alternative): string {
  return `${types(type ?? 'value')}${pattern === undefined ? '' : ` matching ${pattern}`}`;
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
};
