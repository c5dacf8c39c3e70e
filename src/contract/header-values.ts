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

function headerText(value: unknown, { explode = false, content }: OpenAPIV3_1.HeaderObject = {}): string {
  if (content !== undefined) return JSON.stringify(value);
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value);
  return explode ? members.map((member) => member.join('=')).join(',') : members.flat().join(',');
}
