/** The docs page as a reviewer's browser shows it. Needs Chromium: CHROMIUM_PATH, or /usr/bin/chromium. */
import { existsSync } from 'node:fs';
import fastify, { type FastifyInstance } from 'fastify';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docs } from '../../src/docs/routes.ts';
import contract from '../../src/generated/openapi.json' with { type: 'json' };

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const missing = !existsSync(executablePath);
const hint = `there is no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM_PATH`;
if (missing && process.env.CI === 'true') throw new Error(hint);

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const summaries = Object.values(contract.paths).flatMap((path) =>
  Object.values(path).flatMap((operation) => ('summary' in operation ? [operation.summary] : [])),
);

describe.skipIf(missing)(missing ? `the docs page (skipped: ${hint})` : 'the docs page', () => {
  let app: FastifyInstance;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    app = fastify();
    // With its own address the page shows the examples as they are in the contract.
    await app.register(docs, { publicUrl: contract.servers[0]!.url });
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await chromium.launch({ executablePath, args: flags });
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** The page, with every operation on it, and what it should not have done. */
  async function open(width: number): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) complaints.push(`requests ${url}`);
    });
    await page.exposeFunction('violation', (directive: string, uri: string) =>
      complaints.push(`violates ${directive}: ${uri}`),
    );
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => violation(event.violatedDirective, event.blockedURI))`,
    );
    await page.goto(`${origin}/docs`);
    await expect
      .poll(() => page.locator('h2').allTextContents(), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(summaries));
    return { page, complaints };
  }

  test('shows every operation and asks nobody else for anything', async () => {
    const { page, complaints } = await open(1280);
    expect(summaries.length).toBeGreaterThan(0);
    // The search wants workers and eval: here a policy that is too strict shows.
    await page.keyboard.press('Control+k');
    await page.keyboard.type(summaries.at(-1)!);
    await page.getByTestId('search-dialog').getByText(summaries.at(-1)!).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('offers the documents, and to send the page to nobody', async () => {
    const { page } = await open(1280);
    for (const file of ['openapi.yaml', 'openapi.json', 'openapi-3.0.json'])
      expect(await page.locator(`a[href="/${file}"]`).count(), file).toBeGreaterThan(0);
    expect(await page.getByTestId('page-actions').first().getByRole('button').allTextContents()).toEqual(['Copy']);
  });

  test('fits a phone', async () => {
    const { page, complaints } = await open(390);
    const widths = await page.evaluate('[document.documentElement.scrollWidth, document.body.scrollWidth]');
    expect(widths).toEqual([390, 390]);
    // What is wider than the screen wraps, or scrolls where it stands.
    const cut = `[...document.querySelectorAll('pre, table')].filter((it) => it.scrollWidth > it.clientWidth + 2).length`;
    expect(await page.evaluate(cut)).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('prints every operation and not the menu', async () => {
    const { page, complaints } = await open(1280);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('h2:visible').allTextContents()).toEqual(expect.arrayContaining(summaries));
    expect(await page.getByText('API docs by').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('prints every status of every operation, every member and every example, which the screen shows one at a time', async () => {
    const { page } = await open(1280);
    const appendix = page.locator('body > section');
    await appendix.waitFor({ state: 'attached' });
    expect(await appendix.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    // What stands in the list below each title.
    const lines = new Map<string, string[]>(
      await page.evaluate(`[...document.querySelectorAll('body > section ul')].map((list) => {
      const title = list.previousElementSibling.matches('h3') ? list.previousElementSibling : list.previousElementSibling.previousElementSibling;
      return [title.innerText, [...list.children].map((line) => line.innerText)];
    })`),
    );
    for (const [path, item] of Object.entries(contract.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (!('responses' in operation)) continue;
        const statuses = lines
          .get(`${operation.summary} ${method.toUpperCase()} ${path}`)!
          .flatMap((line) => /^\d{3}(?= )/.exec(line) ?? []);
        expect(statuses, operation.summary).toEqual(Object.keys(operation.responses));
      }
    }
    const printed = (await appendix.locator('pre').allInnerTexts()).map((pre) => JSON.parse(pre));
    for (const { value } of Object.values(contract.components.examples)) expect(printed).toContainEqual(value);
    for (const [name, schema] of Object.entries(contract.components.schemas)) {
      const parts: object[] = 'allOf' in schema ? schema.allOf : [schema];
      const names = parts.flatMap((part) => Object.keys('properties' in part ? (part.properties as object) : {}));
      expect(
        lines.get(name)!.map((line) => line.split(' ')[0]),
        name,
      ).toEqual(expect.arrayContaining(names));
    }
  });
});
