/** Reads a contract into its operations, without references, and finds what of them cannot be served. */
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Operation } from './operation.ts';
import { overlappingNames, type ParameterObject, parameterFault } from './parameter-declarations.ts';
import { readPathTemplate, templateShape } from './path-templates.ts';
import { escapePointerStep } from './problem.ts';
import { follow, isObject, isReference } from './references.ts';
import { type Direction, isKnownDialect, SchemaResolver } from './schemas.ts';
import type { Feature, Refusal } from './servable.ts';
import { basePaths } from './servers.ts';

export interface ReadContract {
  /** The operations that can be served, as far as the document says. */
  operations: Operation[];
  refusals: Refusal[];
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
type Method = (typeof methods)[number];

type Objects = Record<string, unknown>;
type Fault = (feature: Feature, detail: string, place: string) => void;

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

  const reader = new Reader(document, new SchemaResolver(document, version === '0' ? '3.0' : '3.1'));
  const read = Object.entries(paths).flatMap(([path, item]) => (path.startsWith('x-') ? [] : reader.path(path, item)));
  for (const one of read) refusals.push(...one.refusals, ...reader.schemaRefusals(one));
  refusals.push(...equalNames(read), ...equalTemplates(read));
  const named = new Set(refusals.map(({ operation }) => operation));
  const operations = read.flatMap(({ name, operation }) => (operation && !named.has(name) ? [operation] : []));
  return { operations, refusals };
}

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

  constructor(document: object, schemas: SchemaResolver) {
    this.#document = document;
    this.#schemas = schemas;
  }

  path(path: string, source: unknown): ReadOperation[] {
    const place = `#/paths/${escapePointerStep(path)}`;
    const faults: [Feature, string, string][] = [];
    const item = this.#object(source, place, (...fault) => faults.push(fault));
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

    const template = readPathTemplate(path);
    if (template === undefined) fault('path syntax', path, place);
    const parameters = this.#parameters(declared, item, place, fault);
    const inPath = parameters.filter((one) => one.in === 'path').map((one) => one.name);
    const inTemplate = template?.parameters.map((one) => one.name) ?? inPath;
    for (const one of inTemplate)
      if (!inPath.includes(one)) fault('missing path parameter', `${one} in parameters`, place);
    for (const one of inPath)
      if (!inTemplate.includes(one)) fault('missing path parameter', `${one} in ${path}`, place);
    for (const one of inTemplate.filter((name, at) => inTemplate.indexOf(name) < at))
      fault('repeated parameter', `${one} in ${path}`, place);
    const isWhole = (name: string) => template?.parameters.find((one) => one.name === name)?.isWholeSegment ?? true;
    for (const { in: where, name, style = 'simple', schema, content } of parameters)
      if (where === 'path' && !isWhole(name) && (style !== 'simple' || content || isSeveral(schema)))
        fault('path syntax', `${path} with more than a single value in a part of a segment`, place);

    const body = this.#body(declared.requestBody, `${place}/requestBody`, fault);
    if (body !== undefined && ['get', 'head', 'trace'].includes(method))
      fault('body of a method without one', method.toUpperCase(), `${place}/requestBody`);
    const { servers, security } = this.#document as OpenAPIV3_1.Document;
    const base = basePaths(
      (declared.servers ?? item.value.servers ?? servers) as OpenAPIV3_1.ServerObject[] | undefined,
      (detail) => fault('server path', detail, declared.servers ? `${place}/servers` : '#/servers'),
    );
    const { requestBody: _, callbacks: __, ...rest } = declared;
    return result({
      ...rest,
      operationId: name,
      path,
      method,
      basePaths: base,
      queryCredentials: queryCredentials(this.#document, declared.security ?? security ?? []),
      place,
      parameters,
      ...(body && { requestBody: body }),
      responses: this.#responses(declared.responses, `${place}/responses`, fault),
      security: declared.security ?? security ?? [],
    } as unknown as Operation);
  }

  /** An operation's own parameter replaces the one of the path that has the same name and place. */
  #parameters(
    declared: OpenAPIV3_1.OperationObject,
    item: { value: Objects; place: string },
    place: string,
    fault: Fault,
  ): ParameterObject[] {
    const own = this.#parameterList(declared.parameters, `${place}/parameters`, fault);
    const ofPath = this.#parameterList(item.value.parameters, `${item.place}/parameters`, fault);
    const key = (one: ParameterObject) =>
      `${one.in} ${one.in === 'header' ? String(one.name).toLowerCase() : one.name}`;
    for (const list of [own, ofPath]) {
      const keys = list.map(key);
      for (const one of keys.filter((name, at) => keys.indexOf(name) < at))
        fault('repeated parameter', one, `${place}/parameters`);
    }
    const replaced = new Set(own.map(key));
    const parameters = [...own, ...ofPath.filter((one) => !replaced.has(key(one)))];
    const readable = parameters.filter((one) => typeof one.name === 'string');
    for (const name of overlappingNames(readable))
      if (!readable.some((one, at) => readable.findIndex((other) => key(other) === key(one)) < at))
        fault('overlapping parameters', name, `${place}/parameters`);
    return readable;
  }

  #parameterList(source: unknown, place: string, fault: Fault): ParameterObject[] {
    if (source === undefined) return [];
    if (!Array.isArray(source)) {
      fault('malformed', 'parameters', place);
      return [];
    }
    return source.flatMap((one, at) => {
      const found = this.#object(one, `${place}/${at}`, fault);
      if (found === undefined) return [];
      const { value } = found;
      const parameter = {
        ...value,
        ...('schema' in value && { schema: this.#schemas.resolve(value.schema, `${found.place}/schema`, 'request') }),
        ...(isObject(value.content) && {
          content: this.#content(value.content, `${found.place}/content`, 'request', fault),
        }),
        ...this.#examples(value, found.place, fault),
      } as unknown as ParameterObject;
      const wrong = parameterFault(parameter);
      if (wrong !== undefined) fault(...wrong, found.place);
      return [parameter];
    });
  }

  #body(source: unknown, place: string, fault: Fault): object | undefined {
    if (source === undefined) return undefined;
    const found = this.#object(source, place, fault);
    if (found === undefined) return undefined;
    return { ...found.value, content: this.#content(found.value.content, `${found.place}/content`, 'request', fault) };
  }

  #responses(source: unknown, place: string, fault: Fault): object {
    return mapObject(source, (one, status) => {
      if (status.startsWith('x-')) return undefined;
      const found = this.#object(one, `${place}/${status}`, fault);
      if (found === undefined) return undefined;
      const { links: _, ...response } = found.value;
      return {
        ...response,
        ...(isObject(response.headers) && {
          headers: mapObject(response.headers, (header, name) => {
            const to = this.#object(header, `${found.place}/headers/${escapePointerStep(name)}`, fault);
            return to && this.#withSchema(to.value, to.place, 'response', fault);
          }),
        }),
        ...(isObject(response.content) && {
          content: this.#content(response.content, `${found.place}/content`, 'response', fault),
        }),
      };
    });
  }

  #content(source: unknown, place: string, direction: Direction, fault: Fault): object {
    return mapObject(source, (media, type) => {
      const at = `${place}/${escapePointerStep(type)}`;
      const found = this.#object(media, at, fault);
      return found && this.#withSchema(found.value, found.place, direction, fault);
    });
  }

  /** A media type or a header: both have a schema and examples. */
  #withSchema(value: Objects, place: string, direction: Direction, fault: Fault): object {
    return {
      ...value,
      ...('schema' in value && { schema: this.#schemas.resolve(value.schema, `${place}/schema`, direction) }),
      ...(isObject(value.content) && { content: this.#content(value.content, `${place}/content`, direction, fault) }),
      ...this.#examples(value, place, fault),
    };
  }

  #examples({ examples }: Objects, place: string, fault: Fault): object {
    if (!isObject(examples)) return {};
    const resolved = mapObject(
      examples,
      (one, name) => this.#object(one, `${place}/examples/${escapePointerStep(name)}`, fault)?.value,
    );
    return { examples: resolved };
  }

  /** An object or what it refers to; undefined, and reported, when there is none. */
  #object(source: unknown, place: string, fault: Fault): { value: Objects; place: string } | undefined {
    if (!isObject(source)) {
      fault('malformed', '', place);
      return undefined;
    }
    if (!isReference(source)) return { value: source, place };
    const beside = Object.keys(source).filter((name) => !['$ref', 'summary', 'description'].includes(name));
    if (beside.length > 0) fault('$ref beside other members', beside.join(', '), place);
    const target = follow(this.#document, source.$ref);
    if (target === undefined || !isObject(target.value)) {
      fault('unresolved $ref', source.$ref, place);
      return undefined;
    }
    return { value: target.value, place: target.place };
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

/** The names in the query under which keys are sent. */
function queryCredentials(document: object, security: OpenAPIV3_1.SecurityRequirementObject[]): string[] {
  const { securitySchemes = {} } = (document as OpenAPIV3_1.Document).components ?? {};
  const schemes = security.flatMap((requirement) => Object.keys(requirement)).map((name) => securitySchemes[name]);
  return schemes.flatMap((scheme) => {
    const declared = isReference(scheme) ? follow(document, scheme.$ref)?.value : scheme;
    const { type, in: place, name } = (declared ?? {}) as OpenAPIV3_1.ApiKeySecurityScheme;
    return type === 'apiKey' && place === 'query' ? [name] : [];
  });
}

function isSeveral(schema: unknown): boolean {
  return isObject(schema) && ['array', 'object'].includes(String(schema.type));
}

function mapObject(source: unknown, map: (value: unknown, name: string) => unknown): Objects {
  if (!isObject(source)) return {};
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) => {
      const mapped = map(value, name);
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
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
