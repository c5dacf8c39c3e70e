/** The service behind nginx, which adds a prefix to every path: everything that leads somewhere leads there. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import { launchBrowser, noBrowser, openPage } from '../support/browser.ts';
import { noNginx, startNginx } from '../support/nginx.ts';
import { freePort } from '../support/server-process.ts';
import { service } from '../support/service.ts';

const missing = noNginx ?? noBrowser;
const prefix = '/field/data';

describe.skipIf(missing)(missing ? `behind a path prefix (skipped: ${missing})` : 'behind a path prefix', () => {
  let running: Awaited<ReturnType<typeof service>>;
  let endNginx: () => Promise<void>;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}${prefix}`;
    running = await service({ PUBLIC_URL: base });
    endNginx = await startNginx(port, prefix, await running.app.listen({ host: '127.0.0.1', port: 0 }));
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await endNginx?.();
    await running?.close();
  });

  /** A request to an address that begins with the prefix. */
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    expect(url.startsWith(`${base}/`), url).toBe(true);
    const headers = { authorization: `Bearer ${running.tokens.manager}`, 'content-type': 'application/json' };
    return fetch(url, { ...init, headers, redirect: 'manual' });
  }

  /** The addresses in a `Link` header, by their relation. */
  const linksOf = (response: Response): Record<string, string> =>
    Object.fromEntries(
      [...response.headers.get('link')!.matchAll(/<(.+?)>; rel="(.+?)"/g)].map(([, url, relation]) => [
        relation!,
        new URL(url!, response.url).href,
      ]),
    );

  test('a new survey is where Location says', async () => {
    const created = await send(`${base}/api/v5/surveys`, { method: 'POST', body: '{"name": "Flood"}' });
    expect(created.status).toBe(201);
    const read = await send(created.headers.get('location')!);
    expect(await read.json()).toMatchObject({ results: [{ name: 'Flood' }] });
  });

  test('the links of a page lead to the pages around it', async () => {
    const first = await send(`${base}/api/v3/hxl/tags?limit=40`);
    const { next, results } = (await first.json()) as { next: string; results: { url: string }[] };
    expect(linksOf(first).next).toBe(next);
    expect(await (await send(next)).json()).toMatchObject({ count: 4, total_count: 44 });
    expect((await send(results[0]!.url)).status).toBe(200);
    for (const name of ['One', 'Two'])
      await send(`${base}/api/v5/surveys`, { method: 'POST', body: JSON.stringify({ name }) });
    const surveys = await send(`${base}/api/v5/surveys?limit=1`);
    expect((await send(linksOf(surveys).next!)).status).toBe(200);
  });

  test('every response names documents that are there, also a refusal', async () => {
    const named = JSON.parse(JSON.stringify(contract).replaceAll(contract.servers[0]!.url, base));
    for (const path of ['/api/v5/surveys', '/api/v5/nothing', '/health/live']) {
      const links = linksOf(await send(base + path));
      expect(await (await send(links['service-desc']!)).json()).toEqual(named);
      expect((await send(links['service-doc']!)).status).toBe(200);
    }
    const catalog = await (await send(`${base}/.well-known/api-catalog`)).json();
    expect((catalog as { linkset: { anchor: string }[] }).linkset[0]!.anchor).toBe(`${base}/.well-known/api-catalog`);
  });

  test('the service is alive and ready', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect(await (await send(base + path)).json(), path).toEqual({ status: 'ok' });
  });

  test('a redirection stays below the prefix', async () => {
    const { status, headers } = await send(`${base}/`);
    expect([status, new URL(headers.get('location')!, base).href]).toEqual([302, `${base}/docs`]);
  });

  test('the documentation is drawn, and leads to a page from which requests are sent', async () => {
    const { page, complaints } = await openPage(browser, `${base}/docs/`, { width: 1280, height: 900 });
    onTestFinished(() => page.close());
    const summaries = Object.values(contract.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => ('summary' in operation ? [operation.summary] : [])),
    );
    await expect.poll(() => page.locator('h2').allTextContents()).toEqual(expect.arrayContaining(summaries));
    // No link and no picture leads out of the prefix.
    const addresses: string[] = await page.evaluate(
      `[...document.querySelectorAll('a[href], img[src]')].map((element) => element.href ?? element.src)`,
    );
    const { origin } = new URL(base);
    const own = addresses.filter((address) => address.startsWith(origin));
    expect(own.length).toBeGreaterThan(summaries.length);
    expect(own.filter((address) => !address.startsWith(`${base}/`))).toEqual([]);
    expect(
      await page.locator('[id="surveys/listsurveys"] [data-testid=right-panel] pre').first().innerText(),
    ).toContain(`${base}/api/v5/surveys`);

    await page.getByRole('link', { name: 'Try requests in the browser' }).click();
    await page.waitForURL(`${base}/docs/try`);
    await page.locator('button.authorize').click();
    await page.locator('.auth-container input').fill(running.tokens.user);
    await page.locator('.auth-container button[type=submit]').click();
    await page.locator('.auth-container .btn-done').click();
    const block = page.locator('#operations-HXL-listHxlTagNames');
    await block.locator('.opblock-summary-control').click();
    await block.locator('.execute').click();
    await block.locator('.live-responses-table').waitFor();
    expect(await block.locator('.request-url pre').innerText()).toBe(`${base}/api/v3/hxl`);
    expect(await block.locator('.live-responses-table .response-col_status').last().innerText()).toMatch(/^200/);
    expect(complaints).toEqual([]);
  });
});
