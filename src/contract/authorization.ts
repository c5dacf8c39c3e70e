/** Finds out who sent a request, and refuses those who may not use the operation. */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Cache } from './cache.ts';
import type { Operation } from './operation.ts';
import type { EngineProblem, Problem } from './problem.ts';
import { type Credentials, type CredentialsOf, type SecurityScheme, securityScheme } from './security-schemes.ts';
import { Unservable } from './servable.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request; null where the contract asks for no credentials, or they are optional and none were sent. */
    identity: Identity | null;
    /** Whether all that is out of date at the beginning of the request has been dropped from the cache. */
    mayUseCache: boolean;
  }
}

/** Whoever sent a request, as far as the engine needs to know. */
export interface Identity {
  /** No two have the same, whatever security scheme they use: cached responses go by it. */
  id: number | string;
  role: string;
  scopes: ReadonlySet<string>;
  /** When the credentials expire, in milliseconds since 1970. */
  expires?: number;
}

/** How callers prove who they are, for one security scheme. The engine reads the credentials from where the contract says. */
export interface Authenticator<Who extends Identity, Sent extends Credentials = string> {
  /** What stands for the credentials, such as the hash of a token: the engine stores them nowhere, not even in memory. */
  digest: (credentials: Sent) => string;
  /**
   * Whose credentials these are, or undefined when nobody's. Where the cache does not know the version of the data before,
   * `setVersion` gets the one that was read together with the identity.
   */
  identify: (digest: string, credentials: Sent, setVersion: (version: unknown) => void) => Promise<Who | undefined>;
}

/** One for each security scheme of the contract, by its name. */
export type Authenticators<Schemes, Who extends Identity> = {
  [Name in keyof Schemes]: Authenticator<Who, CredentialsOf<Schemes[Name]>>;
};

export interface AuthorizationOptions<Who extends Identity, Schemes = Record<string, object>> {
  /** For each security scheme of the contract. */
  authenticators: Authenticators<Schemes, Who>;
  /** Sends the response to a request that is refused. */
  sendRefusal: (reply: FastifyReply, status: number, problems: readonly Problem[]) => FastifyReply;
  /** Caches identities between requests. */
  cache?: Cache | undefined;
}

/** About how much memory an identity takes, in bytes. */
const identityBytes = 300;

/** One scheme of an alternative, and the scopes that its credentials must have. */
interface Requirement<Who> {
  scheme: SecurityScheme;
  scopes: readonly string[];
  /** Whose credentials are in the request, undefined when they are missing or nobody's. They may have expired. */
  identify: (request: FastifyRequest) => Promise<Who | undefined> | Who | undefined;
}

/**
 * The hook that decides 401 and 403, before the body is read: a request without credentials cannot make the server
 * parse. Nothing for operations that need no credentials.
 *
 * Of the alternatives that the contract names the first one counts that the request fulfils. Where one of them is `{}`, a
 * request without any credentials is served; one with credentials that are not valid is refused, so that its sender learns it.
 * Of a combination, the first scheme says who the caller is.
 *
 * @throws Unservable when the contract asks for something that the engine cannot check.
 */
export function authorize<Who extends Identity, Schemes>(
  operation: Operation,
  document: object,
  options: AuthorizationOptions<Who, Schemes>,
): Pick<RouteOptions, 'onRequest'> {
  const { security = [] } = operation;
  const alternatives = security
    .map((requirement) =>
      Object.entries(requirement).map(([name, scopes]) => requirementOf(document, name, scopes, options)),
    )
    .filter((requirements) => requirements.length > 0);
  if (alternatives.length === 0) return {};
  const isOptional = alternatives.length < security.length;
  const refuse401 = unauthorizedRefusal(alternatives, options.sendRefusal);

  const [only, ...more] = alternatives.flat();
  if (more.length === 0 && !isOptional) return { onRequest: onlyRequirement(only!, refuse401, options.sendRefusal) };

  return {
    onRequest: async (request, reply) => {
      const found = new Map<SecurityScheme, Who | undefined>();
      let lacking: Requirement<Who> | undefined;
      for (const requirements of alternatives) {
        const verdict = await fulfilled(requirements, request, found);
        if (verdict === undefined) continue;
        if ('caller' in verdict) {
          request.identity = verdict.caller;
          return;
        }
        lacking ??= verdict.lacking;
      }
      if (lacking !== undefined) return refuse403(lacking, reply, options.sendRefusal);
      if (isOptional && !alternatives.flat().some(({ scheme }) => scheme.isSent(request))) return;
      return refuse401(request, reply, (scheme) => found.has(scheme) && found.get(scheme) === undefined);
    },
  };
}

/** What most operations need, in fewer steps: one scheme. */
function onlyRequirement<Who extends Identity>(
  requirement: Requirement<Who>,
  refuse401: (request: FastifyRequest, reply: FastifyReply, isRefused: () => boolean) => FastifyReply,
  sendRefusal: AuthorizationOptions<Identity>['sendRefusal'],
) {
  const { scopes, identify } = requirement;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const identity = unexpired(await identify(request));
    if (identity === undefined) return refuse401(request, reply, () => true);
    if (!scopes.every((name) => identity.scopes.has(name))) return refuse403(requirement, reply, sendRefusal);
    request.identity = identity;
  };
}

