/** The table of media types: how the contents of each are parsed, checked, made and sent. */
import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { OpenAPIV3_1 } from 'openapi-types';
import { declaredMembers } from './declared-members.ts';
import { formParser, typesOf, unreadableProperty } from './form.ts';
import { Json } from './json-body.ts';
import { findUnstorableValues, type Parsed, parseJsonBody, parseJsonLines } from './json-parser.ts';
import { isRange, isUtf8Type, type MediaType, parseMediaRange } from './media-type.ts';
import { tooLong, unservedOfBytes, unservedParts } from './multipart.ts';
import { escapePointerStep } from './problem.ts';
import { problemError, ReplyFault } from './problem-error.ts';
import { Unservable } from './servable.ts';

type Declared = OpenAPIV3_1.MediaTypeObject;
type Schema = OpenAPIV3_1.SchemaObject;

/** What is sent: in one piece, or in pieces while they are made. */
export type Content = string | Buffer | AsyncIterable<string | Uint8Array>;

/** How the contents of some media types are served. */
interface Kind {
  /** Why contents that are declared like this cannot be served, as the end of a sentence; undefined when they can. */
  unserved: (declared: Declared) => string | undefined;
  /** Whether it is text, which is in UTF-8. */
  isText: boolean;
  /** Makes the function that parses request bodies; undefined where they are not read before the handler asks for them. */
  parser?: (declared: Declared) => (bytes: Buffer) => Parsed | Promise<Parsed>;
  /** The schema of what is parsed; undefined where Ajv has nothing to check. */
  validated: (declared: Declared) => object | undefined;
  /** How responses are made; undefined where there are none of this kind. */
  replies?: {
    /** Makes the function that makes the content of what a handler returned. */
    serializer: (declared: Declared) => (body: unknown) => Content;
    /** Puts the parts of a body together that a handler returned as a stream. */
    collect: (parts: unknown[]) => unknown;
    /** What a client reads from a content that is complete. */
    read: (content: string | Buffer) => unknown;
    /** An example of the contract as a handler returns it. */
    example: (value: unknown) => unknown;
  };
}

const json: Kind = {
  isText: true,
  unserved: () => undefined,
  parser: () => parseJsonBody,
  validated: ({ schema }) => schema,
  replies: {
    serializer: ({ schema = {} }) => {
      const declared = declaredMembers(schema);
      return (body) => (body instanceof Json ? body.text : jsonText(declared(body)));
    },
    collect: (parts) => parts,
    read: (content) => JSON.parse(String(content)),
    example: (value) => new Json(JSON.stringify(value)),
  },
};

/** One JSON text a line. Its schema describes them as an array. */
const jsonLines: Kind = {
  isText: true,
  unserved: ({ schema }) =>
    typesOf((schema ?? {}) as Schema).join() === 'array' ? undefined : 'its schema has to be an array of the lines',
  parser: () => parseJsonLines,
  validated: ({ schema }) => schema,
  replies: {
    serializer: ({ schema }) => {
      const declared = declaredMembers((schema as { items?: object }).items ?? {});
      const line = (item: unknown) => `${jsonText(declared(item))}\n`;
      return (body) => (isStream(body) ? mapped(body, line) : (body as unknown[]).map(line).join(''));
    },
    collect: (parts) => parts,
    read: (content) => lines(String(content)).map((line) => JSON.parse(line) as unknown),
    example: (value) => value,
  },
};

const text: Kind = {
  isText: true,
  unserved: ({ schema }) =>
    mayBeString(schema as Schema | undefined) ? undefined : 'it is served as text, but its schema takes no string',
  parser: () => (bytes) => {
    if (!isUtf8(bytes)) throw problemError(400, { code: 'malformed_request', message: 'The body is not valid UTF-8.' });
    const value = bytes.toString().replace(/^\uFEFF/, '');
    return { value, problems: findUnstorableValues(value), parsed: true };
  },
  validated: ({ schema }) => schema,
  replies: {
    serializer: () => (body) => (isStream(body) ? mapped(body, checkedText) : checkedText(body)),
    collect: (parts) => parts.join(''),
    read: String,
    example: String,
  },
};

const form: Kind = {
  isText: true,
  unserved: ({ schema, encoding }) => {
    if (encoding !== undefined) return 'the engine serves no encoding of a form but the usual one';
    return unservedForm(schema as Schema | undefined, unreadableProperty);
  },
  parser: formParser,
  validated: ({ schema }) => schema,
};

/** Its parts are checked one by one, while the handler reads them: see multipart.ts. */
const multipart: Kind = {
  isText: false,
  unserved: (declared) => unservedForm(declared.schema as Schema | undefined, unservedParts(declared)),
  validated: () => undefined,
};

const bytes: Kind = {
  isText: false,
  unserved: ({ schema = {} }) => {
    const others = unservedOfBytes(schema);
    if (others.length > 0) return `it is served as bytes, to which ${others.join(', ')} cannot be applied`;
    return mayBeString(schema as Schema) ? undefined : 'it is served as bytes, which its schema has to call a string';
  },
  parser: ({ schema = {} }) => {
    const { maxLength = Infinity } = schema as Schema;
    return (value) => ({ value, problems: value.length > maxLength ? [tooLong('', maxLength)] : [], parsed: true });
  },
  validated: () => undefined,
  replies: {
    serializer: () => (body) => (isStream(body) ? mapped(body, checkedBytes) : checkedBytes(body)),
    collect: (parts) => Buffer.concat(parts as Uint8Array[]),
    read: (content) => content,
    example: (value) => Buffer.from(String(value)),
  },
};

