/** How each kind of security scheme carries credentials in a request, and how a 401 asks for them. */
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Source } from './problem.ts';
import { follow, isReference } from './references.ts';
import { Unservable } from './servable.ts';

/** A user name and a password (RFC 7617). */
export interface BasicCredentials {
  username: string;
  password: string;
}

export type Credentials = string | BasicCredentials;

/** What requests carry for a scheme of this declaration. */
export type CredentialsOf<Scheme> = Scheme extends { type: 'http'; scheme: 'basic' } ? BasicCredentials : string;

/** One security scheme of the contract. */
export interface SecurityScheme {
  /** Whether there is something in the request that is meant for this scheme, right or wrong. */
  isSent: (request: FastifyRequest) => boolean;
  /** The credentials in the request, undefined when there are none or they are malformed. */
  read: (request: FastifyRequest) => Credentials | undefined;
  /** The value of `WWW-Authenticate` that asks for the credentials; `isRefused` when those that were sent are not valid. */
  challenge: (isRefused: boolean) => string;
  /** The value of `WWW-Authenticate` of a 403; undefined where none is defined. */
  scopeChallenge: (scope: string) => string | undefined;
  /** What to send, as a part of a sentence, and what a person calls it. */
  words: string;
  noun: string;
  source: Source;
}

type Declaration = OpenAPIV3_1.SecuritySchemeObject;

/**
 * Reads the declaration of a security scheme. Each has an object of its own, by which authorization.ts tells them apart.
 *
 * @throws Unservable when the contract does not declare it, or the engine does not know its kind.
 */
export function securityScheme(document: object, name: string): SecurityScheme {
  const { components, info } = document as OpenAPIV3_1.Document;
  const schemes = components?.securitySchemes ?? {};
  const source = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  const declared = isReference(source) ? follow(document, source.$ref)?.value : source;
  if (declared === undefined) throw new Unservable('unknown security scheme', name);
  const place = `#/components/securitySchemes/${name}`;
  const scheme = declared as Declaration;
  switch (scheme.type) {
    case 'http':
      if (/^bearer$/i.test(scheme.scheme)) return { ...bearer };
      if (/^basic$/i.test(scheme.scheme)) return basic(info.title);
      throw new Unservable('security scheme', `${name}, http ${scheme.scheme}`, place);
    case 'oauth2':
    case 'openIdConnect':
      // Both end in an access token (RFC 6750).
      return { ...bearer };
    case 'apiKey':
      if (scheme.in in keys) return apiKey(scheme.in as keyof typeof keys, scheme.name);
      throw new Unservable('security scheme', `${name}, apiKey in ${scheme.in}`, place);
    default:
      throw new Unservable('security scheme', `${name}, ${(scheme as { type: string }).type}`, place);
  }
}

/** RFC 6750 */
const bearer: SecurityScheme = {
  isSent: ({ headers }) => /^bearer +\S/i.test(headers.authorization ?? ''),
  read: ({ headers }) => /^bearer +([\w~+/.-]+=*)$/i.exec(headers.authorization ?? '')?.[1],
  challenge: (isRefused) => (isRefused ? 'Bearer error="invalid_token"' : 'Bearer'),
  scopeChallenge: (scope) => `Bearer error="insufficient_scope", scope="${scope}"`,
  words: "a valid access token in the header 'Authorization: Bearer <ACCESS_TOKEN>'",
  noun: 'this access token does',
  source: { header: 'authorization' },
};

/** RFC 7617 */
function basic(realm: string): SecurityScheme {
  const quoted = realm.replaceAll(/[\\"]/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, '?');
  return {
    isSent: ({ headers }) => /^basic +\S/i.test(headers.authorization ?? ''),
    read: ({ headers }) => basicCredentials(/^basic +([\w~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1]),
    challenge: () => `Basic realm="${quoted}", charset="UTF-8"`,
    scopeChallenge: () => undefined,
    words: "a valid user name and password in the header 'Authorization: Basic <CREDENTIALS>'",
    noun: 'these credentials do',
    source: { header: 'authorization' },
  };
}

function basicCredentials(encoded: string | undefined): BasicCredentials | undefined {
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Where a key may be: how it is read, and how a sentence calls the place. */
const keys = {
  header: {
    read: ({ headers }: FastifyRequest, name: string) => headers[name.toLowerCase()],
    place: 'header',
  },
  query: {
    read: ({ query }: FastifyRequest, name: string) => (query as Record<string, unknown>)[name],
    place: 'query parameter',
  },
  cookie: {
    read: ({ headers }: FastifyRequest, name: string) => {
      const cookies = parseCookie(headers.cookie ?? '');
      return Object.hasOwn(cookies, name) ? cookies[name] : undefined;
    },
    place: 'cookie',
  },
};

function apiKey(place: keyof typeof keys, name: string): SecurityScheme {
  const { read, place: word } = keys[place];
  return {
    isSent: (request) => read(request, name) !== undefined,
    read: (request) => {
      const key = read(request, name);
      return typeof key === 'string' && key !== '' ? key : undefined;
    },
    // HTTP has no scheme for keys, but a 401 has to have a challenge (RFC 9110, section 15.5.2).
    challenge: () => `ApiKey in="${place}", name="${name.replaceAll(/[\\"]/g, '\\$&')}"`,
    scopeChallenge: () => undefined,
    words: `a valid key in the ${word} '${name}'`,
    noun: 'this key does',
    source:
      place === 'header'
        ? { header: name.toLowerCase() }
        : place === 'query'
          ? { parameter: name }
          : { header: 'cookie' },
  };
}
