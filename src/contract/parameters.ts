/** Reads the declared parameters of a request: text becomes the values that the contract's types describe. */
import type { OpenAPIV3_1 } from 'openapi-types';
import type { EngineProblem } from './problem.ts';

type Group = 'path' | 'query' | 'header';

/** Parameters by where they stand, as the compiled validator takes them. */
export type Parameters = Record<Group, Record<string, unknown>>;

/**
 * Returns the function that reads the parameters of one operation. Text becomes whole numbers and booleans where the
 * contract says so, and stays text where it cannot, for the validator to refuse. Undeclared parameters are left out.
 * A parameter that is given twice is a problem.
 */
export function parameterReader(declared: readonly OpenAPIV3_1.ParameterObject[]) {
  const readers = declared.map((parameter) => ({
    group: parameter.in as Group,
    name: parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name,
    convert: converter((parameter.schema as OpenAPIV3_1.SchemaObject | undefined)?.type),
  }));
  return (path: unknown, query: unknown, header: unknown): { values: Parameters; problems: EngineProblem[] } => {
    const sent = { path, query, header } as Record<Group, Record<string, string | string[] | undefined>>;
    const values: Parameters = { path: {}, query: {}, header: {} };
    const problems: EngineProblem[] = [];
    for (const { group, name, convert } of readers) {
      const text = sent[group][name];
      if (Array.isArray(text)) problems.push(repeated(name));
      else if (text !== undefined) values[group][name] = convert(text);
    }
    return { values, problems };
  };
}

function repeated(parameter: string): EngineProblem {
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
