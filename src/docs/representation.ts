/** A published text as HTTP carries it: compressed where the client reads that, and sent again only when it changed. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** A text with its entity tag, and with its gzip if it has one, all made once. */
export interface Representation {
  body: Buffer;
  gzipped?: Buffer;
  etag: string;
}

/** Makes the entity tag of a text. It is weak: it stands for the text with and without compression. */
export function represent(text: string): Representation {
  const body = Buffer.from(text);
  return { body, etag: `W/"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** Adds the gzip, which takes a millisecond or more: it is made once, or a client could keep the server busy. */
export async function compressed(representation: Representation): Promise<Representation> {
  return { ...representation, gzipped: await compress(representation.body) };
}

/** Sends a representation, or 304 to a client that has it already. Headers that were set before stay. */
export function sendRepresentation(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  { body, gzipped, etag }: Representation,
): FastifyReply {
  reply.headers({
    etag,
    // Caches store it, but ask each time: a new contract is seen at once, an old one costs a 304.
    'cache-control': 'public, no-cache',
    ...(gzipped && { vary: 'accept-encoding' }),
  });
  if (matches(headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type(mediaType);
  if (gzipped === undefined || !acceptsGzip(headers['accept-encoding'])) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Whether an If-None-Match header has this tag, weak or not (RFC 9110, section 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header?.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag)) ?? false;
}

function acceptsGzip(header = ''): boolean {
  return /\bgzip\b(?!\s*;\s*q=0)/.test(header);
}
