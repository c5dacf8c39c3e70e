/** A web editor on another origin, in Chromium. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../support/browser.ts';
import { testService } from '../support/service.ts';

const title = 'web pages of other origins';

describe.skipIf(noBrowser)(noBrowser ? `${title} (skipped: ${noBrowser})` : title, () => {
  const website = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>A web editor</title>');
  });
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    website.close();
  });

  /** A page of the web editor, beside a service that allows these origins. */
  async function editor(origins: string) {
    const { app, tokens } = await testService({ CORS_ORIGINS: origins, PUBLIC_URL: '' });
    const api = await app.listen({ host: '127.0.0.1', port: 0 });
    const page = await browser.newPage();
    await page.goto(origin);
    return { page, api, tokens };
  }

  /** Sends a request from inside the page, which sees of the response what the browser lets it see. */
  const send = (page: Page, method: string, url: string, headers: Record<string, string>, body?: object) =>
    page.evaluate(
      async ([method, url, headers, body]) => {
        try {
          const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
          const text = await response.text();
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers) as Record<string, string>,
            json: text === '' ? undefined : JSON.parse(text),
          };
        } catch (error) {
          return { status: 0, headers: {}, json: String(error) };
        }
      },
      [method, url, headers, body] as const,
    );

  test('create, read and change a survey, and learn why a request is refused', async () => {
    const { page, api, tokens } = await editor(origin);
    const token = { authorization: `Bearer ${tokens.manager}` };
    const json = { ...token, 'content-type': 'application/json' };

    const created = await send(page, 'POST', `${api}/api/v5/surveys`, json, { name: 'Flood' });
    expect(created.status).toBe(201);
    const { location, etag } = created.headers;

    const read = await send(page, 'GET', location!, token);
    expect([read.status, read.headers.etag, read.json.results[0].name]).toEqual([200, etag, 'Flood']);

    const change = { name: 'Flood, second round' };
    const changed = await send(
      page,
      'PUT',
      location!,
      { ...json, 'if-match': etag!, prefer: 'handling=strict' },
      change,
    );
    expect([changed.status, changed.json.results[0].name]).toEqual([200, change.name]);
    expect(changed.headers['preference-applied']).toBe('handling=strict');

    const late = await send(page, 'PUT', location!, { ...json, 'if-match': etag! }, change);
    expect([late.status, late.json.errors[0].code]).toEqual([412, 'precondition_failed']);
    const unknown = await send(page, 'GET', location!, { authorization: 'Bearer unknown' });
    expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    expect((await send(page, 'GET', `${api}/nothing`, token)).status).toBe(404);

    const listed = await send(page, 'GET', `${api}/api/v3/hxl/tags?limit=2`, token);
    expect(listed.headers).toMatchObject({
      'x-total-count': '44',
      link: expect.stringContaining('rel="next"'),
    });
    expect((await send(page, 'DELETE', location!, token)).status).toBe(200);
  });

  test('read nothing when their origin is not allowed', async () => {
    const { page, api, tokens } = await editor('https://editor.example.org');
    const response = await send(page, 'GET', `${api}/api/v5/surveys`, { authorization: `Bearer ${tokens.admin}` });
    expect(response).toEqual({ status: 0, headers: {}, json: 'TypeError: Failed to fetch' });
  });
});
