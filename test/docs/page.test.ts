/** The docs page as a reviewer's browser shows it. */
import fastify, { type FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { docs } from '../../src/docs/routes.ts';
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import { launchBrowser, noBrowser, openPage } from '../support/browser.ts';

const summaries = Object.values(contract.paths).flatMap((path) =>
  Object.values(path).flatMap((operation) => ('summary' in operation ? [operation.summary] : [])),
);

/**
 * Waits until the page has kept its height for 20 times 50 ms in which it had nothing else to do. Redoc draws in steps,
 * and each moves what is below it; a menu stays where its button was, which may be outside the screen by then.
 */
const drawn = `(async () => {
  for (let height, times = 0; times < 20; times += 1) {
    await new Promise((resolve) => setTimeout(() => requestIdleCallback(resolve), 50));
    if (height !== document.body.scrollHeight) times = 0;
    height = document.body.scrollHeight;
  }
})()`;

describe.skipIf(noBrowser)(noBrowser ? `the docs page (skipped: ${noBrowser})` : 'the docs page', () => {
  let app: FastifyInstance;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    app = fastify();
    // With its own address the page shows the examples as they are in the contract.
    await app.register(docs, { publicUrl: contract.servers[0]!.url });
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** The page, with every operation on it, and what it should not have done. */
  async function open(width: number): Promise<{ page: Page; complaints: string[] }> {
    const { page, complaints } = await openPage(browser, `${origin}/docs`, { width, height: 900 });
    onTestFinished(() => page.close());
    await expect.poll(() => page.locator('h2').allTextContents()).toEqual(expect.arrayContaining(summaries));
    await page.evaluate(drawn);
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
      expect(await page.locator(`a[href="${origin}/${file}"]`).count(), file).toBeGreaterThan(0);
    expect(await page.getByTestId('page-actions').first().getByRole('button').allTextContents()).toEqual(['Copy']);
  });

  test('shows a request in three languages for each operation, at the address of the contract', async () => {
    const { page } = await open(1280);
    const panels = page.locator('[data-section-id] pre', { hasText: 'curl --request' });
    await expect.poll(() => panels.count()).toBe(summaries.length);
    const panel = page.locator('[id="surveys/createsurvey"] [data-testid=right-panel]', { hasText: 'POST' });
    for (const [shown, next, text] of [
      ['curl', 'JavaScript', `curl --request POST \\\n  --url ${contract.servers[0]!.url}/api/v5/surveys`],
      ['JavaScript', 'Python', `const url = '${contract.servers[0]!.url}/api/v5/surveys';`],
      ['Python', 'curl', 'response = requests.post(url, json=payload, headers=headers)'],
    ] as const) {
      await expect.poll(() => panel.locator('pre').innerText()).toContain(text);
      await panel.getByRole('button', { name: shown }).click();
      await page.getByRole('menuitem', { name: next }).click();
    }
  });

  test('has sections for authentication and for what changed, and names the areas with their versions', async () => {
    const { page } = await open(1280);
    const menu = await page.locator('[data-component-name="Menu/Menu"]').first().innerText();
    const titles = ['Getting started', 'Authentication', 'Changelog', 'Surveys (v5)', 'HXL (v3)'];
    expect(menu.split('\n').filter((line) => titles.includes(line))).toEqual(titles);
    const texts = await page.locator('#redoc').innerText();
    expect(texts).toContain('A token has the scopes of its user');
    expect(texts).toMatch(/1\.2\.0 - \d{4}-\d{2}-\d{2}/);
  });

  test('leads from a search for an error code to its line', async () => {
    const { page, complaints } = await open(1280);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('storage_full');
    const dialog = page.getByTestId('search-dialog');
    await dialog.getByText('storage_full').first().waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const line = page.locator('tr', { has: page.locator('td:first-child', { hasText: /^storage_full$/ }) });
    // It is on the screen.
    const { y, height } = (await line.boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(900);
    expect(complaints).toEqual([]);
  });

  test('names method and path beside the heading, where a phone shows them', async () => {
    const { page } = await open(390);
    const section = page.locator('[id="surveys/createsurvey"]');
    const heading = section.locator('h2');
    const path = section.getByText('POST /api/v5/surveys', { exact: true });
    const below = (await path.boundingBox())!.y - (await heading.boundingBox())!.y;
    expect(below).toBeLessThan(200);
    expect(below).toBeGreaterThan(0);
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
