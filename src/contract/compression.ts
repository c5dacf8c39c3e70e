/** Compresses the responses of operations for the clients that ask for it. */
import { type Coding, compressWhole, minCompressedSize } from './codings.ts';
import { isStream } from './media.ts';
import { withCoding } from './preconditions.ts';
import type { PreparedResponse } from './reply.ts';

/** A response that is long enough to be compressed says that it varies, in whichever coding it is sent then. */
export function compressible(response: PreparedResponse): PreparedResponse {
  const { content, isText, headers = {} } = response;
  if (!isText || content === undefined || (!isStream(content) && isShort(content))) return response;
  return { ...response, headers: { ...headers, vary: withEncoding(headers.vary) }, isCompressible: true };
}

/**
 * A response as it is sent in this coding. What a cached response was compressed to is cached with it. A stream is
 * compressed while it is sent.
 */
export function encoded(response: PreparedResponse, coding: Coding): PreparedResponse | Promise<PreparedResponse> {
  const { content, isCompressible, headers = {} } = response;
  if (!isCompressible || content === undefined) return response;
  const described = { ...response, headers: headersIn(coding, headers) };
  if (isStream(content)) return { ...described, coding };
  return compressedOnce(response, content, coding).then((compressed) => ({ ...described, content: compressed }));
}

function isShort(content: string | Buffer): boolean {
  // A character has one byte at least.
  return content.length <= minCompressedSize && Buffer.byteLength(content) <= minCompressedSize;
}

/** What a response varies by that differs with the coding. */
function withEncoding(vary: string | undefined): string {
  if (vary === undefined) return 'accept-encoding';
  return vary.includes('accept-encoding') ? vary : `${vary}, accept-encoding`;
}

/** A strong entity tag stands for bytes, so it differs with the coding (RFC 9110, section 8.8.3.3). */
function headersIn(coding: Coding, { ETag, ...headers }: Record<string, string>): Record<string, string> {
  return { ...headers, ...(ETag !== undefined && { ETag: withCoding(ETag, coding) }), 'content-encoding': coding };
}

function compressedOnce({ cached }: PreparedResponse, content: string | Buffer, coding: Coding): Promise<Buffer> {
  const known = cached?.compressed.get(coding);
  if (known !== undefined) return known;
  const made = compressWhole(content, coding);
  if (cached !== undefined) {
    cached.compressed.set(coding, made);
    made.then(
      ({ length }) => cached.grow(length),
      () => cached.compressed.delete(coding),
    );
  }
  return made;
}
