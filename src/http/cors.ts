/** Cross-origin resource sharing (CORS): which pages of other origins may call the service from a browser. */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route says itself which origins may call it. */
    cors?: false;
  }
  interface FastifyRequest {
    /** Set by @fastify/cors: a browser asks whether it may send a request, and the headers of the response are set. */
    corsPreflightEnabled?: boolean;
  }
}

/** Origins whose pages may call the service, or any. */
export type Origins = readonly string[] | '*';

/** What a page may read of a response beside what any may (Fetch standard, "CORS-safelisted response-header name"). */
const exposedHeaders = [
  'Accept',
  'Accept-Encoding',
  'Allow',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Total-Count',
].join(', ');

/** What a browser is told before it sends a request. There are no cookies, so no credentials but those that a page sends. */
const shared: FastifyCorsOptions = {
  methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  exposedHeaders,
  // fastify.ts responds to preflights, after what it checks of every request.
  preflightContinue: true,
  credentials: false,
  // Browsers keep this for two hours at most (Chromium).
  maxAge: 7200,
};

/**
 * Lets pages of these origins call the service. To be called before other hooks are added: a browser asks (preflight)
 * without a token, and pages may read refusals too. Routes with `cors: false` in their `config` decide for themselves.
 */
export async function allowOrigins(app: FastifyInstance, origins: Origins): Promise<void> {
  const origin = origins === '*' ? '*' : [...origins];
  const preflight = { ...shared, origin, preflight: true };
  const actual = { ...shared, origin, preflight: false };
  await app.register(cors, {
    // Any other OPTIONS request is one for the service itself.
    delegator: (request, decide) => decide(null, isPreflight(request) ? preflight : actual),
  });
}

/** Sets the headers of CORS on the response to a request for which no hook runs. */
export function allowOrigin({ headers }: FastifyRequest, reply: FastifyReply, origins: Origins): void {
  reply.header('vary', 'Origin');
  if (origins === '*') reply.header('access-control-allow-origin', '*');
  else if (origins.includes(headers.origin!)) reply.header('access-control-allow-origin', headers.origin);
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers;
}
