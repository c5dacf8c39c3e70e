/** Reads `multipart/form-data`: its parts come to the handler one by one, files as streams, each checked before. */
import { finished, PassThrough, type Readable } from 'node:stream';
import type { Multipart as Received } from '@fastify/multipart';
import type { ErrorObject } from 'ajv';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { fieldReaders, readField, typesOf, unreadableProperty } from './form.ts';
import { findUnstorableValues, parseJsonBody } from './json-parser.ts';
import { mostSpecific, parseMediaRange, parseMediaType } from './media-type.ts';
import { type EngineProblem, escapePointerStep, pointerLabel, shorten } from './problem.ts';
import { problemError } from './problem-error.ts';
import { bodyProblems } from './validation-problems.ts';

type Schema = OpenAPIV3_1.SchemaObject & { contentMediaType?: string; contentEncoding?: string; items?: Schema };
type Declared = OpenAPIV3_1.MediaTypeObject;

/** A part that is a file. Its content is read as a stream; what the handler does not read is thrown away. */
export interface FilePart<Name extends string = string> {
  name: Name;
  /** As the client calls it: never a path of this machine. */
  filename: string;
  contentType: string;
  stream: Readable;
}

/** A part that is no file, read by its schema; of a property that is an array each item is a part. */
export interface FieldPart<Name extends string = string, Value = unknown> {
  name: Name;
  value: Value;
  stream?: never;
}

type Part = FilePart | FieldPart;

/** How many parts a body may have, and how long the name of one may be. */
const limits = { parts: 1000, fieldNameSize: 1024, headerPairs: 100 };

/** Compiles a schema to the function that gives Ajv's errors. */
type Compile = (schema: object) => (value: unknown) => readonly ErrorObject[];

/** Why a property of a multipart body cannot be served; undefined when it can. */
export function unservedParts({ encoding = {} }: Declared): (name: string, property: Schema) => string | undefined {
  return (name, property) => {
    // @fastify/multipart refuses them.
    if (name in {}) return `${name} is a name that JavaScript keeps for itself`;
    const { contentType, ...others } = (encoding as Record<string, OpenAPIV3_1.EncodingObject>)[name] ?? {};
    const unknown = Object.keys(others).filter((keyword) => !keyword.startsWith('x-'));
    if (unknown.length > 0) return `the engine does not serve ${unknown.join(', ')} in the encoding of ${name}`;
    if (isFile(itemOf(property))) {
      const others = unservedOfBytes(itemOf(property));
      return others.length > 0 ? `${name} is a file, to which ${others.join(', ')} cannot be applied` : undefined;
    }
    const expected = isJsonPart(property) ? 'application/json' : 'text/plain';
    if (contentType !== undefined && contentType !== expected)
      return `${name} is no file, so it is read as ${expected} and not as ${contentType}`;
    return isJsonPart(property) ? undefined : unreadableProperty(name, property);
  };
}

/** The keywords of a schema of bytes that the engine does not hold them against; it counts them, up to `maxLength`. */
export function unservedOfBytes(schema: object): string[] {
  return Object.keys(schema).filter((keyword) => !(byteKeywords.has(keyword) || keyword.startsWith('x-')));
}

const byteKeywords = new Set(
  'type format maxLength contentMediaType title description example examples deprecated'.split(' '),
);

/** The problem of bytes that are more than their schema takes. */
export function tooLong(pointer: string, limit: number): EngineProblem {
  const what = pointer === '' ? 'The body' : pointerLabel(pointer);
  return { code: 'too_long', message: `${what} must have at most ${limit} bytes.`, source: { pointer } };
}

