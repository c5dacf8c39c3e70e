/** The validators of parameters. */
import type { ErrorObject } from 'ajv';
import type { SchemaChecks } from './body-validators.ts';
import type { Operation } from './operation.ts';
import { declaredParameters, type Parameter } from './parameter-declarations.ts';
import type { Parameters } from './parameters.ts';
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
export function validatorCompiler(checks: SchemaChecks): ValidatorCompiler {
  const schemas = new Map<string, Schema>();
  const idOf = identifier();
  const fits = (schema: Schema) => {
    const check = checks.all(schema);
    return (value: unknown) => check(value).length === 0;
  };
  return {
    fits,
    compile: (operation) => {
      const parameters = declaredParameters((operation.parameters ?? []) as object[]);
      const shape = parameters.map(({ place, key, required, schema }) => [place, key, required, idOf(schema)]);
      const key = JSON.stringify(shape);
      const schema = schemas.get(key) ?? parametersSchema(parameters);
      schemas.set(key, schema);
      const checkParameters = checks.all(schema);
      for (const { name, schema, fallback } of parameters)
        if (fallback !== undefined && !fits(schema)(fallback))
          throw new Unservable('default', `${JSON.stringify(fallback)} of ${name}`);
      return { checkParameters };
    },
  };
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
