/** Finds one's way in a bundled OpenAPI document: pointers, references, operations. */
import { methods } from '../../src/contract/operation.ts';
import { unescapePointerStep } from '../../src/contract/problem.ts';

// A document is JSON of many shapes, which is followed along its references, so types do not help.
export type Json = any;

export interface Operation {
  path: string;
  method: string;
  operation: Json;
  /** The path item, which may have parameters for all of its operations. */
  item: Json;
}

export function operationsOf(document: Json): Operation[] {
  return Object.entries<Json>(document.paths ?? {}).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method], item })),
  );
}

/** The keys of a JSON Pointer such as `#/paths/~1surveys/get`. */
export function keysOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapePointerStep);
}

/** What stands at a place; undefined when there is no such place. */
export function at(document: Json, keys: string[]): Json {
  return keys.reduce((node, key) => node?.[key], document);
}

/** A part of the document, or what it refers to. */
export function resolve(document: Json, part: Json): Json {
  return part?.$ref === undefined ? part : resolve(document, at(document, keysOf(part.$ref)));
}

/** The components that a part of the document refers to, directly or through others. Security schemes are among them. */
export function references(document: Json, part: Json, found = new Set<string>()): Set<string> {
  JSON.stringify(part, (name, value) => {
    if (name === 'security' && Array.isArray(value))
      for (const scheme of value.flatMap(Object.keys)) found.add(`#/components/securitySchemes/${scheme}`);
    if (name === '$ref' && typeof value === 'string' && !found.has(value))
      references(document, at(document, keysOf(value)), found.add(value));
    return value;
  });
  return found;
}

/** The operationIds that a place belongs to: it is in the operation, or in a component that the operation refers to. */
export function usersOf(document: Json, [root, key = '', member = '']: string[]): string[] {
  return operationsOf(document)
    .filter(({ path, method, operation, item }) =>
      root === 'components'
        ? references(document, [operation, item.parameters]).has(`#/components/${key}/${member}`)
        : root === 'paths' && path === key && ['', 'parameters', method].includes(member),
    )
    .map(({ operation }) => operation.operationId);
}

/** Whether clients send what is described at a place, and whether they read it. A component may be for both. */
export function directionsOf(document: Json, [root, key, member, ...rest]: string[]): { sent: boolean; read: boolean } {
  if (root === 'paths') return { sent: !rest.includes('responses'), read: rest.includes('responses') };
  const refersTo = (parts: Json[]) => references(document, parts).has(`#/components/${key}/${member}`);
  const operations = operationsOf(document);
  return {
    sent: refersTo(
      operations.map(({ operation, item }) => [item.parameters, operation.parameters, operation.requestBody]),
    ),
    read: refersTo(operations.map(({ operation }) => operation.responses)),
  };
}
