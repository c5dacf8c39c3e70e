/** Reads request bodies in the media types that the contract declares for an operation; others are refused. */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { emptyBody, type Parsed } from './json-parser.ts';
import { type Media, mediaTypes } from './media.ts';
import { isRange, isUtf8Type, mostSpecific, parseMediaType } from './media-type.ts';
import type { Operation } from './operation.ts';
import type { EngineProblem } from './problem.ts';
import { problemError } from './problem-error.ts';

/** A body as it was read. */
export interface Body extends Parsed {
  media: Media;
  /** Its media type: as the contract spells it, or where that has a range, as the client sent it. */
  contentType: string;
  /** How large it was, in bytes. */
  size: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body is, as far as its headers say; null where none is declared. */
    bodyType: { media: Media; contentType: string } | null;
  }
}

/** The request bodies that the contract declares for an operation. */
export interface DeclaredBody {
  types: readonly Media[];
  required: boolean;
}

/**
 * What the contract says of the bodies of an operation; undefined when there are none.
 *
 * @throws Unservable when the engine does not serve it.
 */
export function declaredBody({ requestBody, place }: Operation): DeclaredBody | undefined {
  if (requestBody === undefined) return undefined;
  const { content, required = false } = requestBody as OpenAPIV3_1.RequestBodyObject;
  const types = mediaTypes(content, 'request', { name: 'the request body', place: `${place}/requestBody` });
  return { types, required };
}

/** Whether some of these bodies are read while the handler works. */
export function isStreamed({ types }: DeclaredBody): boolean {
  return types.some(({ parse }) => parse === undefined);
}

/** Makes the routes of a scope read bodies, each those that its `readBody` accepts. */
export async function readBodies(scope: FastifyInstance, { streamed }: { streamed: boolean }): Promise<void> {
  scope.removeAllContentTypeParsers();
  // It reads nothing before the handler does, and knows nothing of other types.
  if (streamed) await scope.register(multipart);
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    const { media, contentType } = request.bodyType!;
    const parsed = await media.parse!(bytes);
    return { ...parsed, media, contentType, size: bytes.length } satisfies Body;
  });
}

/** Refuses what a route cannot read, before the body is read and may be found too large. */
export function readBody({ types }: DeclaredBody): Required<Pick<RouteOptions, 'preParsing'>> {
  const unsupported = unsupportedType(types);
  return {
    preParsing: (request, reply, _payload, done) => {
      const { 'content-encoding': encoding, 'content-type': type, 'content-range': range } = request.headers;
      if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
        // RFC 9110, section 15.5.16: this header tells the client that the coding is the reason.
        reply.header('accept-encoding', 'identity');
        return done(problemError(415, unsupportedEncoding));
      }
      if (type === undefined && !hasBody(request)) return done();
      const sent = parseMediaType(type ?? '');
      const media = sent && mostSpecific(sent, types);
      if (sent === undefined || media === undefined) {
        reply.header('accept', types.map(({ name }) => name).join(', '));
        return done(problemError(415, unsupported));
      }
      if (media.isText && !isUtf8Type(sent))
        return done(problemError(415, unsupportedCharset(media, sent.parameters.charset!)));
      // RFC 9110, section 14.5: the part would be taken for the whole.
      if (range !== undefined && request.method === 'PUT') return done(problemError(400, partialBody));
      request.bodyType = { media, contentType: isRange(media.range) ? sent.type : media.name };
      done();
    },
  };
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Where the contract declares no body, a body that is sent is not read, whatever its media type is. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type'];
    done();
  });
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** All problems of a body. Of a value that cannot be stored, it is not reported that it breaks the schema too. */
export function allBodyProblems({ problems }: Body, schemaProblems: readonly EngineProblem[]): EngineProblem[] {
  const places = new Set(problems.map(({ source }) => JSON.stringify(source)));
  return [...problems, ...schemaProblems.filter(({ source }) => !places.has(JSON.stringify(source)))];
}

/** The problem of a request without the body that its operation requires. */
export function missingBody({ types }: DeclaredBody): EngineProblem {
  return types.every(({ name }) => /json$/.test(name))
    ? emptyBody
    : { code: 'malformed_request', message: `The body is empty. Send ${namesOf(types)}.` };
}

const unsupportedEncoding: EngineProblem = {
  code: 'unsupported_content_encoding',
  message: 'Send the body as it is, without compression.',
  source: { header: 'content-encoding' },
};

const partialBody: EngineProblem = {
  code: 'invalid_header',
  message: 'Send the whole body, without the header Content-Range: a part of it cannot be put.',
  source: { header: 'content-range' },
};

function unsupportedType(types: readonly Media[]): EngineProblem {
  return {
    code: 'unsupported_media_type',
    message: `Send the body as ${namesOf(types)}.`,
    source: { header: 'content-type' },
  };
}

function unsupportedCharset({ name }: Media, charset: string): EngineProblem {
  return {
    code: 'unsupported_media_type',
    message: `${/json$/.test(name) ? 'JSON' : name} is sent as UTF-8, not as ${charset}.`,
    source: { header: 'content-type' },
  };
}

function namesOf(types: readonly Media[]): string {
  return types.map(({ name }) => name).join(' or ');
}
