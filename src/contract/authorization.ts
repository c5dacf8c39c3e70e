/** Finds out who sent a request, and refuses those who may not use the operation. */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Operation } from 'openapi-backend';
import type { Cache } from './cache.ts';
import type { EngineProblem, Problem } from './problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request; null where the contract asks for no credentials. */
    identity: Identity | null;
  }
}

/** Whoever sent a request, as far as the engine needs to know. */
export interface Identity {
  id: number | string;
  role: string;
  scopes: ReadonlySet<string>;
  /** When the credentials expire, in milliseconds since 1970. */
  expires?: number;
}

/** How callers prove who they are, for one security scheme. */
export interface Authenticator<Who extends Identity> {
  /** What is looked up, such as the hash of a token; undefined when the request has no usable credentials. */
  credentials: (request: FastifyRequest) => string | undefined;
  /** Whose credentials these are, or undefined when nobody's. */
  identify: (credentials: string) => Promise<Who | undefined>;
}

export interface AuthorizationOptions<Who extends Identity> {
  /** For each security scheme of the contract. */
  authenticators: Record<string, Authenticator<Who>>;
  /** Sends the response to a request that is refused. */
  sendRefusal: (reply: FastifyReply, status: number, problems: readonly Problem[]) => FastifyReply;
  /** Caches identities between requests. */
  cache?: Cache | undefined;
}

/** About how much memory an identity takes, in bytes. */
const identityBytes = 300;

/**
 * The hook that decides 401 and 403, before the body is read: a request without credentials cannot make the server
 * parse. Nothing for operations that need no credentials.
 *
 * @throws when the contract asks for something that the engine cannot check.
 */
export function authorize<Who extends Identity>(
  operation: Operation,
  { authenticators, sendRefusal, cache }: AuthorizationOptions<Who>,
): Pick<RouteOptions, 'onRequest'> {
  const requirement = securityRequirement(operation);
  if (requirement === undefined) return {};
  const { scheme, scopes } = requirement;
  const authenticator = authenticators[scheme];
  if (authenticator === undefined) throw new Error(`Nothing authenticates the security scheme "${scheme}".`);
  const identify = cachedIdentities(scheme, authenticator, cache);
  const scope = scopes.join(' ');

  return {
    onRequest: async (request, reply) => {
      const credentials = authenticator.credentials(request);
      const identity = credentials === undefined ? undefined : await identify(credentials);
      if (identity === undefined || (identity.expires ?? Infinity) <= now()) {
        return sendRefusal(reply.header('www-authenticate', 'Bearer'), 401, [unauthorized]);
      }
      if (!scopes.every((name) => identity.scopes.has(name))) {
        const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
        return sendRefusal(reply.header('www-authenticate', challenge), 403, [insufficientScope(scope)]);
      }
      request.identity = identity;
    },
  };
}

/** The latest time that any request came, in milliseconds since 1970. */
let latest = 0;

/** The time. It never goes back: what has expired stays so when the clock is set back, until the process ends. */
function now(): number {
  latest = Math.max(latest, Date.now());
  return latest;
}

/** The one scheme and its scopes that an operation requires, or undefined when it is open to everybody. */
function securityRequirement({ operationId, security = [] }: Operation) {
  const alternatives = security.flatMap((requirement) => Object.entries(requirement));
  if (alternatives.length > 1) {
    throw new Error(`The engine serves one security scheme an operation; ${operationId} names more.`);
  }
  const [first] = alternatives;
  return first && { scheme: first[0], scopes: first[1] };
}

function cachedIdentities<Who extends Identity>(scheme: string, { identify }: Authenticator<Who>, cache?: Cache) {
  if (cache === undefined) return identify;
  return async (credentials: string): Promise<Who | undefined> => {
    const key = `${scheme} ${credentials}`;
    const known = cache.get('current', key) as Who | undefined;
    if (known !== undefined) return known;
    const offer = cache.offering('current', key);
    const identity = await identify(credentials);
    if (identity !== undefined) offer(identity, identityBytes);
    return identity;
  };
}

const unauthorized: EngineProblem = {
  code: 'unauthorized',
  message: "Send a valid access token in the header 'Authorization: Bearer <ACCESS_TOKEN>'.",
  source: { header: 'authorization' },
};

const insufficientScope = (scope: string): EngineProblem => ({
  code: 'insufficient_scope',
  message: `This operation needs the scope ${scope}, which this access token does not have.`,
});
