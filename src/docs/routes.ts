/** Publishes the contract: its documents, the page /docs that shows it to reviewers, and the catalog that leads to both. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { baseUrl, pathOf } from '../http/public-address.ts';
import { apiCatalog, catalogType } from './catalog.ts';

export interface DocsOptions {
  /** Where clients reach this server; replaces the server the contract names. */
  publicUrl?: string;
}

const compress = promisify(gzip);

/** Scripts and styles come from here only, nothing is framed, nothing is sent elsewhere. */
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
/** The documents are for everybody. Scripts of other origins see the tag, too, which they need to ask again. */
const document = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag, link' };

const file = (path: string) => () => readFile(new URL(path, import.meta.url), 'utf8');
const contract = file('../generated/openapi.json');

type Published = [url: string, load: () => Promise<string>, type: string, headers: Record<string, string>];

const files: Published[] = [
  ['/openapi.json', contract, 'application/json; charset=utf-8', document],
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
  ['/docs/page.js', file('page.js'), 'text/javascript; charset=utf-8', page],
  ['/docs/redoc.svg', file('redoc.svg'), 'image/svg+xml', page],
  ['/docs/redoc.js', file('../generated/redoc.js'), 'text/javascript; charset=utf-8', page],
];

/** Where the service is described, as the `Link` header of every response (RFC 8631). */
export function describedBy(publicUrl?: string): string {
  return `<${pathOf(publicUrl)}/openapi.json>; rel="service-desc", <${pathOf(publicUrl)}/docs>; rel="service-doc"`;
}

/** The routes of the documents and of the page; all public, each read when it is first asked for and then kept. */
export const docs: FastifyPluginAsync<DocsOptions> = async (app, { publicUrl }) => {
  app.get('/', (_request, reply) => reply.redirect('/docs'));

  for (const [url, load, type, headers] of files) {
    const publish = (text: string) => prepare(publicUrl && headers === document ? withServer(text, publicUrl) : text);
    let kept: Promise<Packed> | undefined;
    app.get(url, async (request, reply) =>
      answer(request, reply.headers(headers), type, await (kept ??= load().then(publish))),
    );
    if (headers === document) app.options(url, preflight);
  }

  const catalog = '/.well-known/api-catalog';
  app.get(catalog, async (request, reply) => {
    const { paths } = JSON.parse(await contract()) as { paths: object };
    const base = baseUrl(publicUrl, request);
    // RFC 9727, section 2, wants the link in the answer to HEAD; GET and HEAD have the same headers.
    const links = [reply.getHeader('link'), `<${pathOf(publicUrl)}${catalog}>; rel="api-catalog"`]
      .filter(Boolean)
      .join(', ');
    return answer(
      request,
      reply.headers({ ...document, link: links }),
      catalogType,
      await prepare(apiCatalog(Object.keys(paths), base)),
    );
  });
  app.options(catalog, preflight);
};

/**
 * Lets a script of another origin send If-None-Match. It is not among the headers that may be sent without asking
 * (Fetch standard, "CORS-safelisted request-header"), so the browser asks with OPTIONS first; what the browser itself
 * adds to refresh its cache needs no such question.
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

/** Sends what is published, packed where the client can unpack it; to a client that has it already, only that it does. */
async function answer(
  { headers: sent }: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { body, etag, gzipped }: Packed,
): Promise<FastifyReply> {
  // Kept by caches, but asked for again: a new contract is seen at once, an old one costs a 304.
  reply.headers({
    etag,
    'cache-control': 'public, no-cache',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  });
  if (names(sent['if-none-match'], etag)) return reply.code(304).send();
  reply.type(type);
  if (!/\bgzip\b(?!\s*;\s*q=0)/.test(sent['accept-encoding'] ?? '')) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** What is kept of a published file. */
interface Packed {
  body: Buffer;
  gzipped: Buffer;
  etag: string;
}

async function prepare(text: string): Promise<Packed> {
  const body = Buffer.from(text);
  return { body, gzipped: await compress(body), etag: `W/"${createHash('sha256').update(body).digest('base64url')}"` };
}

/** Whether an If-None-Match header names this tag, weak or not. */
function names(header: string | undefined, etag: string): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header?.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag)) ?? false;
}

/** A document, JSON or YAML, with one server: this one. */
function withServer(text: string, url: string): string {
  if (text.startsWith('{')) return JSON.stringify({ ...JSON.parse(text), servers: [{ url }] }, null, 2);
  // The bundler writes `servers` as a block at the left margin.
  return text.replace(/^servers:\n(?:[ -].*\n)+/m, () => `servers:\n  - url: ${JSON.stringify(url)}\n`);
}
