/** What the contract declares for each status of an operation, also where it says `2XX` or `default`. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { type Media, mediaTypes } from './media.ts';
import { isRange } from './media-type.ts';
import type { Operation } from './operation.ts';
import { Unservable } from './servable.ts';

/** One declared response. */
export interface DeclaredResponse {
  /** The media types of its body, none when it has no body. */
  types: readonly Media[];
  headers: Readonly<Record<string, OpenAPIV3_1.HeaderObject>>;
}

export interface DeclaredResponses {
  /** The declaration for a status: its own, that of its class, or the default one. */
  of: (status: number) => DeclaredResponse | undefined;
  /** The media types of all successes, when a client can choose; none when there is one at most. */
  negotiated: readonly Media[];
}

/** These never have a body (RFC 9110, section 6.4.1, and for 205 section 15.3.6). */
export const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** @throws Unservable when the engine does not serve what an operation declares. */
export function declaredResponses({ responses = {}, place }: Operation): DeclaredResponses {
  const declared = new Map(
    Object.entries(responses as Record<string, OpenAPIV3_1.ResponseObject>).map(([status, response]) => [
      status,
      declaredResponse(response, status, `${place}/responses/${status}`),
    ]),
  );
  // Beside a success, `default` is what contracts call all errors.
  const ofSuccesses = [...declared.keys()].filter((status) => status.startsWith('2'));
  if (ofSuccesses.length === 0) ofSuccesses.push('default');
  const successes = ofSuccesses.flatMap((status) => declared.get(status)?.types ?? []);
  const types = [...new Map(successes.map((media) => [media.contentType, media])).values()];
  if (types.length > 1 && types.some(({ range }) => isRange(range)))
    throw new Unservable('range among response types', types.map(({ name }) => name).join(', '), `${place}/responses`);
  return {
    of: (status) =>
      declared.get(String(status)) ?? declared.get(`${Math.trunc(status / 100)}XX`) ?? declared.get('default'),
    negotiated: types.length > 1 ? types : [],
  };
}

function declaredResponse(
  { content, headers = {} }: OpenAPIV3_1.ResponseObject,
  status: string,
  place: string,
): DeclaredResponse {
  if (!/^(?:[2-5](?:\d\d|XX)|default)$/.test(status)) throw new Unservable('response status', status, place);
  const types = mediaTypes(content, 'response', { name: `the response ${status}`, place });
  if (types.length > 0 && statusesWithoutBody.has(Number(status)))
    throw new Unservable('response status', `${status} with content`, place);
  return { types, headers: headers as Record<string, OpenAPIV3_1.HeaderObject> };
}