/** Makes the function that begins to read bodies that are declared like this. */
export function multipartReader(declared: Declared, compile: Compile): (request: FastifyRequest) => Parts {
  const schema = declared.schema as Schema;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const readers = fieldReaders(schema);
  const checks = new Map(Object.entries(properties).map(([name, property]) => [name, compile(itemOf(property))]));
  const checkWhole = compile({ ...schema, properties: withoutFiles(properties) });
  const accepted = new Map(
    Object.entries((declared.encoding ?? {}) as Record<string, OpenAPIV3_1.EncodingObject>).map(
      ([name, { contentType = '*/*' }]) => [
        name,
        contentType.split(',').map((range) => parseMediaRange(range.trim())!),
      ],
    ),
  );

  /** The value of a part that is no file. */
  const valueOfField = async (name: string, value: unknown): Promise<unknown> => {
    const property = properties[name];
    const isJson = property !== undefined && isJsonPart(property);
    if (!isJson && typeof value === 'string') return readField(readers.get(name), [value]);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const parsed = await parseJsonBody(Buffer.from(text));
    if (parsed.problems.length > 0) throw problemError(422, ...within(name, parsed.problems));
    return parsed.value;
  };

  return (request) =>
    new Parts(request, {
      knows: (name) => Object.hasOwn(properties, name),
      isFile: (name) => isFile(itemOf(properties[name]!)),
      isRepeated: (name) => typesOf(properties[name]!).includes('array'),
      maxLength: (name) => (itemOf(properties[name]!) as { maxLength?: number }).maxLength ?? Infinity,
      checkFile: (name, contentType) => {
        const ranges = accepted.get(name)?.map((range) => ({ range }));
        const sent = parseMediaType(contentType);
        if (ranges === undefined || (sent && mostSpecific(sent, ranges))) return [];
        const right = (declared.encoding![name] as OpenAPIV3_1.EncodingObject).contentType;
        return [{ code: 'invalid_format', message: `${name} must be a file of ${right}.`, source: pointer(name) }];
      },
      value: async (name, sent) => {
        const read = await valueOfField(name, sent);
        const value =
          typesOf(properties[name]!).includes('array') && !isJsonPart(properties[name]!)
            ? (read as unknown[])[0]
            : read;
        const problems = [...findUnstorableValues(value), ...bodyProblems(checks.get(name)!(value))];
        if (problems.length > 0) throw problemError(422, ...within(name, problems));
        return value;
      },
      checkWhole: (whole) => bodyProblems(checkWhole(whole)),
    });
}

/** How parts are checked. */
interface Checks {
  knows: (name: string) => boolean;
  isFile: (name: string) => boolean;
  isRepeated: (name: string) => boolean;
  /** How large a file may be, in bytes. */
  maxLength: (name: string) => number;
  checkFile: (name: string, contentType: string) => EngineProblem[];
  /** @throws an HTTP error when the value does not fit. */
  value: (name: string, sent: unknown) => Promise<unknown>;
  checkWhole: (whole: object) => EngineProblem[];
}

/**
 * The parts of a body in the order in which they arrive. A part that does not fit is an HTTP error, and so is the end
 * when something required did not come.
 */
export class Parts implements AsyncIterableIterator<Part> {
  readonly #request: FastifyRequest;
  readonly #checks: Checks;
  readonly #parts: AsyncIterator<Received>;
  readonly #whole: Record<string, unknown> = {};
  #bytes = 0;
  #file: Readable | undefined;
  #failure: Error | undefined;
  #ended = false;

  constructor(request: FastifyRequest, checks: Checks) {
    this.#request = request;
    this.#checks = checks;
    const { bodyLimit } = request.routeOptions;
    // What all parts hold together is counted here.
    const options = { limits: { ...limits, fileSize: Number.POSITIVE_INFINITY, fieldSize: bodyLimit + 1 } };
    this.#parts = request.parts(options)[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Part, undefined>> {
    try {
      for (;;) {
        const part = await this.#nextPart();
        if (part === undefined) return { done: true, value: undefined };
        if (this.#checks.knows(part.fieldname)) return { done: false, value: await this.#checked(part) };
        this.#discard(part);
      }
    } catch (error) {
      this.#failure ??= error as Error;
      this.#ended = true;
      throw this.#failure;
    }
  }

  /**
   * Does what makes the response to a request with these parts. What a handler that succeeds left unread is read and
   * checked too; otherwise it goes by, and so does the connection.
   */
  async during<T extends { status: number }>(reply: FastifyReply, respond: () => Promise<T>): Promise<T> {
    try {
      const response = await respond();
      while (response.status < 400 && !this.#ended) await this.next();
      return response;
    } catch (error) {
      // The handler's own error may come of a stream that failed.
      throw this.#failure ?? error;
    } finally {
      if (!this.#ended || this.#failure !== undefined) {
        reply.header('connection', 'close');
        this.#request.raw.unpipe();
        this.#request.raw.resume();
      }
    }
  }

  async #nextPart(): Promise<Received | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended) return undefined;
    // A part comes when the one before it was read.
    this.#file?.resume();
    this.#file = undefined;
    const { done, value } = await this.#parts.next().catch((error: Error) => {
      throw this.#failure ?? refusalOf(error);
    });
    if (this.#failure !== undefined) throw this.#failure;
    if (!done) return value;
    this.#ended = true;
    const problems = this.#checks.checkWhole(this.#whole);
    if (problems.length > 0) throw problemError(422, ...problems);
    return undefined;
  }

