/** What /openapi.json, /openapi.yaml and the files of /docs answer. */
import { gunzipSync } from 'node:zlib';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { docs, type DocsOptions } from '../src/docs.ts';
import contract from '../src/generated/openapi.json' with { type: 'json' };

async function app(options: DocsOptions = {}) {
  const app = fastify();
  await app.register(docs, options);
  return app;
}

test('the documents are the contract, open to every origin', async () => {
  const server = await app();
  const json = await server.inject('/openapi.json');
  expect(json.json()).toEqual(contract);
  expect(json.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' });
  const yaml = await server.inject('/openapi.yaml');
  expect(yaml.body).toContain(`title: ${contract.info.title}`);
  expect(yaml.headers).toMatchObject({ 'content-type': 'application/yaml; charset=utf-8', 'access-control-allow-origin': '*' });
});

test('the published server is the public URL', async () => {
  const server = await app({ publicUrl: 'https://surveys.example.org/base' });
  const json = await server.inject('/openapi.json');
  expect(json.json()).toEqual({ ...contract, servers: [{ url: 'https://surveys.example.org/base' }] });
  const yaml = await server.inject('/openapi.yaml');
  const committed = await (await app()).inject('/openapi.yaml');
  expect(yaml.body).toMatch(/^servers:\n  - url: "https:\/\/surveys\.example\.org\/base"\n\w/m);
  expect(withoutServers(yaml.body)).toBe(withoutServers(committed.body));
});

test.each(['/openapi.json', '/openapi.yaml', '/docs', '/docs/page.js', '/docs/redoc.js'])('%s is sent again only when it changed', async (url) => {
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
});

test('a client that reads gzip gets gzip, every other gets the text', async () => {
  const server = await app();
  const plain = await server.inject('/openapi.json');
  expect(plain.headers['content-encoding']).toBeUndefined();
  const packed = await server.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'br, gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
  const refused = await server.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip; q=0' } });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

test('HEAD answers the headers alone', async () => {
  const server = await app();
  const get = await server.inject('/docs');
  const head = await server.inject({ method: 'HEAD', url: '/docs' });
  expect([head.statusCode, head.body]).toEqual([200, '']);
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect(head.headers.etag).toBe(get.headers.etag);
});

test('the root leads to the page, which runs no foreign and no inline script', async () => {
  const server = await app();
  expect((await server.inject('/')).headers.location).toBe('/docs');
  const policy = String((await server.inject('/docs')).headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toContain('unsafe');
});

function withoutServers(yaml: string): string {
  return yaml.replace(/^servers:[^]*?^(?=\w)/m, '');
}
