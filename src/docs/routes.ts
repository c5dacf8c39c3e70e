/** The routes of what is published about the API: its documents, the page /docs, and the catalog that leads to both. */
import { readFile } from 'node:fs/promises';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { parseMediaType } from '../contract/media-type.ts';
import { once } from '../contract/once.ts';
import { baseUrl, pathOf } from '../http/public-address.ts';
import { apiCatalog, catalogPath, catalogType } from './catalog.ts';
import { compressible, type Representation, represent, sendRepresentation } from './representation.ts';

export interface DocsOptions {
  /** Where clients reach this server; replaces the server the contract names. */
  publicUrl?: string | undefined;
}

/** The page loads scripts and styles from this server only, is in no frame, and sends nothing elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Redoc adds its styles through an empty <style> element, of which this is the hash.
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "img-src 'self' data:",
  'font-src data:', // icons inside Redoc's script
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
/** Scripts of every origin may read the documents, and the entity tag with which they ask whether one has changed. */
const document = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag, link' };

/** Which origins may call the API does not matter here. */
const config = { cors: false } as const;

/** The media types of OpenAPI documents, for clients that ask for one (IANA, `application/openapi+json`). */
const openapiTypes: Record<string, string> = {
  '/openapi.json': 'application/openapi+json',
  '/openapi.yaml': 'application/openapi+yaml',
  '/openapi-3.0.json': 'application/openapi+json',
};

/** Reads a file of the repository, given from this folder. */
const file = (path: string) => () => readFile(new URL(path, import.meta.url), 'utf8');

type Published = [url: string, load: () => Promise<string>, mediaType: string, headers: Record<string, string>];

/** A script of the pages, written here for browsers. */
function script(name: string): Published {
  return [`/docs/${name}.js`, file(`${name}.js`), 'text/javascript; charset=utf-8', page];
}

const files: Published[] = [
  ['/openapi.json', file('../generated/openapi.json'), 'application/json; charset=utf-8', document],
  ['/openapi.yaml', file('../generated/openapi.yaml'), 'application/yaml; charset=utf-8', document],
  ['/openapi-3.0.json', file('../generated/openapi-3.0.json'), 'application/json; charset=utf-8', document],
  ...['survey', 'hxl', 'translation'].map(
    (name): Published => [
      `/workflows/${name}.arazzo.yaml`,
      file(`../../openapi/workflows/${name}.arazzo.yaml`),
      'application/yaml; charset=utf-8',
      document,
    ],
  ),
  ['/docs', file('page.html'), 'text/html; charset=utf-8', page],
  ['/docs/page.css', file('page.css'), 'text/css; charset=utf-8', page],
  ...['page', 'document', 'print', 'search'].map(script),
  ['/docs/redoc.svg', file('redoc.svg'), 'image/svg+xml', page],
  ['/docs/redoc.js', file('../generated/redoc.js'), 'text/javascript; charset=utf-8', page],
  ['/docs/code-samples.json', file('../generated/code-samples.json'), 'application/json; charset=utf-8', page],
  ['/docs/changelog.md', file('../../CHANGELOG.md'), 'text/markdown; charset=utf-8', page],
  ['/docs/try', file('try.html'), 'text/html; charset=utf-8', page],
  ['/docs/try.css', file('try.css'), 'text/css; charset=utf-8', page],
  script('try'),
  ['/docs/swagger-ui.css', file('../generated/swagger-ui.css'), 'text/css; charset=utf-8', page],
  ['/docs/swagger-ui.js', file('../generated/swagger-ui.js'), 'text/javascript; charset=utf-8', page],
];

/** The `Link` header of every response (RFC 8631): where the service is described, for programs and for people. */
export function describedBy(publicUrl?: string): string {
  const path = pathOf(publicUrl);
  return `<${path}/openapi.json>; rel="service-desc", <${path}/docs>; rel="service-doc"`;
}

