/** The JSON Schema 2020-12 validator behind openapi-backend, and parameters turned from text to values. */

import type { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenAPIV3_1 } from 'openapi-types';
import { enough, type Problem } from './problem.ts';

/**
 * For openapi-backend's `customizeAjv`, which would use draft 7 and skip the keywords that came later.
 * Parameters get their defaults filled in; a body never does, since PUT tells left out from sent.
 */
export function createAjv(purpose: string): Ajv {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    verbose: true,
    useDefaults: purpose === 'paramsValidator',
    code: { process: stopLooking },
  });
  addFormats.default(ajv);
  ajv.addKeyword({
    keyword: 'x-max-depth',
    schemaType: 'number',
    errors: false,
    validate: (limit: number, value: unknown) => isShallow(value, limit),
  });
  return ajv as unknown as Ajv;
}

/**
 * Lets each of Ajv's loops over items and members end once it has found so many errors that the rest is not told
 * anyway: a body of a megabyte has room for half a million. It changes nothing about whether a value fits.
 */
function stopLooking(code: string): string {
  // Its loop counts the items that do not fit as errors, though one that does is enough.
  if (code.includes('keyword:"contains"')) return code;
  return code
    .replaceAll(
      /for\(let (\w+)=0; ?\1<\w+(?=; ?\1\+\+\))/g,
      (loop, index) => `${loop.replace('=0', `=0,${index}From=errors`)}&&errors-${index}From<${enough}`,
    )
    .replaceAll(
      /for\(const (\w+) in \w+\)\{/g,
      (loop, name) => `const ${name}From=errors;${loop}if(errors-${name}From>=${enough})break;`,
    );
}

/** Whether free-form JSON is at most `depth` levels deep. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}

type Group = 'path' | 'query' | 'header';
/** Parameters by where they stand, as the compiled validator takes them. */
export type Parameters = Record<Group, Record<string, unknown>>;

/**
 * Reads the declared parameters of one operation from a request: text becomes whole numbers and booleans
 * where the contract says so, and stays text where it cannot, for the validator to refuse. Undeclared
 * parameters are left behind. A query parameter given twice is a problem.
 */
export function parameterReader(declared: readonly OpenAPIV3_1.ParameterObject[]) {
  const readers = declared.map((parameter) => ({
    group: parameter.in as Group,
    name: parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name,
    convert: converter((parameter.schema as OpenAPIV3_1.SchemaObject | undefined)?.type),
  }));
  return (path: unknown, query: unknown, header: unknown): { values: Parameters; problems: Problem[] } => {
    const sent = { path, query, header } as Record<Group, Record<string, string | string[] | undefined>>;
    const values: Parameters = { path: {}, query: {}, header: {} };
    const problems: Problem[] = [];
    for (const { group, name, convert } of readers) {
      const raw = sent[group][name];
      if (Array.isArray(raw)) problems.push(repeated(name));
      else if (raw !== undefined) values[group][name] = convert(raw);
    }
    return { values, problems };
  };
}

function repeated(parameter: string): Problem {
  return {
    code: 'repeated_parameter',
    message: `${parameter} may be given only once.`,
    source: { parameter },
  };
}

/** Ajv's own coercion takes `0x10`, `1e3` and ` 7` for whole numbers; here only digits are. */
function converter(type: unknown): (text: string) => unknown {
  switch (type) {
    case 'integer':
      return (text) => (/^(\d+|-0*[1-9]\d*)$/.test(text) ? Number(text) : text);
    case 'number':
      return (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text);
    default:
      return (text) => text;
  }
}
