/** The validators of parameters, compiled by openapi-backend with Ajv's class for JSON Schema 2020-12. */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { AjvCustomizer, OpenAPIValidator, Operation } from 'openapi-backend';
import type { Parameters } from './parameters.ts';
import { isEntityTags } from './preconditions.ts';

/** The validator of an operation's parameters; returns Ajv's errors, none when the values fit. */
export interface Validators {
  checkParameters(values: Parameters): readonly ErrorObject[];
}

/**
 * Returns the function that compiles the validator of an operation's parameters. To compile takes milliseconds, so
 * operations that declare the same parameters share a validator.
 *
 * @throws when a schema of the operation cannot be compiled.
 */
export function validatorCompiler(document: object, validator: OpenAPIValidator) {
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
    const { requestBody: _, ...withoutBody } = operation;
    const parameters = shared([ofPath, declared.parameters], () => compile(validator, withoutBody));
    return { checkParameters: errorsOf(parameters) };
  };
}

interface Declaration {
  parameters?: unknown;
}

function errorsOf(validate: ValidateFunction): (value: object) => readonly ErrorObject[] {
  return (value) => (validate(value) ? [] : validate.errors!);
}

/** openapi-backend makes a validator of the parameters only, when there is no body. */
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
 * A validator of JSON Schema 2020-12 with the formats of OpenAPI and the keyword `x-max-depth`.
 *
 * @param useDefaults whether defaults are filled in: for parameters. A body never gets any, because an update has to
 * tell a member that was left out from one that was sent.
 */
export function createAjv({ allErrors = true, useDefaults = false } = {}): Ajv {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    verbose: true,
    allErrors,
    useDefaults,
    logger: false,
  });
  addFormats.default(ajv);
  ajv.addFormat('entity-tags', isEntityTags);
  ajv.addKeyword({
    keyword: 'x-max-depth',
    schemaType: 'number',
    errors: false,
    validate: (limit: number, value: unknown) => isShallow(value, limit),
  });
  return ajv as unknown as Ajv;
}

/** Whether free-form JSON is at most `depth` levels deep. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isShallow(item, depth - 1));
  for (const name in value) if (!isShallow(value[name as keyof object], depth - 1)) return false;
  return true;
}
