/** Tells clients in response headers that the contract gives an operation up: since when, until when, what comes instead. */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Operation } from './operation.ts';
import { readPathTemplate } from './path-templates.ts';

export interface DeprecationOptions {
  /** Where people read about an operation; links to it go out with the headers. */
  documentation?: ((operationId: string) => string) | undefined;
  /** What clients have before the contract's paths, such as `/base`. */
  basePath?: string | undefined;
}

/** What the contract may say about an operation that is `deprecated`. */
interface Extensions {
  deprecated?: boolean;
  /** The date of the deprecation, which `Deprecation` consists of; without it there is no such header. */
  'x-deprecated-since'?: string;
  /** The date from which the operation may be gone. */
  'x-sunset'?: string;
  /** What to use instead: a path of the contract, with this path's parameters, or an address. */
  'x-successor'?: string;
}

/**
 * A hook for the route of a deprecated operation, nothing for other operations. It adds to every response
 *
 * - `Deprecation: @<seconds>` from `x-deprecated-since` (RFC 9745; a date of RFC 9651, section 3.3.7),
 * - `Sunset: <HTTP-date>` from `x-sunset` (RFC 8594), both for the beginning of the day in UTC,
 * - `Link`s of the relations `deprecation` and `sunset` to the documentation, and `successor-version` (RFC 5829).
 *
 * It is an onSend hook, which also meets the refusals that came before the operation's turn.
 *
 * @throws when a date is none or `x-successor` has a parameter that the path does not have.
 */
export function announceDeprecation(
  operation: Operation,
  { documentation, basePath = '' }: DeprecationOptions,
): Pick<RouteOptions, 'onSend'> {
  const {
    deprecated,
    'x-deprecated-since': since,
    'x-sunset': sunset,
    'x-successor': successor,
  } = operation as Extensions;
  const operationId = operation.operationId!;
  if (!deprecated) return {};

  const read = (name: string, date: string) => {
    const time = new Date(`${date}T00:00:00Z`);
    // Date takes 30 February for 2 March.
    if (Number.isNaN(time.valueOf()) || time.toISOString().slice(0, 10) !== date) {
      throw new Error(`${name} of ${operationId} is not a date such as 2027-06-30.`);
    }
    return time;
  };
  const headers = {
    ...(since !== undefined && { deprecation: `@${read('x-deprecated-since', since).valueOf() / 1000}` }),
    ...(sunset !== undefined && { sunset: read('x-sunset', sunset).toUTCString() }),
  };
  const page = documentation?.(operationId);
  const links = [
    ...(page === undefined ? [] : [`<${page}>; rel="deprecation"; type="text/html"`]),
    ...(page === undefined || sunset === undefined ? [] : [`<${page}>; rel="sunset"; type="text/html"`]),
  ];
  const parameters = successor?.match(/\{[^{}]+\}/g) ?? [];
  const strange = parameters.find((parameter) => !operation.path.includes(parameter));
  if (strange) throw new Error(`x-successor of ${operationId} has ${strange}, which ${operation.path} does not have.`);

  const keys = new Map(readPathTemplate(operation.path)?.parameters.map(({ name, key }) => [name, key]));
  const begin = `${basePath}${operation.basePaths[0]}`;

  /** The successor of the resource that was asked for. */
  const succeeding = (request: FastifyRequest) => {
    if (successor === undefined) return [];
    const values = request.params as Record<string, string>;
    const target = successor.replace(/\{([^{}]+)\}/g, (_, name) => encodeURIComponent(values[keys.get(name)!]!));
    return [`<${target.startsWith('/') ? begin : ''}${target}>; rel="successor-version"`];
  };

  return {
    onSend: (request: FastifyRequest, reply: FastifyReply, payload, done) => {
      reply.headers(headers);
      const others = [reply.getHeader('link') ?? []].flat();
      const all = [...others, ...links, ...succeeding(request)];
      if (all.length > 0) reply.header('link', all.join(', '));
      done(null, payload);
    },
  };
}
