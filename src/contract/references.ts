/** Follows `$ref` inside a document. */

import { unescapePointerStep } from './problem.ts';

export interface Place<T = unknown> {
  value: T;
  /** A JSON Pointer into the document, beginning with `#`. */
  place: string;
}

/** The end of a chain of references, and the names of the components on the way to it; undefined when it leads nowhere. */
export function follow(document: object, reference: string): (Place & { names: string[] }) | undefined {
  const names: string[] = [];
  const seen = new Set<string>();
  let place = reference;
  for (;;) {
    if (seen.has(place) || !/^#(?:\/|$)/.test(place)) return undefined;
    seen.add(place);
    const name = /^#\/components\/schemas\/([^/]+)$/.exec(place)?.[1];
    if (name !== undefined) names.push(name);
    const value = valueAt(document, place);
    if (value === undefined) return undefined;
    if (!isReference(value) || Object.keys(value).length > 1) return { value, place, names };
    place = value.$ref;
  }
}

/** Whether an object is nothing but, or begins with, a reference. */
export function isReference(value: unknown): value is { $ref: string } {
  return isObject(value) && typeof value.$ref === 'string';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(document: object, pointer: string): unknown {
  let value: unknown = document;
  for (const step of pointer.split('/').slice(1)) {
    const name = unescaped(step);
    if (name === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = value[name as keyof object];
  }
  return value;
}

/** A step of a JSON Pointer in a URI fragment as the name it stands for; undefined when an escape is broken. */
function unescaped(step: string): string | undefined {
  try {
    return unescapePointerStep(decodeURIComponent(step));
  } catch {
    return undefined;
  }
}
