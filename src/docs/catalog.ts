/** The list of this server's APIs, for programs that look for them. */

/** Where it is (RFC 9727, section 2). */
export const catalogPath = '/.well-known/api-catalog';

/** The media type of a catalog (RFC 9727, section 4.2). */
export const catalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/**
 * The API catalog of RFC 9727, a linkset in JSON (RFC 9264) with the relations of RFC 8631. An API is the begin
 * of the contract's paths up to their version, such as `/api/v5`.
 *
 * @param base where clients reach this server; all addresses begin with it.
 */
export function apiCatalog(paths: readonly string[], base: string): string {
  const roots = new Set(paths.map((path) => /^.*?\/v\d+(?=\/|$)/.exec(path)?.[0] ?? '/'));
  const apis = [...roots].map((root) => `${base}${root}`);
  const about = {
    'service-desc': [
      { href: `${base}/openapi.json`, type: 'application/json', title: 'OpenAPI 3.1' },
      { href: `${base}/openapi.yaml`, type: 'application/yaml', title: 'OpenAPI 3.1' },
      { href: `${base}/openapi-3.0.json`, type: 'application/json', title: 'OpenAPI 3.0' },
    ],
    'service-doc': [{ href: `${base}/docs`, type: 'text/html' }],
    status: [{ href: `${base}/health/ready`, type: 'application/json' }],
  };
  const linkset = [
    { anchor: `${base}${catalogPath}`, item: apis.map((href) => ({ href })) },
    ...apis.map((anchor) => ({ anchor, ...about })),
  ];
  return `${JSON.stringify({ linkset }, null, 2)}\n`;
}