/** Who the caller is, or which scheme lacks a scope; undefined when credentials are missing or not valid. */
async function fulfilled<Who extends Identity>(
  requirements: readonly Requirement<Who>[],
  request: FastifyRequest,
  found: Map<SecurityScheme, Who | undefined>,
): Promise<{ caller: Who } | { lacking: Requirement<Who> } | undefined> {
  let caller: Who | undefined;
  let lacking: Requirement<Who> | undefined;
  for (const requirement of requirements) {
    const { scheme, scopes, identify } = requirement;
    if (!found.has(scheme)) found.set(scheme, unexpired(await identify(request)));
    const identity = found.get(scheme);
    if (identity === undefined) return undefined;
    caller ??= identity;
    if (!scopes.every((name) => identity.scopes.has(name))) lacking ??= requirement;
  }
  return lacking === undefined ? { caller: caller! } : { lacking };
}

/** The latest time that any request came, in milliseconds since 1970. */
let latest = 0;

/** The time. It never goes back: what has expired stays so when the clock is set back, until the process ends. */
function now(): number {
  latest = Math.max(latest, Date.now());
  return latest;
}

function unexpired<Who extends Identity>(identity: Who | undefined): Who | undefined {
  return identity !== undefined && (identity.expires ?? Infinity) > now() ? identity : undefined;
}

function requirementOf<Who extends Identity, Schemes>(
  document: object,
  name: string,
  scopes: readonly string[],
  { authenticators, cache }: AuthorizationOptions<Who, Schemes>,
): Requirement<Who> {
  const scheme = sharedScheme(document, name);
  const all = authenticators as Record<string, Authenticator<Who, Credentials>>;
  const authenticator = Object.hasOwn(all, name) ? all[name] : undefined;
  if (authenticator === undefined) throw new Unservable('missing authenticator', name);
  const identify = cachedIdentities(name, authenticator, cache);
  return {
    scheme,
    scopes,
    identify: (request) => {
      const credentials = scheme.read(request);
      return credentials === undefined ? undefined : identify(credentials, request);
    },
  };
}

/** The schemes of each document, so that a scheme in several alternatives is the same object. */
const schemes = new WeakMap<object, Map<string, SecurityScheme>>();

function sharedScheme(document: object, name: string): SecurityScheme {
  const known = schemes.get(document) ?? new Map<string, SecurityScheme>();
  schemes.set(document, known);
  const scheme = known.get(name) ?? securityScheme(document, name);
  known.set(name, scheme);
  return scheme;
}

function cachedIdentities<Who extends Identity>(
  scheme: string,
  { digest, identify }: Authenticator<Who, Credentials>,
  cache?: Cache,
) {
  return (credentials: Credentials, request: FastifyRequest): Promise<Who | undefined> | Who => {
    const key = digest(credentials);
    if (cache === undefined || !request.mayUseCache)
      return identify(key, credentials, (version) => {
        request.mayUseCache = cache?.setVersion(version) ?? false;
      });
    const name = `${scheme} ${key}`;
    const known = cache.get('current', name) as Who | undefined;
    if (known !== undefined) return known;
    const offer = cache.offering('current', name);
    return identify(key, credentials, () => {}).then((identity) => {
      if (identity !== undefined) offer(identity, identityBytes);
      return identity;
    });
  };
}

/** Sends a 401 with a challenge for each scheme that would do. */
function unauthorizedRefusal<Who>(
  alternatives: readonly (readonly Requirement<Who>[])[],
  sendRefusal: AuthorizationOptions<Identity>['sendRefusal'],
) {
  const schemes = [...new Set(alternatives.flat().map(({ scheme }) => scheme))];
  const what = alternatives.map((requirements) => requirements.map(({ scheme }) => scheme.words).join(' and '));
  const problem: EngineProblem = {
    code: 'unauthorized',
    message: `Send ${[...new Set(what)].join(', or ')}.`,
    source: schemes[0]!.source,
  };
  return (request: FastifyRequest, reply: FastifyReply, isRefused: (scheme: SecurityScheme) => boolean) => {
    const challenge = (scheme: SecurityScheme) => scheme.challenge(isRefused(scheme) && scheme.isSent(request));
    const [only, ...more] = schemes;
    const challenges = more.length === 0 ? challenge(only!) : [...new Set(schemes.map(challenge))];
    return sendRefusal(reply.header('www-authenticate', challenges), 401, [problem]);
  };
}

function refuse403(
  { scheme, scopes }: Requirement<Identity>,
  reply: FastifyReply,
  sendRefusal: AuthorizationOptions<Identity>['sendRefusal'],
) {
  const scope = scopes.join(' ');
  const challenge = scheme.scopeChallenge(scope);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
  const problem: EngineProblem = {
    code: 'insufficient_scope',
    message: `This operation needs the scope ${scope}, which ${scheme.noun} not have.`,
  };
  return sendRefusal(reply, 403, [problem]);
}
