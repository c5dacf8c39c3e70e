/** Conditional reading: entity tags of responses, and requests that ask only for what is new (RFC 9110, section 13). */
import { createHash } from 'node:crypto';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { ValidatedRequest } from './openapi.ts';
import type { Operation } from './operation.ts';
import {
  conditions,
  evaluate,
  type Preconditions,
  preconditionFailed,
  type Validators,
  withCoding,
} from './preconditions.ts';
import { discard, type PreparedResponse } from './reply.ts';
import type { DeclaredResponses } from './responses.ts';

/** Gives the validators of what a request would read, at less cost than reading it; undefined when it is not there. */
export type ReadValidators<Context> = (request: ValidatedRequest, context: Context) => Promise<Validators | undefined>;

/**
 * Adds entity tags to the responses of an operation, where its contract declares them and its handler gives none;
 * undefined where it declares none. Responses that can be asked for again say how they may be cached.
 */
export function responseTagger(
  operation: Operation,
  responses: DeclaredResponses,
  compresses: boolean,
): ((response: PreparedResponse) => PreparedResponse) | undefined {
  const prefixes = new Map(
    successes.flatMap((status) => {
      const header = responses.of(status)?.headers.ETag;
      if (header === undefined) return [];
      // The same bytes deserve a strong tag, but the contract may promise less.
      const { pattern = '' } = header.schema as OpenAPIV3_1.SchemaObject;
      return [[status, pattern.startsWith('^W/') ? 'W/' : ''] as const];
    }),
  );
  if (prefixes.size === 0) return undefined;
  const forCaches =
    operation.method === 'get' ? cachingHeaders(operation, compresses) : (headers: Record<string, string>) => headers;
  return (response) => {
    const { status, headers, content } = response;
    const prefix = prefixes.get(status);
    if (prefix === undefined) return response;
    if (headers?.ETag !== undefined) return { ...response, headers: forCaches(headers) };
    // A long response is made while it is sent, so nothing is known of it before.
    if (typeof content !== 'string' && !Buffer.isBuffer(content)) return response;
    return { ...response, headers: forCaches({ ...headers, ETag: `${prefix}"${digest(content)}"` }) };
  };
}

/** The statuses that may be declared as `2XX` too. */
const successes = Array.from({ length: 100 }, (_, at) => 200 + at);

/** Only a cache of the caller's own may hold the response, and has to ask each time whether it is still the same. */
function cachingHeaders(
  { credentials }: Operation,
  compresses: boolean,
): (headers: Record<string, string>) => Record<string, string> {
  const varies = [...credentials.headers, ...(compresses ? ['accept-encoding'] : [])].join(', ');
  return (headers) => {
    const vary = [headers.vary, varies].filter(Boolean).join(', ');
    return { ...headers, 'cache-control': 'private, no-cache', ...(vary && { vary }) };
  };
}

/** Gives the response to a request: the whole one, or 304 or 412 when the request's conditions say so. */
export type ConditionalReading<Context> = (
  request: ValidatedRequest,
  context: () => Context,
  read: () => Promise<PreparedResponse>,
  coding: string | undefined,
) => Promise<PreparedResponse>;

/** Serves the conditional requests of an operation; undefined where its contract declares no status 304. */
export function conditionalReading<Context>(
  operation: Operation,
  readValidators: ReadValidators<Context> | undefined,
  compresses: boolean,
): ConditionalReading<Context> | undefined {
  const { method, responses = {} } = operation;
  if (method !== 'get' || !('304' in responses)) return undefined;
  const withCaching = cachingHeaders(operation, compresses);
  /** What is sent in place of the whole response; undefined when that is to be sent. */
  const shorterResponse = (
    sent: Preconditions,
    validators: Validators,
    coding: string | undefined,
  ): PreparedResponse | undefined => {
    const { conditions, tag } = inCoding(sent, validators.ETag, coding);
    const verdict = evaluate(conditions, validators, true);
    if (verdict === 'proceed') return undefined;
    return verdict === 'failed'
      ? { status: 412, headers: { ETag: validators.ETag }, problems: [preconditionFailed] }
      : { status: 304, headers: withCaching({ ...validators, ETag: tag }) };
  };
  return async (request, context, read, coding) => {
    const sent = takeConditions(request);
    if (sent === undefined) return read();
    const validators = await readValidators?.(request, context());
    const shorter = validators && shorterResponse(sent, validators, coding);
    if (shorter !== undefined) return shorter;
    const response = await read();
    const { status, headers: { ETag, 'Last-Modified': modified } = {} } = response;
    if (status !== 200 || ETag === undefined) return response;
    const known = { ETag, ...(modified !== undefined && { 'Last-Modified': modified }) };
    const short = shorterResponse(sent, known, coding);
    if (short !== undefined) discard(response);
    return short ?? response;
  };
}

/**
 * A client that has the response in the coding which it would get now sends that entity tag in If-None-Match, and gets
 * it back. The tag of another coding stands for other bytes.
 */
function inCoding(sent: Preconditions, ETag: string, coding: string | undefined) {
  const tag = coding === undefined ? ETag : withCoding(ETag, coding);
  const noneMatch = sent['if-none-match'];
  if (tag === ETag || !noneMatch?.includes(tag)) return { conditions: sent, tag: ETag };
  return { conditions: { ...sent, 'if-none-match': noneMatch.replaceAll(tag, ETag) }, tag };
}

/** Takes the conditions out of a request, because what is read does not depend on them. */
function takeConditions(request: ValidatedRequest): Preconditions | undefined {
  const sent = Object.entries(request.headers);
  if (sent.length === 0) return undefined;
  const isCondition = ([name]: [string, unknown]) => (conditions as readonly string[]).includes(name);
  request.headers = Object.fromEntries(sent.filter((header) => !isCondition(header)));
  const taken = sent.filter(isCondition);
  return taken.length === 0 ? undefined : (Object.fromEntries(taken) as Preconditions);
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