  async #checked(part: Received): Promise<Part> {
    const { fieldname: name } = part;
    if (name in this.#whole && !this.#checks.isRepeated(name)) throw problemError(422, repeated(name));
    if (this.#checks.isFile(name) !== (part.type === 'file')) throw problemError(422, wrongKind(name, part.type));
    if (part.type === 'field') {
      this.#count(Buffer.byteLength(typeof part.value === 'string' ? part.value : JSON.stringify(part.value)));
      const value = await this.#checks.value(name, part.value);
      this.#remember(name, value);
      return { name, value };
    }
    const problems = this.#checks.checkFile(name, part.mimetype);
    if (problems.length > 0) throw problemError(422, ...problems);
    this.#remember(name, '');
    this.#file = this.#counted(part.file, name, this.#checks.maxLength(name));
    return { name, filename: part.filename, contentType: part.mimetype, stream: this.#file };
  }

  #discard(part: Received): void {
    this.#remember(part.fieldname, '');
    if (part.type === 'file') this.#file = this.#counted(part.file, part.fieldname, Infinity);
    else this.#count(String(part.value).length);
  }

  #remember(name: string, value: unknown): void {
    const isRepeated = this.#checks.knows(name) && this.#checks.isRepeated(name);
    if (isRepeated) ((this.#whole[name] ??= []) as unknown[]).push(value);
    else this.#whole[name] = value;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { bodyLimit } = this.#request.routeOptions;
    if (this.#bytes <= bodyLimit) return;
    throw problemError(413, { code: 'body_too_large', message: `The body is larger than ${bodyLimit} bytes.` });
  }

  /**
   * The content of a file. It ends with an error when the body is too large or cut off. The handler may stop reading:
   * then the rest of the file goes by.
   */
  #counted(file: Readable, name: string, maxLength: number): Readable {
    const content = new PassThrough();
    let length = 0;
    const fail = (error: Error) => {
      this.#failure ??= error;
      content.destroy(error);
    };
    // Whoever reads it gets the error too; if nobody does, it is thrown with the next part.
    content.on('error', () => {});
    content.once('close', () => file.unpipe(content).resume());
    // Unlike an event, it also tells of a file that is cut off already.
    finished(file, (error) => error && fail(refusalOf(error)));
    file.on('data', (chunk: Buffer) => {
      try {
        this.#count(chunk.length);
        length += chunk.length;
        if (length > maxLength) fail(problemError(422, tooLong(pointer(name).pointer, maxLength)));
      } catch (error) {
        fail(error as Error);
      }
    });
    file.pipe(content);
    return content;
  }
}

/** Only a property that is called binary, or whose media type is named, is a file (OpenAPI 3.1, section 4.8.14.3). */
function isFile({ type, format, contentMediaType, contentEncoding }: Schema): boolean {
  if (contentEncoding !== undefined || (type !== undefined && type !== 'string')) return false;
  return format === 'binary' || contentMediaType !== undefined;
}

function isJsonPart(property: Schema): boolean {
  return typesOf(itemOf(property)).includes('object');
}

/** What one part of a property is: of an array an item. */
function itemOf(property: Schema): Schema {
  return typesOf(property).includes('array') ? (property.items ?? {}) : property;
}

/** The properties for the check of the whole, where each file has the value ''. */
function withoutFiles(properties: Record<string, Schema>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      if (!isFile(itemOf(property))) return [name, property];
      const { minItems = 0, maxItems = limits.parts } = property as { minItems?: number; maxItems?: number };
      return [name, typesOf(property).includes('array') ? { type: 'array', minItems, maxItems } : {}];
    }),
  );
}

function pointer(name: string): { pointer: string } {
  return { pointer: `/${escapePointerStep(name)}` };
}

/** The problems of a value that stands under this name. */
function within(name: string, problems: readonly EngineProblem[]): EngineProblem[] {
  return problems.map(({ source, message, ...problem }) => {
    const inner = source && 'pointer' in source ? source.pointer : '';
    const about = inner === '' ? message.replace(/^The body/, shorten(name)) : message;
    return { ...problem, message: about, source: { pointer: pointer(name).pointer + inner } };
  });
}

const repeated = (name: string): EngineProblem => ({
  code: 'invalid_type',
  message: `${name} may be sent only once.`,
  source: pointer(name),
});

const wrongKind = (name: string, type: 'file' | 'field'): EngineProblem => ({
  code: 'invalid_type',
  message: type === 'file' ? `${name} must not be a file.` : `${name} must be a file.`,
  source: pointer(name),
});

/** What an error of @fastify/multipart says about the request. */
function refusalOf(error: Error & { code?: string | undefined }): Error {
  if (/^FST_(?:PARTS|FIELDS|FILES)_LIMIT$/.test(error.code ?? ''))
    return problemError(413, { code: 'body_too_large', message: `The body has more than ${limits.parts} parts.` });
  const message = `The body is no multipart/form-data: ${error.message.replace(/\.$/, '')}.`;
  return problemError(400, { code: 'malformed_request', message });
}
