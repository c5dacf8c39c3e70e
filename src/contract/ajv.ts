/** Ajv for JSON Schema 2020-12, with the formats and keywords of the engine. */
import type { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isEntityTags } from './preconditions.ts';

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
