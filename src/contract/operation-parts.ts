/** Reads the parts of an operation: parameters, body and responses, without references. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { overlappingNames, type ParameterObject, parameterFault } from './parameter-declarations.ts';
import { escapePointerStep } from './problem.ts';
import { follow, isObject, isReference } from './references.ts';
import type { Direction, SchemaResolver } from './schemas.ts';
import type { Feature } from './servable.ts';

export type Objects = Record<string, unknown>;
/** Reports what cannot be served, and goes on. */
export type Fault = (feature: Feature, detail: string, place: string) => void;

export class PartReader {
  readonly #document: object;
  readonly #schemas: SchemaResolver;

  constructor(document: object, schemas: SchemaResolver) {
    this.#document = document;
    this.#schemas = schemas;
  }

  /** An operation's own parameter replaces the one of the path that has the same name and place. */
  parameters(
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
      const found = this.object(one, `${place}/${at}`, fault);
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

  body(source: unknown, place: string, fault: Fault): object | undefined {
    if (source === undefined) return undefined;
    const found = this.object(source, place, fault);
    if (found === undefined) return undefined;
    return { ...found.value, content: this.#content(found.value.content, `${found.place}/content`, 'request', fault) };
  }

  responses(source: unknown, place: string, fault: Fault): object {
    return mapObject(source, (one, status) => {
      if (status.startsWith('x-')) return undefined;
      const found = this.object(one, `${place}/${status}`, fault);
      if (found === undefined) return undefined;
      const { links: _, ...response } = found.value;
      return {
        ...response,
        ...(isObject(response.headers) && {
          headers: mapObject(response.headers, (header, name) => {
            const to = this.object(header, `${found.place}/headers/${escapePointerStep(name)}`, fault);
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
      const found = this.object(media, at, fault);
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
      (one, name) => this.object(one, `${place}/examples/${escapePointerStep(name)}`, fault)?.value,
    );
    return { examples: resolved };
  }

  /** An object or what it refers to; undefined, and reported, when there is none. */
  object(source: unknown, place: string, fault: Fault): { value: Objects; place: string } | undefined {
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
