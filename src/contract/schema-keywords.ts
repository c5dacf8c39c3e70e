/** The keywords of schemas: which hold schemas, and which OpenAPI 3.0 and 3.1 know. */

/** Keywords whose value is a schema. */
export const holdsSchema = new Set([
  ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);

/** Keywords whose value is a list of schemas. */
export const holdsSchemas = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/** Those whose schemas are for the same value as the schema that has them; the others are for something in it. */
export const holdsParts = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'] as const;

/** Keywords whose value is an object of schemas. */
export const holdsNamedSchemas = new Set(['properties', 'patternProperties', 'dependentSchemas']);

const of30 = [
  ...['title', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength'],
  ...['pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxProperties', 'minProperties', 'required', 'enum', 'type'],
  ...['allOf', 'oneOf', 'anyOf', 'not', 'items', 'properties', 'additionalProperties', 'description', 'format'],
  ...['default', 'discriminator', 'readOnly', 'writeOnly', 'xml', 'externalDocs', 'example', 'deprecated'],
];

const of31 = [
  ...of30,
  ...['const', 'if', 'then', 'else', 'contains', 'minContains', 'maxContains', 'prefixItems', 'propertyNames'],
  ...['patternProperties', 'dependentSchemas', 'dependentRequired', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['contentSchema', 'contentMediaType', 'contentEncoding', 'examples', '$comment', '$defs', '$schema', '$anchor'],
];

/** The keywords of each version. Others are refused, because a keyword with a typing error would check nothing. */
export const knownKeywords = { '3.0': new Set([...of30, 'nullable']), '3.1': new Set(of31) };

/** Keywords that say nothing about values. `default` is not among them: the engine fills in that of a parameter. */
export const annotations = new Set([
  ...['title', 'description', 'deprecated', 'example', 'examples', '$comment', 'externalDocs', 'xml', '$defs'],
]);

/** Keywords that lead to other schemas by names instead of places. */
export const dynamicReferences = new Set(['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$id']);
