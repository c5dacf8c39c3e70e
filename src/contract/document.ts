/** Reads a contract into its operations, without references, and finds what of them cannot be served. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { methods, type Operation } from './operation.ts';
import { type Fault, type Objects, PartReader } from './operation-parts.ts';
import type { ParameterObject } from './parameter-declarations.ts';
import { kindsOf } from './parameter-values.ts';
import { readPathTemplate, templateShape } from './path-templates.ts';
import { escapePointerStep } from './problem.ts';
import { isObject } from './references.ts';
import { isKnownDialect, type Schema, SchemaResolver } from './schemas.ts';
import { securityScheme } from './security-schemes.ts';
import type { Feature, Refusal } from './servable.ts';
import { basePaths } from './servers.ts';

export interface ReadContract {
  /** The operations that can be served, as far as the document says. */
  operations: Operation[];
  refusals: Refusal[];
}

type Method = (typeof methods)[number];

/** Reads all operations of a document of OpenAPI 3.0 or 3.1. */
export function readContract(document: object): ReadContract {
  const refusals: Refusal[] = [];
  const { openapi, jsonSchemaDialect, paths = {} } = document as OpenAPIV3_1.Document;
  const version = /^3\.([01])\.\d+/.exec(String(openapi))?.[1];
  if (version === undefined) {
    return { operations: [], refusals: [{ feature: 'OpenAPI version', detail: String(openapi), place: '#/openapi' }] };
  }
  if (jsonSchemaDialect !== undefined && !isKnownDialect(jsonSchemaDialect)) {
    const detail = String(jsonSchemaDialect);
    return { operations: [], refusals: [{ feature: 'JSON Schema dialect', detail, place: '#/jsonSchemaDialect' }] };
  }

  const schemas = new SchemaResolver(document, version === '0' ? '3.0' : '3.1');
  const reader = new Reader(document, schemas);
  const read: ReadOperation[] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue;
    try {
      read.push(...reader.path(path, item));
    } catch (error) {
      // The stack has room for some thousand levels; how deep references lead is known only when they were followed.
      if (!(error instanceof RangeError)) throw error;
      return { operations: [], refusals: [tooDeep(path)] };
    }
  }
  schemas.findLoops();
  for (const one of read) refusals.push(...one.refusals, ...reader.schemaRefusals(one));
  refusals.push(...equalNames(read), ...equalTemplates(read));
  const named = new Set(refusals.map(({ operation }) => operation));
  const operations = read.flatMap(({ name, operation }) => (operation && !named.has(name) ? [operation] : []));
  return { operations, refusals };
}

const tooDeep = (path: string): Refusal => ({
  feature: 'schema that cannot be compiled',
  detail: '(a schema is nested too deep)',
  place: `#/paths/${escapePointerStep(path)}`,
});

/** One operation as it was read; without `operation` when not even that was possible. */
interface ReadOperation {
  name: string;
  place: string;
  path: string;
  operation: Operation | undefined;
  refusals: Refusal[];
}

class Reader {
  readonly #document: object;
  readonly #schemas: SchemaResolver;
  readonly #parts: PartReader;

  constructor(document: object, schemas: SchemaResolver) {
    this.#document = document;
    this.#schemas = schemas;
    this.#parts = new PartReader(document, schemas);
  }

