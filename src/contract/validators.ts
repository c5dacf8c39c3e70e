/** The validators of each operation, compiled by openapi-backend with Ajv's class for JSON Schema 2020-12. */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { AjvCustomizer, OpenAPIValidator, Operation } from 'openapi-backend';
import type { Body } from './body.ts';
import { once } from './once.ts';
import type { Parameters } from './parameters.ts';
import { isEntityTags } from './preconditions.ts';

/**
 * Above this size, in bytes, the validation of a body stops at the first error. One megabyte has room for 330,000
 * wrong items, and to collect an error for each takes 0.1 s in which no other request is served.
 */
const allErrorsUpTo = 2 ** 16;

/** The validators of one operation; each returns Ajv's errors, none when the value fits. */
export interface Validators {
  checkParameters(values: Parameters): readonly ErrorObject[];
  checkBody(body: Body): readonly ErrorObject[];
  /** Compiles what large bodies need, which is seldom used; otherwise the first large body does. */
  compileForLargeBodies(): void;
}

/**
 * Returns the function that compiles the validators of an operation. To compile takes milliseconds, so operations
 * that declare the same parameters or the same body share a validator.
 *
 * @throws when a schema of the operation cannot be compiled.
 */
export function validatorCompiler(document: object, all: OpenAPIValidator, first: OpenAPIValidator) {
  const { paths } = document as { paths: Record<string, Record<string, Declaration>> };
  const compiled = new Map<string, ValidateFunction>();
  const shared = (declaration: unknown, compile: () => ValidateFunction): ValidateFunction => {
    const key = JSON.stringify(declaration);
    const validate = compiled.get(key) ?? compile();
    compiled.set(key, validate);
    return validate;
  };

  return (operation: Operation): Validators => {
    const { parameters: ofPath, [operation.method]: declared = {} } = paths[operation.path]!;
    const { requestBody, ...withoutBody } = operation;
    const withoutParameters = { ...operation, parameters: [] };
    const parameters = shared([ofPath, declared.parameters], () => compile(all, withoutBody));
    const checkParameters = errorsOf(parameters);
    if (requestBody === undefined) return { checkParameters, checkBody: () => [], compileForLargeBodies: () => {} };

    const body = shared(['body', declared.requestBody], () => compile(all, withoutParameters));
    const largeBody = once(() => shared(['large body', declared.requestBody], () => compile(first, withoutParameters)));
    return {
      checkParameters,
      checkBody: ({ size, value }) => errorsOf(size > allErrorsUpTo ? largeBody() : body)({ requestBody: value }),
      compileForLargeBodies: () => void largeBody(),
    };
  };
}

interface Declaration {
  parameters?: unknown;
  requestBody?: unknown;
}

function errorsOf(validate: ValidateFunction): (value: object) => readonly ErrorObject[] {
  return (value) => (validate(value) ? [] : validate.errors!);
}

/** openapi-backend makes a validator of the body, which comes first, and one of the parameters. */
function compile(validator: OpenAPIValidator, operation: object): ValidateFunction {
  return validator.buildRequestValidatorsForOperation(operation as Operation)![0]!;
}

/**
 * For openapi-backend's `customizeAjv`: its own instance is for draft 7, which ignores the keywords that came later.
 * One instance serves all operations of a purpose.
 *
 * @param allErrors whether all errors of a value are collected, or only the first.
 */
export function ajvFactory(allErrors: boolean): AjvCustomizer {
  const instances = new Map<string, Ajv>();
  return (_original, _options, purpose) => {
    const name = String(purpose);
    const ajv = instances.get(name) ?? createAjv({ allErrors, useDefaults: name === 'paramsValidator' });
    instances.set(name, ajv);
    return ajv;
  };
}

/**
 * A validator of JSON Schema 2020-12 with the formats of OpenAPI and keywords of its own:
 *
 * - `x-max-depth`: how deep free-form JSON may be;
 * - `x-no-control-characters`: for text in which a pattern would refuse them, if there were one that the regular
 *   expressions of all languages take;
 * - `x-absent-when-null`: the members of an object that count as left out when they are null.
 *
 * @param useDefaults whether defaults are filled in: for parameters. A body never gets any, because an update has to
 * tell a member that was left out from one that was sent.
 */
export function createAjv({ allErrors = true, useDefaults = false } = {}): Ajv {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, verbose: true, allErrors, useDefaults });
  addFormats.default(ajv);
  ajv.addFormat('entity-tags', isEntityTags);
  ajv.addKeyword({
    keyword: 'x-max-depth',
    schemaType: 'number',
    errors: false,
    validate: (limit: number, value: unknown) => isShallow(value, limit),
  });
  ajv.addKeyword({
    keyword: 'x-no-control-characters',
    type: 'string',
    schemaType: 'boolean',
    errors: false,
    validate: (refused: boolean, text: string) => !(refused && /\p{Cc}/u.test(text)),
  });
  ajv.addKeyword({
    keyword: 'x-absent-when-null',
    type: 'object',
    schemaType: 'array',
    modifying: true,
    errors: false,
    // After the names of members were validated, before their values are.
    before: 'additionalProperties',
    validate: removeNullMembers,
  });
  return ajv as unknown as Ajv;
}

/** Removes the members of these names that are null. Always valid: what is left is for other keywords. */
function removeNullMembers(names: readonly string[], value: Record<string, unknown>): true {
  for (const name of names) if (value[name] === null) delete value[name];
  return true;
}

/** Whether free-form JSON is at most `depth` levels deep. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isShallow(item, depth - 1));
  for (const name in value) if (!isShallow(value[name as keyof object], depth - 1)) return false;
  return true;
}
