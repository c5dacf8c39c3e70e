/** The validators of parameters, compiled with Ajv's class for JSON Schema 2020-12. */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { withLocalReferences } from './local-references.ts';
import type { Operation } from './operation.ts';
import { declaredParameters, type Parameter } from './parameter-declarations.ts';
import type { Parameters } from './parameters.ts';
import { isEntityTags } from './preconditions.ts';
import type { Schema } from './schemas.ts';
import { Unservable } from './servable.ts';

/** The validators of the parameters of one operation; it returns Ajv's errors, none when the values fit. */
export interface Validators {
  checkParameters(values: Parameters): readonly ErrorObject[];
}

/** Compiles what parameters are held against. */
export interface ValidatorCompiler {
  /** @throws when a schema of the operation cannot be compiled. */
  compile(operation: Operation): Validators;
  /** Compiles one schema into a check of values. */
  fits(schema: Schema): (value: unknown) => boolean;
}

/**
 * Makes the compiler of a contract's validators. To compile takes milliseconds, so operations that declare the same
 * parameters share a validator.
 */
export function validatorCompiler(): ValidatorCompiler {
  const ajv = createAjv();
  const compiled = new Map<string, ValidateFunction>();
  const shared = (key: string, schema: Schema): ValidateFunction => {
    const validate = compiled.get(key) ?? ajv.compile(withLocalReferences(schema));
    compiled.set(key, validate);
    return validate;
  };
  const idOf = identifier();
  return {
    fits: (schema) => {
      const validate = ajv.compile(withLocalReferences(schema));
      return (value) => validate(value);
    },
    compile: (operation) => {
      const parameters = declaredParameters((operation.parameters ?? []) as object[]);
      const key = parameters.map(({ place, key, required, schema }) => [place, key, required, idOf(schema)]);
      const checkParameters = errorsOf(shared(JSON.stringify(key), parametersSchema(parameters)));
      for (const { name, schema, fallback } of parameters)
        if (fallback !== undefined && !ajv.validate(withLocalReferences(schema), fallback))
          throw new Unservable('default', `${JSON.stringify(fallback)} of ${name}`);
      return { checkParameters };
    },
  };
}

function errorsOf(validate: ValidateFunction): (value: object) => readonly ErrorObject[] {
  return (value) => (validate(value) ? [] : validate.errors!);
}

/** The schema of `{ path, query, header, cookie }`. */
function parametersSchema(parameters: readonly Parameter[]): Schema {
  const places = Object.entries(Object.groupBy(parameters, ({ place }) => place)).map(([place, group]) => [
    place,
    {
      properties: Object.fromEntries(group.map(({ key, schema }) => [key, schema])),
      required: group.filter(({ required }) => required).map(({ key }) => key),
    },
  ]);
  return { properties: Object.fromEntries(places) };
}

/** Gives each schema a number of its own. */
function identifier() {
  const known = new Map<Schema, number>();
  return (schema: Schema): number => {
    const id = known.get(schema) ?? known.size;
    known.set(schema, id);
    return id;
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
 * It fills in no defaults: those of parameters are filled in where these are read (parameters.ts), and an update has to tell
 * a member of a body that was left out from one that was sent.
 */
export function createAjv({ allErrors = true } = {}): Ajv {
  // Without a logger, or Ajv would print which formats it does not know: they are annotations.
  const ajv = new Ajv2020({ strict: false, validateSchema: false, verbose: true, allErrors, logger: false });
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