  path(path: string, source: unknown): ReadOperation[] {
    const place = `#/paths/${escapePointerStep(path)}`;
    const faults: [Feature, string, string][] = [];
    const item = this.#parts.object(source, place, (...fault) => faults.push(fault));
    return methods
      .filter((method) => isObject(item?.value) && item.value[method] !== undefined)
      .concat(item === undefined ? ['get'] : [])
      .map((method) => this.#operation(path, method, item, faults));
  }

  #operation(
    path: string,
    method: Method,
    item: { value: Objects; place: string } | undefined,
    faults: [Feature, string, string][],
  ): ReadOperation {
    const place = `${item?.place ?? `#/paths/${escapePointerStep(path)}`}/${method}`;
    const source = item?.value[method];
    const declared = (isObject(source) ? source : {}) as OpenAPIV3_1.OperationObject;
    const { operationId } = declared;
    const name = typeof operationId === 'string' ? operationId : `${method.toUpperCase()} ${path}`;
    const refusals: Refusal[] = faults.map(([feature, detail, at]) => ({
      operation: name,
      feature,
      detail,
      place: at,
    }));
    const fault: Fault = (feature, detail, at) => {
      refusals.push({ operation: name, feature, detail, place: at });
    };
    const result = (operation?: Operation): ReadOperation => ({ name, place, path, operation, refusals });
    if (item === undefined) return result();
    if (!isObject(source)) {
      fault('malformed', method, place);
      return result();
    }
    if (typeof operationId !== 'string' || operationId === '') fault('missing operationId', '', place);
    else if (operationId in {})
      fault('equal operationIds', `${operationId}, a name that JavaScript keeps for itself`, place);
    if (!isObject(declared.responses) || Object.keys(declared.responses).length === 0)
      fault('missing responses', '', place);

    const parameters = this.#parts.parameters(declared, item, place, fault);
    checkPath(path, parameters, (feature, detail) => fault(feature, detail, place));
    const body = this.#parts.body(declared.requestBody, `${place}/requestBody`, fault);
    if (body !== undefined && ['get', 'head', 'trace'].includes(method))
      fault('body of a method without one', method.toUpperCase(), `${place}/requestBody`);
    const { servers, security = [] } = this.#document as OpenAPIV3_1.Document;
    const ofPath = item.value.servers as OpenAPIV3_1.ServerObject[] | undefined;
    const serversPlace = declared.servers ? `${place}/servers` : ofPath ? `${item.place}/servers` : '#/servers';
    const base = basePaths(declared.servers ?? ofPath ?? servers, (detail) =>
      fault('server path', detail, serversPlace),
    );
    const { requestBody: _, callbacks: __, ...rest } = declared;
    return result({
      ...rest,
      operationId: name,
      path,
      method,
      basePaths: base,
      credentials: credentialsOf(this.#document, declared.security ?? security),
      place,
      parameters,
      ...(body && { requestBody: body }),
      responses: this.#parts.responses(declared.responses, `${place}/responses`, fault),
      security: declared.security ?? security,
    } as unknown as Operation);
  }

  /** What is wrong with the schemas that an operation uses. */
  schemaRefusals({ name, operation }: ReadOperation): Refusal[] {
    const { faults } = this.#schemas;
    if (faults.size === 0 || operation === undefined) return [];
    const seen = new Set<unknown>();
    const found: Refusal[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      for (const fault of faults.get(value as Objects) ?? []) found.push({ operation: name, ...fault });
      for (const inner of Object.values(value)) visit(inner);
    };
    const { parameters, requestBody, responses } = operation;
    visit([parameters, requestBody, responses]);
    return found;
  }
}

/** Where the schemes of these requirements have credentials. A scheme that is not served is refused by authorization.ts. */
function credentialsOf(document: object, security: OpenAPIV3_1.SecurityRequirementObject[]): Operation['credentials'] {
  const names = [...new Set(security.flatMap((requirement) => Object.keys(requirement)))];
  const sources = names.flatMap((name) => {
    try {
      return [securityScheme(document, name).source];
    } catch {
      return [];
    }
  });
  return {
    headers: [...new Set(sources.flatMap((source) => ('header' in source ? [source.header] : [])))],
    query: sources.flatMap((source) => ('parameter' in source ? [source.parameter] : [])),
  };
}

/** Whether the router can serve a path, and its parameters are those in braces. */
function checkPath(
  path: string,
  parameters: readonly ParameterObject[],
  fault: (feature: Feature, detail: string) => void,
): void {
  const template = readPathTemplate(path);
  if (template === undefined) {
    fault('path syntax', path);
    return;
  }
  const declared = parameters.filter((one) => one.in === 'path');
  const names = template.parameters.map(({ name }) => name);
  for (const name of names)
    if (!declared.some((one) => one.name === name)) fault('missing path parameter', `${name} in parameters`);
  for (const name of names.filter((one, at) => names.indexOf(one) < at))
    fault('repeated parameter', `${name} in ${path}`);
  for (const { name, style = 'simple', schema } of declared) {
    const inTemplate = template.parameters.find((one) => one.name === name);
    const isSingle = style === 'simple' && schema !== undefined && !isSeveral(schema);
    if (inTemplate === undefined) fault('missing path parameter', `${name} in ${path}`);
    else if (!inTemplate.isWholeSegment && !isSingle)
      fault('path syntax', `${path} with more than a single value in a part of a segment`);
  }
}

function isSeveral(schema: Schema): boolean {
  const kinds = kindsOf(schema);
  return kinds !== undefined && (kinds.has('array') || kinds.has('object'));
}

function equalNames(read: readonly ReadOperation[]): Refusal[] {
  return [...Map.groupBy(read, ({ name }) => name).values()]
    .filter((group) => group.length > 1)
    .flatMap((group) =>
      group.map(({ name, place }) => ({ operation: name, feature: 'equal operationIds' as const, detail: '', place })),
    );
}

function equalTemplates(read: readonly ReadOperation[]): Refusal[] {
  return [...Map.groupBy(read, ({ path }) => templateShape(path)).values()]
    .filter((group) => new Set(group.map(({ path }) => path)).size > 1)
    .flatMap((group) =>
      group.map(({ name, place }) => ({
        operation: name,
        feature: 'equal path templates' as const,
        detail: [...new Set(group.map(({ path }) => path))].join(' and '),
        place,
      })),
    );
}
