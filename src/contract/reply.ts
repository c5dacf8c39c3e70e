/** Turns what a handler returned into a response that can be sent, by serialisers compiled from the contract. */
import { Readable } from 'node:stream';
import build from 'fast-json-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { type Coding, compressedStream } from './codings.ts';
import { Json } from './json-body.ts';
import type { Problem } from './problem.ts';
import type { Outcome } from './types.ts';

/** A response that can be sent; more than once, unless its content is a stream. */
export interface PreparedResponse {
  status: number;
  headers?: Record<string, string> | undefined;
  content?: string | Buffer | AsyncIterable<string> | undefined;
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

type Serialize = (body: unknown) => string;

/** Schemas are shared between operations; so are the serialisers compiled from them. */
const serializers = new WeakMap<object, Serialize>();

/**
 * Returns the function that makes responses of what the handler of this operation returns.
 *
 * @throws when a schema cannot be compiled.
 */
export function responsePreparer(operation: Operation): (outcome: Outcome) => PreparedResponse {
  const responses = operation.responses as Record<string, OpenAPIV3_1.ResponseObject>;
  const serialize = new Map(
    Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/json']?.schema;
      return schema && Number(status) < 400 ? [[Number(status), serializer(schema)] as const] : [];
    }),
  );
  return ({ status, headers, body, problems }) => {
    if (problems !== undefined) return { status, headers, problems };
    if (body instanceof Json) return { status, headers, content: body.text };
    const toText = serialize.get(status) ?? JSON.stringify;
    return { status, headers, content: body === undefined ? undefined : toText(body) };
  };
}

function serializer(schema: object): Serialize {
  const known = serializers.get(schema) ?? (build(schema as Parameters<typeof build>[0]) as Serialize);
  serializers.set(schema, known);
  return known;
}

/** Sends a response that is no refusal. */
export function send({ method }: FastifyRequest, reply: FastifyReply, response: PreparedResponse) {
  const { status, headers, content, coding } = response;
  reply.code(status);
  if (headers !== undefined) setHeaders(reply, headers);
  if (content === undefined) return reply.send();
  reply.header('content-type', 'application/json; charset=utf-8');
  if (!isStream(content)) return reply.send(content);
  if (method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(coding === undefined ? byteStream(content) : compressedStream(byteStream(content), coding));
}

/** Sets headers. Links, and what the response varies by, come after those that every response has. */
function setHeaders(reply: FastifyReply, headers: Record<string, string>): void {
  const { Link, vary } = headers;
  const commonLink = Link === undefined ? undefined : reply.getHeader('link');
  const commonVary = vary === undefined ? undefined : reply.getHeader('vary');
  reply.headers(headers);
  if (commonLink !== undefined) reply.header('link', `${commonLink}, ${Link}`);
  if (commonVary !== undefined) reply.header('vary', `${commonVary}, ${vary}`);
}

/**
 * These pieces as a stream of bytes. A piece is made when the one before it has been written: `Readable.from` would
 * make some ahead, and count them without regard to their size.
 */
function byteStream(pieces: AsyncIterable<string>): Readable {
  const iterator = pieces[Symbol.asyncIterator]();
  return new Readable({
    highWaterMark: 0,
    read() {
      iterator.next().then(
        ({ done, value }) => this.push(done === true ? null : Buffer.from(value)),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      Promise.resolve(iterator.return?.()).then(
        () => callback(error),
        (failure: Error) => callback(error ?? failure),
      );
    },
  });
}

/** Whether a content comes piece by piece. */
export function isStream(content: PreparedResponse['content']): content is AsyncIterable<string> {
  return typeof content === 'object' && Symbol.asyncIterator in content;
}
