/** Caches the responses of reading operations in memory, each for those callers only who may have it. */
import type { FastifyRequest } from 'fastify';
import type { Identity } from './authorization.ts';
import type { Cache, Lifetime } from './cache.ts';
import type { ValidatedRequest } from './openapi.ts';
import type { Operation } from './operation.ts';
import type { PreparedResponse } from './reply.ts';

/**
 * Who gets the same response to the same request: only the same caller, all callers of a role, everyone, or everyone
 * as long as the reference data stays the same.
 */
export type Sharing = 'caller' | 'role' | 'everyone' | 'reference';

export interface ResponseCacheOptions {
  cache: Cache;
  /** For each operationId; operations that are not named share nothing among callers. */
  sharing: Partial<Record<string, Sharing>>;
}

/** A request, what is known about it, and how its response is made anew. */
export interface Call {
  request: FastifyRequest;
  validated: ValidatedRequest;
  /** Where this request's client reaches the server: responses may hold links. */
  address: () => string;
  respond: (address: () => string) => Promise<PreparedResponse>;
}

/** What those have in common who get the same. A caller may have credentials that may do less than others. */
const audiences: Record<Sharing, (identity: Identity) => unknown> = {
  caller: ({ id, scopes }) => [id, ...scopes],
  role: ({ role }) => role,
  everyone: () => undefined,
  reference: () => undefined,
};

/** Longer text is cached as bytes, or Node.js would encode it at each response; short text is sent faster as text. */
const maxTextLength = 4096;

/**
 * Returns the function that gives the response of an operation, from memory or anew; undefined when the responses of
 * the operation are not cached, because it does not only read.
 *
 * @param development whether a response from memory is compared with a new one, to find operations that are shared
 * among callers who must not get the same.
 */
export function cachedResponses(
  { method, operationId }: Operation,
  { cache, sharing }: ResponseCacheOptions,
  development: boolean,
): ((call: Call) => Promise<PreparedResponse>) | undefined {
  if (method !== 'get') return undefined;
  const shared = sharing[operationId] ?? 'caller';
  const lifetime: Lifetime = shared === 'reference' ? 'reference' : 'current';
  // Only the responses that hold links differ by address, which clients decide where no public URL is configured.
  let holdsLinks = false;

  return async (call) => {
    const { request, validated, address, respond } = call;
    const { path, query, headers, cookies, accept } = validated;
    if (!request.mayUseCache) return respond(address);
    const { identity } = request;
    const audience = identity && audiences[shared](identity);
    const heldLinks = holdsLinks;
    const key = JSON.stringify([
      operationId,
      audience,
      heldLinks ? address() : undefined,
      path,
      query,
      headers,
      cookies,
      accept,
    ]);
    const offer = cache.offering(lifetime, key);
    const known = cache.get(lifetime, key) as PreparedResponse | undefined;
    if (known !== undefined) {
      // Where only queries tell versions, nobody could say which of the two is the newer one.
      if (development && cache.synchronize()) {
        const anew = await respond(address);
        // Otherwise the data may have changed meanwhile.
        const isCurrent = cache.synchronize() && cache.get(lifetime, key) === known;
        if (isCurrent)
          compare(known, anew, `${operationId} is cached (shared by: ${shared}), but caller ${identity?.id}`);
      }
      return known;
    }
    const response = await respond(() => {
      holdsLinks = true;
      return address();
    });
    const { status, content } = response;
    if (status !== 200 || typeof content !== 'string' || holdsLinks !== heldLinks) return response;
    const isShort = content.length <= maxTextLength;
    const value: PreparedResponse = {
      ...response,
      content: isShort ? content : Buffer.from(content),
      cached: { compressed: new Map(), grow: (bytes) => cache.grow(lifetime, key, value, bytes) },
    };
    offer(value, isShort ? 2 * content.length : content.length);
    return response;
  };
}

/** @throws when a new response is another one than that from memory. */
function compare(known: PreparedResponse, { status, content }: PreparedResponse, who: string): void {
  if (status === known.status && String(content) === String(known.content)) return;
  throw new Error(`${who} gets another response than the cached one. Correct its sharing.`);
}
