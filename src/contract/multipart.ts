/** Reads `multipart/form-data`: its parts come to the handler one by one, files as streams, each checked before. */
import { isUtf8 } from 'node:buffer';
import { finished, PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { MultipartFile as Received } from '@fastify/multipart';
import type { ErrorObject } from 'ajv';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { type FieldReader, fieldReaders, readField, typesOf, unreadableProperty } from './form.ts';
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

/** How many parts a body may have. */
const maxParts = 1000;

/**
 * How @fastify/multipart receives parts: each as a stream, of which nothing is received before it is read. It would parse
 * fields that are JSON without the limits of JSON. What all parts hold together is counted here.
 */
const receiving = {
  isPartAFile: () => true,
  fileHwm: 1,
  limits: { parts: maxParts, headerPairs: 100, fileSize: Number.POSITIVE_INFINITY },
};

/** Compiles a schema to the function that gives Ajv's errors. */
type Compile = (schema: object) => (value: unknown) => readonly ErrorObject[];

/** Why a property of a multipart body cannot be served; undefined when it can. */
export function unservedParts(declared: Declared): (name: string, property: Schema) => string | undefined {
  return (name, property) => {
    // @fastify/multipart refuses them.
    if (name in {}) return `${name} is a name that JavaScript keeps for itself`;
    const { contentType, ...others } = encodingOf(declared, name);
    const unknown = Object.keys(others).filter((keyword) => !keyword.startsWith('x-'));
    if (unknown.length > 0) return `the engine does not serve ${unknown.join(', ')} in the encoding of ${name}`;
    if (contentType !== undefined && mediaRanges(contentType).includes(undefined))
      return `${contentType} in the encoding of ${name} is no list of media types`;
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

/** How a contract says that the parts of a property are encoded. */
function encodingOf({ encoding = {} }: Declared, name: string): OpenAPIV3_1.EncodingObject {
  const all = encoding as Record<string, OpenAPIV3_1.EncodingObject>;
  return Object.hasOwn(all, name) ? all[name]! : {};
}

/** The media types and ranges in a list such as `image/png, image/*`; each that is none is undefined. */
function mediaRanges(list: string) {
  return String(list)
    .split(',')
    .map((range) => parseMediaRange(range.trim()));
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

/** What is known of the parts of one name. */
interface DeclaredPart {
  isFile: boolean;
  /** Whether it may be sent several times. */
  isRepeated: boolean;
  /** How large a file may be, in bytes. */
  maxLength: number;
  /** The problems of a file of this type. */
  checkType: (contentType: string) => EngineProblem[];
  /**
   * Reads a part that is no file.
   *
   * @throws an HTTP error when the value does not fit.
   */
  read: (content: Buffer, contentType: string) => Promise<unknown>;
}

/** How the parts of a body are checked. */
interface Checks {
  parts: ReadonlyMap<string, DeclaredPart>;
  whole: (whole: object) => EngineProblem[];
}

/** Makes the function that begins to read bodies that are declared like this. */
export function multipartReader(declared: Declared, compile: Compile): (request: FastifyRequest) => Parts {
  const schema = declared.schema as Schema;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const readers = fieldReaders(schema);
  const checkWhole = compile({ ...schema, properties: withoutFiles(properties) });
  const parts = Object.entries(properties).map(([name, property]): [string, DeclaredPart] => [
    name,
    {
      isFile: isFile(itemOf(property)),
      isRepeated: typesOf(property).includes('array'),
      maxLength: (itemOf(property) as { maxLength?: number }).maxLength ?? Infinity,
      checkType: typeCheck(name, encodingOf(declared, name).contentType),
      read: fieldCheck(name, property, readers.get(name), compile(itemOf(property))),
    },
  ]);
  const checks = { parts: new Map(parts), whole: (whole: object) => bodyProblems(checkWhole(whole)) };
  return (request) => new Parts(request, checks);
}

/** Makes the check of the media type of a file; without `accepted` any will do. */
function typeCheck(name: string, accepted: string | undefined): DeclaredPart['checkType'] {
  if (accepted === undefined) return () => [];
  const ranges = mediaRanges(accepted).map((range) => ({ range: range! }));
  const problem: EngineProblem = {
    code: 'invalid_format',
    message: `${name} must be a file of ${accepted}.`,
    source: pointer(name),
  };
  return (contentType) => {
    const sent = parseMediaType(contentType);
    return sent && mostSpecific(sent, ranges) ? [] : [problem];
  };
}

/** Makes the function that reads and checks a part that is no file. */
function fieldCheck(
  name: string,
  property: Schema,
  reader: FieldReader | undefined,
  check: ReturnType<Compile>,
): DeclaredPart['read'] {
  const isRepeated = typesOf(property).includes('array');
  const readText = (content: Buffer): unknown => {
    if (!isUtf8(content)) throw problemError(400, notUtf8(name));
    const read = readField(reader, [content.toString()]);
    return isRepeated ? (read as unknown[])[0] : read;
  };
  const readJson = async (content: Buffer): Promise<unknown> => {
    const { value, problems } = await parseJsonBody(content);
    if (problems.length > 0) throw problemError(422, ...within(name, problems));
    return value;
  };
  return async (content, contentType) => {
    const isJson = isJsonPart(property) || contentType === 'application/json';
    const value = isJson ? await readJson(content) : readText(content);
    const problems = [...findUnstorableValues(value), ...bodyProblems(check(value))];
    if (problems.length > 0) throw problemError(422, ...within(name, problems));
    return value;
  };
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
    this.#parts = request.parts(receiving)[Symbol.asyncIterator]() as AsyncIterator<Received>;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Part, undefined>> {
    try {
      for (;;) {
        const part = await this.#nextPart();
        if (part === undefined) return { done: true, value: undefined };
        const declared = this.#checks.parts.get(part.fieldname);
        if (declared !== undefined) return { done: false, value: await this.#checked(part, declared) };
        this.#remember(part.fieldname, '');
        this.#file = this.#counted(part, Infinity);
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
    const problems = this.#checks.whole(this.#whole);
    if (problems.length > 0) throw problemError(422, ...problems);
    return undefined;
  }

  async #checked(part: Received, declared: DeclaredPart): Promise<Part> {
    const { fieldname: name, filename, mimetype: contentType } = part;
    if (name in this.#whole && !declared.isRepeated) throw problemError(422, repeated(name));
    if (declared.isFile !== isSentAsFile(part)) throw problemError(422, wrongKind(name, declared));
    if (!declared.isFile) {
      const value = await declared.read(await buffer(this.#counted(part, Infinity)), contentType);
      this.#remember(name, value);
      return { name, value };
    }
    const problems = declared.checkType(contentType);
    if (problems.length > 0) throw problemError(422, ...problems);
    this.#remember(name, '');
    this.#file = this.#counted(part, declared.maxLength);
    return { name, filename, contentType, stream: this.#file };
  }

  #remember(name: string, value: unknown): void {
    if (this.#checks.parts.get(name)?.isRepeated) ((this.#whole[name] ??= []) as unknown[]).push(value);
    else this.#whole[name] = value;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { bodyLimit } = this.#request.routeOptions;
    if (this.#bytes <= bodyLimit) return;
    throw problemError(413, { code: 'body_too_large', message: `The body is larger than ${bodyLimit} bytes.` });
  }

  /**
   * The content of a part. It ends with an error when the body is too large or cut off. The handler may stop reading:
   * then the rest of the part goes by.
   */
  #counted({ file, fieldname: name }: Received, maxLength: number): Readable {
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

/** Whether a client means a part to be a file. */
function isSentAsFile({ filename, mimetype }: Received): boolean {
  return (filename as string | undefined) !== undefined || mimetype === 'application/octet-stream';
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
      const { minItems = 0, maxItems = maxParts } = property as { minItems?: number; maxItems?: number };
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

const wrongKind = (name: string, { isFile }: DeclaredPart): EngineProblem => ({
  code: 'invalid_type',
  message: isFile ? `${name} must be a file.` : `${name} must not be a file.`,
  source: pointer(name),
});

const notUtf8 = (name: string): EngineProblem => ({
  code: 'malformed_request',
  message: `${shorten(name)} is not valid UTF-8.`,
  source: pointer(name),
});

/** What an error of @fastify/multipart says about the request. */
function refusalOf(error: Error & { code?: string | undefined }): Error {
  if (/^FST_(?:PARTS|FIELDS|FILES)_LIMIT$/.test(error.code ?? ''))
    return problemError(413, { code: 'body_too_large', message: `The body has more than ${maxParts} parts.` });
  const message = `The body is no multipart/form-data: ${error.message.replace(/\.$/, '')}.`;
  return problemError(400, { code: 'malformed_request', message });
}
