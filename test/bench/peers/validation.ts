/** Validation for Fastify: parameters turn from text to values, bodies stay as they were sent. */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';

/** By default Fastify coerces bodies too, and makes text of a number where the schema takes either. */
export function validatorCompiler(...shared: object[]): FastifySchemaCompiler<object> {
  const create = (coerce: boolean) => {
    // All that is wrong is reported at once; the contract's schemas have keywords that Ajv does not know.
    const ajv = new Ajv({ allErrors: true, strict: false, useDefaults: true, coerceTypes: coerce && 'array' });
    addFormats.default(ajv);
    return ajv.addSchema(shared);
  };
  const [parameters, bodies] = [create(true), create(false)];
  return ({ schema, httpPart }) => (httpPart === 'body' ? bodies : parameters).compile(schema);
}
