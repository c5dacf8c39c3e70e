/** What of OpenAPI the engine refuses to serve, and how it says so. docs/engine.md has the same list for people. */

/**
 * Every reason to refuse an operation, with what to do about it. What is not here is served as it is written.
 * Which media types and security schemes are served is in media.ts and security-schemes.ts.
 */
export const refused = {
  // The document.
  'OpenAPI version': 'the engine reads OpenAPI 3.0 and 3.1',
  'JSON Schema dialect': 'the engine reads JSON Schema 2020-12, as OpenAPI 3.1 has it by default',
  'equal operationIds': 'each operation needs a name of its own: its handler is found by it',
  'missing operationId': 'name the operation: its handler is found by it',
  'missing responses': 'an operation declares what it responds',
  'unresolved $ref': 'it leads nowhere in this document; references into other files have to be bundled before',
  '$ref beside other members': 'only a schema may have something beside $ref; move it to what is referred to',
  malformed: 'OpenAPI wants another kind of value here',
  // Paths.
  'equal path templates':
    'these paths differ in the names of parameters only, so no request can be told to be for one of them',
  'missing path parameter': 'the path names a parameter in braces that is not declared, or the other way round',
  'path syntax':
    'a segment of a path is text, or one parameter with text before or after it; `*` cannot be told from a wildcard',
  'server path': 'the path of a server is text, or variables with an enum or a default',
  'body of a method without one': 'GET, HEAD and TRACE have no body (RFC 9110, section 9.3)',
  // Parameters.
  'repeated parameter': 'a name may be declared once for each place',
  'parameter name': 'a name that JavaScript keeps for itself, or that is no HTTP token, cannot be read',
  'parameter place': 'a parameter is in path, query, header or cookie',
  'ignored header parameter':
    'OpenAPI ignores parameters named Accept, Content-Type and Authorization: declare media types or a security scheme',
  'optional path parameter': 'a path parameter is always there: say `required: true`',
  'parameter without schema': 'a parameter has either `schema` or `content` with one media type',
  'parameter content': 'the content of a parameter is application/json',
  style: 'OpenAPI defines no such combination of place, style, explode and type',
  'nested values in a parameter': 'OpenAPI defines no text for them: use `content: application/json`',
  'array or single value': 'a parameter that takes both arrays or objects and single values cannot be read for sure',
  'overlapping parameters': 'two parameters would be read from the same name of the query',
  allowEmptyValue: 'the schema does not take the empty text',
  default: 'it does not fit its own schema',
  // Bodies and responses.
  'media type': 'the table in src/contract/media.ts has the media types that the engine serves, and how each is served',
  'response status': 'a status is 200 to 599, a class such as 2XX, or default; 204, 205 and 304 have no body',
  'range among response types': 'clients choose among several types by their names (Accept), so none is a range',
  // Schemas.
  nullable: "OpenAPI 3.1 has no such keyword: add 'null' to `type`",
  'nullable without type': 'OpenAPI 3.0 gives it no meaning without a `type` beside it',
  'exclusive bound': 'it is true or false in OpenAPI 3.0, and a number in 3.1',
  'unknown keyword': 'it is not a keyword of this version of OpenAPI; names of your own begin with `x-`',
  'dynamic reference': 'schemas refer to each other by `$ref` into this document only',
  'one-way member required elsewhere':
    'a readOnly or writeOnly member is listed in `required` where it is declared, not in another part of `allOf`',
  'schema made of itself':
    'a value would be held against it for ever: what it has in allOf, anyOf or oneOf leads back to it',
  discriminator: 'each alternative beside it is a `$ref` to a schema in components',
  'schema that cannot be compiled': 'Ajv cannot compile it',
  // Security.
  'unknown security scheme': 'it is not declared in components/securitySchemes',
  'security scheme': 'the engine reads http bearer and basic, apiKey, oauth2 and openIdConnect',
  'missing authenticator': 'the application has nothing that authenticates this scheme',
  // What other parts of the engine find out while they prepare an operation.
  operation: 'it cannot be served as it is declared',
} as const;

/** What OpenAPI has besides and the engine does nothing about, each with its reason. */
export const ignored = {
  callbacks: 'requests that the application sends, not ones that it serves',
  webhooks: 'requests that the application sends, not ones that it serves',
  links: 'hints for clients',
  allowReserved: 'says how clients write a value; both ways are read',
  'unknown formats': 'a format that ajv-formats does not know is an annotation, as JSON Schema says',
  'contentEncoding, contentMediaType': 'annotations, as JSON Schema says',
  'discriminator without oneOf or anyOf': 'a hint for clients: a value is held against the schema beside it',
  'xml, externalDocs, example, examples, tags, summary, description': 'documentation',
} as const;

export type Feature = keyof typeof refused;

/** Why an operation, or the whole document, is not served. */
export interface Refusal {
  /** The operationId, or the method and path where there is none; undefined when it is about the whole document. */
  operation?: string | undefined;
  feature: Feature;
  /** What is there that cannot be served. */
  detail: string;
  /** A JSON Pointer into the document. */
  place: string;
}

/** How many operations a line names. */
const maxNames = 3;

/** Refusals as lines: what, why, where, and which operations it is about. One thing is one line, however many use it. */
export function refusalLines(refusals: readonly Refusal[]): string[] {
  const same = Map.groupBy(refusals, ({ feature, detail, place }) => JSON.stringify([feature, detail, place]));
  return [...same.values()].map((group) => {
    const { feature, detail, place } = group[0]!;
    const names = [...new Set(group.map(({ operation = 'the document' }) => operation))];
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
    const who = names.slice(0, maxNames).join(', ') + more;
    return `${who}: ${feature}${detail && ` ${detail}`}: ${refused[feature]} (${place})`;
  });
}

/** Thrown while an operation is prepared that cannot be served. */
export class Unservable extends Error {
  readonly feature: Feature;
  readonly detail: string;
  readonly place: string | undefined;

  constructor(feature: Feature, detail: string, place?: string) {
    super(`${feature} ${detail}: ${refused[feature]}`);
    this.feature = feature;
    this.detail = detail;
    this.place = place;
  }
}

/** Stops the start: everything in the contract that cannot be served, one line for each. */
export class UnservableContract extends Error {
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[]) {
    super(`The contract cannot be served as it is written:\n${refusalLines(refusals).join('\n')}`);
    this.refusals = refusals;
  }
}
