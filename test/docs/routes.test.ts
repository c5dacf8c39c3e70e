/** The published documents, the catalog, and the files of /docs, as clients receive them. */
import { readFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type DocsOptions, docs } from '../../src/docs/routes.ts';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import copy from '../../src/generated/openapi-3.0.json' with { type: 'json' };

const documents = ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json', '/.well-known/api-catalog'];

async function app(options: DocsOptions = {}) {
  const app = fastify();
  await app.register(docs, options);
  return app;
}

test('the documents are the contract, and every origin may read them', async () => {
  const server = await app({ publicUrl: contract.servers[0]!.url });
  const json = await server.inject('/openapi.json');
  expect(json.json()).toEqual(contract);
  expect(json.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
  });
  const yaml = await server.inject('/openapi.yaml');
  expect(yaml.body).toContain(`title: ${contract.info.title}`);
  expect(yaml.headers).toMatchObject({
    'content-type': 'application/yaml; charset=utf-8',
    'access-control-allow-origin': '*',
  });
  const older = await server.inject('/openapi-3.0.json');
  expect(older.json()).toEqual(copy);
  expect(older.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
  });
});

test.each(['survey', 'hxl', 'translation'])('the workflow %s links to the contract', async (name) => {
  const server = await app();
  const url = `/workflows/${name}.arazzo.yaml`;
  const { body } = await server.inject(url);
  const [, source] = /^ +url: (\S+)$/m.exec(body)!;
  expect((await server.inject(new URL(source!, `http://service.test${url}`).pathname)).body).toContain(
    `title: ${contract.info.title}`,
  );
});

test('the documents name the public URL, or else the address that they were asked for at', async () => {
  const served = contract.servers[0]!.url;
  for (const [options, host, base] of [
    [{ publicUrl: 'https://surveys.example.org/base' }, '127.0.0.1:8080', 'https://surveys.example.org/base'],
    [{}, '127.0.0.1:8080', 'http://127.0.0.1:8080'],
    [{}, 'surveys.test', 'http://surveys.test'],
    [{}, '[::1]:80', 'http://[::1]:80'],
    [{}, '$&.test', 'http://$&.test'],
  ] as const) {
    const server = await app(options);
    const get = async (url: string) => (await server.inject({ url, headers: { host } })).body;
    for (const [url, document] of [
      ['/openapi.json', contract],
      ['/openapi-3.0.json', copy],
    ] as const) {
      const text = JSON.stringify(document);
      expect(JSON.parse(await get(url))).toEqual(JSON.parse(text.replaceAll(served, () => base)));
      expect(JSON.parse(await get(url)).servers[0].url).toBe(base);
    }
    const yaml = await get('/openapi.yaml');
    expect(yaml).toContain(`servers:\n  - url: ${base}\n`);
    expect(yaml).toContain(`      ${base}/api/v5/surveys\n`);
    expect(yaml).not.toContain(served);
  }
});

test('a document stays as it is when the address that was asked for would have to be escaped in it', async () => {
  const server = await app();
  const headers = { host: "o'hara.test" };
  expect((await server.inject({ url: '/openapi.json', headers })).json().servers).toEqual(contract.servers);
});

test.each([
  ['/openapi.json', 'application/openapi+json', 'application/json; charset=utf-8'],
  ['/openapi-3.0.json', 'application/openapi+json', 'application/json; charset=utf-8'],
  ['/openapi.yaml', 'application/openapi+yaml', 'application/yaml; charset=utf-8'],
])('%s is %s for those who ask for that', async (url, openapi, usual) => {
  const server = await app();
  for (const [accept, type] of [
    [openapi, openapi],
    [`text/html, ${openapi.toUpperCase()};version=3.1;q=0.9, */*;q=0.1`, openapi],
    [`${openapi};q=0, */*`, usual],
    ['*/*', usual],
    [undefined, usual],
  ] as const) {
    const { headers } = await server.inject({ url, headers: { ...(accept && { accept }) } });
    expect([headers['content-type'], headers.vary]).toEqual([type, 'accept, accept-encoding']);
  }
});

