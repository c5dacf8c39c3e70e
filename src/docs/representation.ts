/** A published text as HTTP carries it: compressed where the client reads that, and sent again only when it changed. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCoding, type Coding, codings, compressWhole } from '../contract/codings.ts';
import { once } from '../contract/once.ts';
import { evaluate } from '../contract/preconditions.ts';

/** A text with its entity tag, and with its compressed forms, if it may have some: each is made once. */
export interface Representation {
  body: Buffer;
  compressed?: Record<Coding, () => Promise<Buffer>>;
  etag: string;
}

/** Makes the entity tag of a text. It is weak: it stands for the text with and without compression. */
export function represent(text: string): Representation {
  const body = Buffer.from(text);
  return { body, etag: `W/"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** Lets a representation be compressed, which takes a millisecond or more, when a client first asks for that. */
export function compressible(representation: Representation): Representation {
  const { body } = representation;
  const compressed = codings.map((coding) => [coding, once(() => compressWhole(body, coding))]);
  return { ...representation, compressed: Object.fromEntries(compressed) };
}

/** Sends a representation, or 304 to a client that has it already. Headers that were set before stay. */
export async function sendRepresentation(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  { body, compressed, etag }: Representation,
): Promise<FastifyReply> {
  const vary = [reply.getHeader('vary'), compressed && 'accept-encoding'].filter(Boolean).join(', ');
  reply.headers({
    etag,
    // Caches store it, but ask each time: a new contract is seen at once, an old one costs a 304.
    'cache-control': 'public, no-cache',
    ...(vary && { vary }),
  });
  const conditions = { 'if-none-match': headers['if-none-match'] };
  if (evaluate(conditions, { ETag: etag }, true) === 'not_modified') return reply.code(304).send();
  reply.type(mediaType);
  const coding = compressed && acceptedCoding(headers['accept-encoding'] as string | undefined);
  if (coding === undefined) return reply.send(body);
  return reply.header('content-encoding', coding).send(await compressed![coding]());
}
