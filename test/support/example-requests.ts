/** Requests made of a contract's examples, whatever the media type of the body and the security scheme are. */
import type { Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';

/** A body that can be sent. */
export interface Encoded {
  contentType: string;
  payload: string | Buffer;
  /** What it was made of. */
  value: unknown;
  schema: OpenAPIV3_1.SchemaObject;
}

/** All examples of the bodies of an operation, in each of its media types. */
export function exampleBodies({ requestBody }: Operation): Encoded[] {
  const { content = {} } = (requestBody ?? {}) as Partial<OpenAPIV3_1.RequestBodyObject>;
  return Object.entries(content).flatMap(([type, media]) =>
    examplesOf(media).map((value) => ({
      ...encode(type, value, (media.schema ?? {}) as OpenAPIV3_1.SchemaObject),
      value,
      schema: (media.schema ?? {}) as OpenAPIV3_1.SchemaObject,
    })),
  );
}

/** The values of the examples of a parameter, a body or a header. */
export function examplesOf({ example, examples = {} }: Pick<OpenAPIV3_1.MediaTypeObject, 'example' | 'examples'>) {
  const named = Object.values(examples).map((one) => (one as OpenAPIV3_1.ExampleObject).value as unknown);
  return example === undefined ? named : [...named, example as unknown];
}

function encode(type: string, value: unknown, schema: OpenAPIV3_1.SchemaObject) {
  if (/^multipart\//.test(type)) return multipart(value as object, schema);
  if (/^application\/x-www-form-urlencoded/.test(type)) {
    const fields = Object.entries(value as object).flatMap(([name, one]) =>
      [one].flat().map((text): [string, string] => [name, `${text}`]),
    );
    return { contentType: type, payload: String(new URLSearchParams(fields)) };
  }
  if (/ndjson|jsonl/.test(type))
    return { contentType: type, payload: (value as unknown[]).map((line) => JSON.stringify(line)).join('\n') };
  if (/json/.test(type)) return { contentType: type, payload: JSON.stringify(value) };
  return { contentType: type, payload: Buffer.from(String(value)) };
}

/** Properties that are binary are sent as files. */
function multipart(value: object, { properties = {} }: OpenAPIV3_1.SchemaObject) {
  const boundary = 'example-boundary';
  const part = (name: string, one: unknown, item: { format?: string; contentMediaType?: string } = {}) => {
    const isFile = item.format === 'binary' || item.contentMediaType !== undefined;
    const file = isFile ? `; filename="${name}"\r\nContent-Type: ${item.contentMediaType ?? 'text/plain'}` : '';
    const text = typeof one === 'object' ? JSON.stringify(one) : String(one);
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`;
  };
  const parts = Object.entries(value).flatMap(([name, one]) => {
    const schema = properties[name] as { items?: object } | undefined;
    return [one].flat().map((item) => part(name, item, schema?.items ?? schema));
  });
  const payload = `${parts.join('')}--${boundary}--\r\n`;
  return { contentType: `multipart/form-data; boundary=${boundary}`, payload };
}

/** The headers, and what is added to a query, with which a token is sent as an operation asks for it. */
export function credentials(
  { security = [] }: Operation,
  schemes: Record<string, OpenAPIV3_1.SecuritySchemeObject>,
  token: string,
): { headers: Record<string, string>; query: Record<string, string> } {
  const names = security.flatMap((requirement) => Object.keys(requirement));
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const scheme of names.map((name) => schemes[name]!)) {
    if (scheme.type !== 'apiKey') {
      const isBasic = scheme.type === 'http' && scheme.scheme.toLowerCase() === 'basic';
      headers.authorization ??= isBasic
        ? `Basic ${Buffer.from(`user:${token}`).toString('base64')}`
        : `Bearer ${token}`;
    } else if (scheme.in === 'header') headers[scheme.name.toLowerCase()] = token;
    else if (scheme.in === 'query') query[scheme.name] = token;
    else headers.cookie = [headers.cookie, `${scheme.name}=${token}`].filter(Boolean).join('; ');
  }
  return { headers, query };
}

/** A parameter in the query as the contract says that it is written, for the styles `form` and `deepObject`. */
export function queryText({ name, style, explode = true }: OpenAPIV3_1.ParameterObject, value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(new URLSearchParams([[name, String(value)]]));
  const members = Array.isArray(value) ? value.map((item) => [name, item]) : Object.entries(value);
  if (style === 'deepObject')
    return members.map(([key, one]) => `${encodeURIComponent(`${name}[${key}]`)}=${encodeURIComponent(one)}`).join('&');
  if (explode && (style ?? 'form') === 'form') return String(new URLSearchParams(members as [string, string][]));
  const delimiter = { spaceDelimited: '%20', pipeDelimited: '|' }[style ?? ''] ?? ',';
  const items = Array.isArray(value) ? value : Object.entries(value).flat();
  return `${name}=${items.map((item) => encodeURIComponent(String(item))).join(delimiter)}`;
}