test.each([...documents, '/docs', '/docs/page.js', '/docs/redoc.js', '/docs/try', '/docs/swagger-ui.js'])(
  '%s is sent again only after a change',
  async (url) => {
    const server = await app();
    const first = await server.inject(url);
    expect(first.statusCode).toBe(200);
    expect(first.headers['cache-control']).toBe('public, no-cache');
    const etag = String(first.headers.etag);
    for (const tags of [etag, `"other", ${etag}`, '*', etag.replace('W/', '')]) {
      const again = await server.inject({ url, headers: { 'if-none-match': tags } });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await server.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  },
);

test.each(documents)('%s lets scripts of other origins ask whether it has changed', async (url) => {
  const server = await app();
  const preflightHeaders = {
    origin: 'https://example.org',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'if-none-match',
  };
  const preflight = await server.inject({ method: 'OPTIONS', url, headers: preflightHeaders });
  expect([preflight.statusCode, preflight.body]).toEqual([204, '']);
  expect(preflight.headers).toMatchObject({
    allow: 'GET, HEAD, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': 'if-none-match',
  });
  const { headers } = await server.inject(url);
  expect(headers['access-control-expose-headers']).toContain('etag');
  const unchanged = await server.inject({ url, headers: { 'if-none-match': String(headers.etag) } });
  expect(unchanged.headers['access-control-allow-origin']).toBe('*');
});

test('the catalog lists the APIs of the contract and what describes them (RFC 9727)', async () => {
  const server = await app();
  const { headers, ...response } = await server.inject({
    url: '/.well-known/api-catalog',
    headers: { host: 'surveys.test:8080' },
  });
  expect(headers['content-type']).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
  const {
    linkset: [catalog, ...apis],
  } = response.json();
  expect(catalog).toEqual({
    anchor: 'http://surveys.test:8080/.well-known/api-catalog',
    item: expect.arrayContaining([
      { href: 'http://surveys.test:8080/api/v5' },
      { href: 'http://surveys.test:8080/api/v3' },
    ]),
  });
  expect(apis.map(({ anchor }: { anchor: string }) => anchor)).toEqual(
    catalog.item.map(({ href }: { href: string }) => href),
  );
  for (const path of Object.keys(contract.paths)) {
    expect(
      apis.filter(({ anchor }: { anchor: string }) => `http://surveys.test:8080${path}/`.startsWith(`${anchor}/`)),
      path,
    ).toHaveLength(1);
  }
  for (const api of apis) {
    expect(Object.keys(api)).toEqual(['anchor', 'service-desc', 'service-doc', 'status']);
    expect(api.status).toEqual([{ href: 'http://surveys.test:8080/health/ready', type: 'application/json' }]);
    for (const { href, type } of [...api['service-desc'], ...api['service-doc']]) {
      const target = await server.inject(href.replace('http://surveys.test:8080', ''));
      expect([target.statusCode, String(target.headers['content-type']).split(';')[0]], href).toEqual([200, type]);
    }
  }
});

test('the catalog has the public URL, and HEAD has a link to it', async () => {
  const server = await app({ publicUrl: 'https://surveys.example.org/base' });
  const get = await server.inject('/.well-known/api-catalog');
  const anchors = get.json().linkset.map(({ anchor }: { anchor: string }) => anchor);
  expect(anchors).toContain('https://surveys.example.org/base/api/v5');
  expect(get.body).not.toContain('localhost');
  const head = await server.inject({ method: 'HEAD', url: '/.well-known/api-catalog' });
  expect([head.statusCode, head.body]).toEqual([200, '']);
  expect(head.headers.link).toBe('</base/.well-known/api-catalog>; rel="api-catalog"');
  expect(head.headers['content-type']).toBe(get.headers['content-type']);
});

test.each(['/docs', '/openapi.json', '/.well-known/api-catalog'])(
  '%s is served after an error in reading its file',
  async (url) => {
    const server = await app();
    const reading = vi.spyOn(files, 'readFile').mockRejectedValueOnce(new Error('EMFILE: too many open files'));
    onTestFinished(() => {
      reading.mockRestore();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    expect((await server.inject(url)).statusCode).toBe(500);
    expect((await server.inject(url)).statusCode).toBe(200);
  },
);

test('the catalog of each address has that address', async () => {
  const server = await app();
  for (const host of ['surveys.test', 'surveys.test:8080', 'surveys.test']) {
    const { linkset } = (await server.inject({ url: '/.well-known/api-catalog', headers: { host } })).json();
    expect(linkset[0].anchor).toBe(`http://${host}/.well-known/api-catalog`);
  }
});

test('the catalog is not compressed, whoever asks for it', async () => {
  const server = await app();
  for (const host of ['surveys.test', 'surveys.test:8080']) {
    const request = { url: '/.well-known/api-catalog', headers: { host, 'accept-encoding': 'gzip' } };
    const { headers, body } = await server.inject(request);
    expect([headers['content-encoding'], headers.vary, body[0]]).toEqual([undefined, undefined, '{']);
    const known = { ...request.headers, 'if-none-match': String(headers.etag) };
    expect((await server.inject({ ...request, headers: known })).statusCode).toBe(304);
  }
});

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
])('a client that accepts %s receives that, every other client the text', async (coding, decompress) => {
  const server = await app();
  for (const url of ['/openapi.json', '/docs/redoc.js']) {
    const plain = await server.inject(url);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await server.inject({ url, headers: { 'accept-encoding': coding } });
    expect(packed.headers['content-encoding']).toBe(coding);
    expect(packed.headers.vary).toMatch(/accept-encoding$/);
    expect(decompress(packed.rawPayload).toString()).toBe(plain.body);
    const refused = await server.inject({ url, headers: { 'accept-encoding': `${coding}; q=0` } });
    expect(refused.headers['content-encoding']).toBeUndefined();
  }
});

test.each([undefined, 'https://surveys.example.org/base'])(
  'both pages load scripts and styles from here only, at the public URL %s, and every file that they name is there',
  async (publicUrl) => {
    const server = await app({ publicUrl });
    const prefix = publicUrl ? '/base' : '';
    for (const url of ['/docs', '/docs/try']) {
      const { headers, body } = await server.inject(url);
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self' ");
      expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|https?:|\*/);
      const named = [...body.matchAll(/ (?:href|src)="(?!data:)([^"]+)"/g)].map(([, path]) => path!);
      expect(named.length).toBeGreaterThan(4);
      for (const path of named) {
        expect(path.startsWith(`${prefix}/`), path).toBe(true);
        expect((await server.inject(path.slice(prefix.length))).statusCode, path).toBe(200);
      }
    }
  },
);

test('the page shows the changelog as it is written', async () => {
  const { body } = await (await app()).inject('/docs/changelog.md');
  expect(body).toBe(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'));
});

test('HEAD has the headers of GET and no body', async () => {
  const server = await app();
  const get = await server.inject('/docs');
  const head = await server.inject({ method: 'HEAD', url: '/docs' });
  expect([head.statusCode, head.body]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect(head.headers.etag).toBe(get.headers.etag);
});

test('the root redirects to the page, which allows no foreign and no inline script', async () => {
  const server = await app();
  expect((await server.inject('/')).headers.location).toBe('/docs');
  const policy = String((await server.inject('/docs')).headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toContain('unsafe');
});
