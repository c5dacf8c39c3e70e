/** Turns what a handler returned into a response that can be sent. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Coding, compressedStream } from './codings.ts';
import { headerTexts, withEngineNames } from './header-values.ts';
import { type Content, isStream, type Media } from './media.ts';
import { isRange, mostSpecific, parseMediaType } from './media-type.ts';
import { once } from './once.ts';
import type { Problem } from './problem.ts';
import { ReplyFault } from './problem-error.ts';
import { type DeclaredResponses, statusesWithoutBody } from './responses.ts';
import type { Outcome } from './types.ts';

/** A response that can be sent; more than once, unless its content is a stream. */
export interface PreparedResponse {
  status: number;
  headers?: Record<string, string> | undefined;
  /** The media type of the content, where there is one. */
  contentType?: string | undefined;
  content?: Content | undefined;
  /** Whether the content is text, which compression makes shorter. Images, say, are compressed already. */
  isText?: boolean | undefined;
  /** Whether it is compressed for the clients that ask for it. */
  isCompressible?: boolean | undefined;
  /** Why the request is refused, in place of a content. */
  problems?: readonly Problem[] | undefined;
  /** The content coding in which a stream is to be sent. Other contents are compressed before. */
  coding?: Coding | undefined;
  /** Of a response that is cached: what its content was compressed to. */
  cached?: CompressedForms | undefined;
}

/** What the content of a cached response was compressed to, and how to say by how many bytes the entry has grown. */
export interface CompressedForms {
  compressed: Map<Coding, Promise<Buffer>>;
  grow: (bytes: number) => void;
}

type Serialize = (body: unknown) => Content;

/** Types are shared by requests; so is what is made of their schemas. */
const serializers = new WeakMap<Media, () => Serialize>();

/**
 * Returns the function that makes responses of what the handler of an operation returns. It throws a ReplyFault when the
 * contract does not declare such a body.
 */
export function responsePreparer(responses: DeclaredResponses) {
  return (outcome: Outcome): PreparedResponse => {
    const { status, body, problems } = outcome;
    const declared = responses.of(status);
    const headers = outcome.headers && withEngineNames(headerTexts(outcome.headers, declared?.headers ?? {}));
    if (problems !== undefined) return { status, headers, problems };
    if (body === undefined) return { status, headers };
    const types = statusesWithoutBody.has(status) ? [] : (declared?.types ?? []);
    const media = chosenType(outcome, types);
    if (media === undefined) throw new ReplyFault(undeclaredBody(outcome, types));
    const content = serializer(media)(body);
    return { status, headers, contentType: contentTypeOf(outcome, media), content, isText: media.isText };
  };
}

function undeclaredBody({ contentType }: Outcome, types: readonly Media[]): string {
  const names = types.map(({ name }) => name).join(', ');
  if (contentType !== undefined) return `with a body of ${contentType}; the contract declares ${names || 'none'}.`;
  return types.length === 0
    ? 'with a body that the contract does not declare.'
    : `without contentType, which has to say which of ${names} the body is.`;
}

/** The declared type of a body: the one that the handler named, or the only one. */
export function chosenType({ contentType }: Outcome, types: readonly Media[]): Media | undefined {
  if (contentType === undefined) {
    const [only, ...more] = types;
    return only === undefined || more.length > 0 || isRange(only.range) ? undefined : only;
  }
  const named = types.find(({ name }) => name === contentType);
  const parsed = named === undefined ? parseMediaType(contentType) : undefined;
  return named ?? (parsed && mostSpecific(parsed, types));
}

function contentTypeOf({ contentType }: Outcome, media: Media): string {
  return contentType === undefined || contentType === media.name ? media.contentType : contentType;
}

function serializer(media: Media): Serialize {
  const make = serializers.get(media) ?? once(() => media.replies!.serializer(media.declared));
  serializers.set(media, make);
  return make();
}

/** Sends a response that is no refusal. */
export function send({ method }: FastifyRequest, reply: FastifyReply, prepared: PreparedResponse) {
  const { status, headers, contentType, content, coding } = prepared;
  reply.code(status);
  if (headers !== undefined) setHeaders(reply, headers);
  // Of an empty response to HEAD, Fastify would say that GET has 0 bytes.
  if (content === undefined) return reply.send(status === 304 && method === 'HEAD' ? Readable.from([]) : undefined);
  reply.header('content-type', contentType);
  if (!isStream(content)) return reply.send(content);
  if (method === 'HEAD') {
    discard(prepared);
    return reply.send(Readable.from([]));
  }
  return reply.send(coding === undefined ? byteStream(content) : compressedStream(byteStream(content), coding));
}

/** Lets go of a content that is not sent: a stream may hold something open. */
export function discard({ content }: PreparedResponse): void {
  if (isStream(content)) byteStream(content).destroy();
}

/** Sets headers. Links come after those that every response has, and so does what it varies by. */
function setHeaders(reply: FastifyReply, headers: Record<string, string>): void {
  for (const name in headers) {
    if (name === 'vary' || name === 'Link') addToHeader(reply, name === 'vary' ? name : 'link', headers[name]!);
    else reply.header(name, headers[name]);
  }
}

/** Adds to a header that is a list. */
export function addToHeader(reply: FastifyReply, name: 'link' | 'vary', value: string): void {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? value : `${before}, ${value}`);
}

/**
 * These pieces as a stream of bytes. A piece is made when the one before it has been written: `Readable.from` would
 * make some ahead, and count them without regard to their size.
 */
function byteStream(pieces: AsyncIterable<string | Uint8Array>): Readable {
  const iterator = pieces[Symbol.asyncIterator]();
  return new Readable({
    highWaterMark: 0,
    read() {
      iterator.next().then(
        ({ done, value }) => this.push(done === true ? null : typeof value === 'string' ? Buffer.from(value) : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      // A stream of Node.js of which nothing was read yet is not closed by that.
      if (pieces instanceof Readable) pieces.destroy();
      Promise.resolve(iterator.return?.()).then(
        () => callback(error),
        (failure: Error) => callback(error ?? failure),
      );
    },
  });
}