const application = (...names: string[]) => names.map((name) => `application/${name}`);

/** The first row that has a media type, or a range of them, serves it. `*` at the begin or end of a name is any text. */
const table: readonly (readonly [types: readonly string[], kind: Kind])[] = [
  [['application/json', '*+json'], json],
  [application('ndjson', 'x-ndjson', 'jsonl', 'x-jsonl', 'jsonlines', 'x-jsonlines'), jsonLines],
  [['text/*', ...application('xml', 'yaml', 'sql', 'javascript'), '*+xml', '*+yaml'], text],
  [['application/x-www-form-urlencoded'], form],
  [['multipart/form-data'], multipart],
  [
    [
      ...application('octet-stream', 'pdf', 'zip', 'gzip', 'zstd', 'vnd.*'),
      ...['image/*', 'audio/*', 'video/*', 'font/*', '*/*'],
    ],
    bytes,
  ],
];

/** The media types that are served, in the order of the table. */
export const servedTypes = table.map(([types]) => types);

function kindOf(name: string): Kind | undefined {
  const range = parseMediaRange(name);
  return range && table.find(([types]) => types.some((served) => isServedAs(served, range.type)))?.[1];
}

/** Whether a row has a type. The range of all types stands for itself only. */
function isServedAs(served: string, type: string): boolean {
  const [start, end] = served.split('*');
  return served === type || (end !== undefined && type.startsWith(start!) && type.endsWith(end));
}

/** An example of the contract as a handler returns it. */
export function exampleBody(name: string, value: unknown): unknown {
  return kindOf(name)?.replies?.example(value) ?? value;
}

/** One media type that the contract declares for a body or a response, ready to be served. */
export interface Media {
  /** As the contract spells it. */
  name: string;
  range: MediaType;
  /** The header of responses; of a range it is not known before. */
  contentType: string;
  isText: boolean;
  schema: object;
  /** The schema that a parsed value is held against; undefined where there is nothing to check. */
  validated: object | undefined;
  parse: ((bytes: Buffer) => Parsed | Promise<Parsed>) | undefined;
  /** Makes the function that makes contents, when it is first needed. */
  replies: Kind['replies'];
  declared: Declared;
}

/**
 * The media types of a body or a response.
 *
 * @param what they are of, and where that is in the document.
 * @throws Unservable when the engine does not serve one of them.
 */
export function mediaTypes(
  content: Record<string, Declared> | undefined,
  use: 'request' | 'response',
  what: { name: string; place: string },
): Media[] {
  return Object.entries(content ?? {}).map(([name, declared]) => {
    const range = parseMediaRange(name);
    const kind = kindOf(name);
    const refuse = (why: string) =>
      new Unservable(
        'media type',
        `${name} of ${what.name} (${why})`,
        `${what.place}/content/${escapePointerStep(name)}`,
      );
    if (range === undefined || kind === undefined) throw refuse('it is not known');
    if (!isUtf8Type(range)) throw refuse('text is read and written in UTF-8');
    if (use === 'response' && kind.replies === undefined) throw refuse('it is for request bodies');
    const why = kind.unserved(declared);
    if (why !== undefined) throw refuse(why);
    return {
      name,
      range,
      contentType: isRange(range) ? name : contentTypeHeader(name, kind),
      isText: kind.isText,
      schema: declared.schema ?? {},
      validated: kind.validated(declared),
      parse: kind.parser?.(declared),
      replies: kind.replies,
      declared,
    };
  });
}

/** What a response is said to be. Of JSON too, because Fastify adds the charset to any. */
function contentTypeHeader(name: string, { isText }: Kind): string {
  return isText && !/charset/i.test(name) ? `${name}; charset=utf-8` : name;
}

/** Whether a body comes piece by piece. */
export function isStream<T>(body: unknown): body is AsyncIterable<T> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function jsonText(value: unknown): string {
  const made = JSON.stringify(value);
  if (made === undefined) throw new ReplyFault(`with ${typeof value}, which JSON does not have.`);
  return made;
}

function checkedText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ReplyFault(`with ${typeof value} where the contract declares text.`);
}

function checkedBytes(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new ReplyFault(`with ${typeof value} where the contract declares bytes.`);
}

/** The same pieces, each changed. No generator function, because those hold what they yielded until they go on. */
function mapped<T, U>(pieces: AsyncIterable<T>, change: (piece: T) => U): AsyncIterable<U> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: async () => {
          const { done, value } = await iterator.next();
          return done ? { done, value: undefined } : { done: false, value: change(value) };
        },
        return: async () => {
          // A stream of Node.js of which nothing was read yet is not closed by that of its iterator.
          if (pieces instanceof Readable) pieces.destroy();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function mayBeString(schema: Schema = {}): boolean {
  return !('type' in schema) || typesOf(schema).includes('string');
}

/** Why a form with these properties cannot be served; undefined when it can. */
function unservedForm(
  schema: Schema | undefined,
  unserved: (name: string, property: Schema) => string | undefined,
): string | undefined {
  if (schema?.properties === undefined) return 'its schema has to be an object with properties';
  for (const [name, property] of Object.entries(schema.properties)) {
    const why = unserved(name, property as Schema);
    if (why !== undefined) return why;
  }
  return undefined;
}
