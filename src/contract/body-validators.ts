/** The validators of request bodies. */
import type { ErrorObject } from 'ajv';
import { createAjv } from './ajv.ts';
import type { Body, DeclaredBody } from './body.ts';
import { withLocalReferences } from './local-references.ts';
import { once } from './once.ts';
import type { Schema } from './schemas.ts';

/**
 * Above this size, in bytes, the validation of a body stops at the first error. One megabyte has room for 330,000
 * wrong items, and to collect an error for each takes 0.1 s in which no other request is served.
 */
const allErrorsUpTo = 2 ** 16;

/** Checks a value; returns Ajv's errors, none when it fits. */
export type Check = (value: unknown) => readonly ErrorObject[];

/** Compiles schemas. Each is compiled once, however many operations have it. */
export class SchemaChecks {
  readonly #all = checksOf({ allErrors: true });
  readonly #first = checksOf({ allErrors: false });

  /** The check that reports all errors. */
  all(schema: Schema | object): Check {
    return this.#all(schema as Schema);
  }

  /** The check that reports the first error. */
  first(schema: Schema | object): Check {
    return this.#first(schema as Schema);
  }
}

function checksOf(options: { allErrors: boolean }): (schema: Schema) => Check {
  const ajv = once(() => createAjv(options));
  const known = new Map<Schema, Check>();
  const compile = (schema: Schema): Check => {
    const validate = ajv().compile(withLocalReferences(schema));
    return (value) => (validate(value) ? [] : validate.errors!);
  };
  return (schema) => {
    const check = known.get(schema) ?? compile(schema);
    known.set(schema, check);
    return check;
  };
}

/** The validators of the bodies of one operation. */
export interface BodyValidators {
  check(body: Body): readonly ErrorObject[];
  /** Compiles what large bodies need, which is seldom used; otherwise the first large body does. */
  compileForLargeBodies(): void;
}

/** @throws when a schema cannot be compiled. */
export function bodyValidators({ types }: DeclaredBody, checks: SchemaChecks): BodyValidators {
  const validators = new Map(
    types.flatMap((media) => {
      const { validated } = media;
      if (validated === undefined) return [];
      return [[media, { all: checks.all(validated), first: once(() => checks.first(validated)) }] as const];
    }),
  );
  return {
    check: ({ media, size, value }) => {
      const validator = validators.get(media);
      if (validator === undefined) return [];
      return (size > allErrorsUpTo ? validator.first() : validator.all)(value);
    },
    compileForLargeBodies: () => {
      for (const { first } of validators.values()) first();
    },
  };
}