/** The routes, all public. Each file is read at its first request and then stays in memory. */
export const docs: FastifyPluginAsync<DocsOptions> = async (app, { publicUrl }) => {
  app.get('/', (_request, reply) => reply.redirect(`${pathOf(publicUrl)}/docs`));

  for (const [url, load, mediaType, headers] of files) {
    const isDocument = headers === document;
    const isPage = mediaType.startsWith('text/html');
    const text = once(load);
    const representation = ofLastBase(async (base) => {
      const written = await text();
      return compressible(
        represent(isDocument ? withBase(written, base) : isPage ? withPrefix(written, pathOf(publicUrl)) : written),
      );
    });
    const openapiType = openapiTypes[url];
    app.get(url, { config }, async (request, reply) => {
      reply.headers(headers);
      if (openapiType !== undefined) reply.header('vary', 'accept');
      const type = openapiType && accepts(request, openapiType) ? openapiType : mediaType;
      return sendRepresentation(
        request,
        reply,
        type,
        await representation(isDocument ? baseUrl(publicUrl, request) : ''),
      );
    });
    if (isDocument) app.options(url, { config }, preflight);
  }

  const catalog = catalogs();
  app.get(catalogPath, { config }, async (request, reply) => {
    // RFC 9727, section 2: a response to HEAD has this link. GET and HEAD have the same headers.
    const own = `<${pathOf(publicUrl)}${catalogPath}>; rel="api-catalog"`;
    const link = [reply.getHeader('link'), own].filter(Boolean).join(', ');
    reply.headers({ ...document, link });
    return sendRepresentation(request, reply, catalogType, await catalog(baseUrl(publicUrl, request)));
  });
  app.options(catalogPath, { config }, preflight);
};

/**
 * Allows scripts of other origins to send If-None-Match. A browser first asks with OPTIONS whether they may, because it
 * is not among the headers that need no permission (Fetch standard, "CORS-safelisted request-header").
 */
function preflight(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'if-none-match',
      'access-control-max-age': '86400',
    })
    .send();
}

/** The catalog for a base address. It is small work to make one, without compression. */
function catalogs(): (base: string) => Promise<Representation> {
  const paths = once(async () => {
    const contract = JSON.parse(await file('../generated/openapi.json')()) as { paths: object };
    return Object.keys(contract.paths);
  });
  return ofLastBase(async (base) => represent(apiCatalog(await paths(), base)));
}

/**
 * What is made for a base address. Only the last one stays in memory: it is always the same where there is a public URL,
 * and otherwise what clients send as Host, which may be anything.
 */
function ofLastBase(make: (base: string) => Promise<Representation>): (base: string) => Promise<Representation> {
  let last: { base: string; made: () => Promise<Representation> } | undefined;
  return (base) => {
    if (last?.base !== base) last = { base, made: once(() => make(base)) };
    return last.made();
  };
}

/** A page whose addresses begin with the path of the public URL. Its scripts look for the rest relative to themselves. */
function withPrefix(html: string, prefix: string): string {
  return html.replaceAll(/(?<= (?:href|src)=")(?=\/)/g, () => prefix);
}

/** The server that the contract names, also in its examples and in the commands that readers copy. */
const namedServer = 'http://localhost:3000';

/** A document, JSON or YAML, that names this server wherever the contract names one. */
function withBase(text: string, base: string): string {
  // These would have to be escaped, in YAML depending on the place. No real host has them.
  return /['"\\\s]/.test(base) ? text : text.replaceAll(namedServer, () => base);
}

/** Whether a client names this media type in its header Accept. Whoever takes anything gets what is more widely known. */
function accepts({ headers }: FastifyRequest, type: string): boolean {
  return (headers.accept ?? '').split(',').some((range) => {
    const named = parseMediaType(range.trim());
    return named?.type === type && Number(named.parameters.q ?? 1) !== 0;
  });
}
