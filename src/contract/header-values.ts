/** Response headers as text: what a handler returned, in the style `simple` of OpenAPI. */
import type { OpenAPIV3_1 } from 'openapi-types';

type Declared = Readonly<Record<string, OpenAPIV3_1.HeaderObject>>;

/** The texts of headers. Numbers, booleans, arrays and objects become text as the contract says. */
export function headerTexts(headers: Record<string, unknown>, declared: Declared): Record<string, string> {
  if (Object.values(headers).every((value) => typeof value === 'string')) return headers as Record<string, string>;
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, headerText(value, declared[name])]),
  );
}

/** The headers that the engine reads or adds to, by the names under which it looks for them. */
const engineNames = new Map(['vary', 'ETag', 'Link', 'Last-Modified'].map((name) => [name.toLowerCase(), name]));

/** The same headers, those that the engine works with under its own names, however the contract spells them. */
export function withEngineNames(headers: Record<string, string>): Record<string, string> {
  const nameOf = (name: string) => engineNames.get(name.toLowerCase()) ?? name;
  if (Object.keys(headers).every((name) => nameOf(name) === name)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [nameOf(name), value]));
}

function headerText(value: unknown, { explode = false, content }: OpenAPIV3_1.HeaderObject = {}): string {
  if (content !== undefined) return JSON.stringify(value);
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value);
  return explode ? members.map((member) => member.join('=')).join(',') : members.flat().join(',');
}
