/** The page to try requests from, as a browser shows it, with the real service behind it. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, noBrowser, openPage } from '../support/browser.ts';
import { service } from '../support/service.ts';

describe.skipIf(noBrowser)(
  noBrowser ? `the page to try requests (skipped: ${noBrowser})` : 'the page to try requests',
  () => {
    let running: Awaited<ReturnType<typeof service>>;
    let browser: Browser;
    let origin: string;

    beforeAll(async () => {
      // Clients reach it at another address, too.
      running = await service({ PUBLIC_URL: 'https://surveys.example.org' });
      origin = await running.app.listen({ host: '127.0.0.1', port: 0 });
      browser = await launchBrowser();
    });

    afterAll(async () => {
      await browser?.close();
      await running?.close();
    });

    /** The page at one operation, with a token given. */
    async function open(operation: string, width = 1280) {
      const { page, complaints } = await openPage(browser, `${origin}/docs/try#/${operation}`, { width, height: 900 });
      onTestFinished(() => page.close());
      await page.locator('button.authorize').click();
      await page.locator('.auth-container input').fill(running.tokens.manager);
      await page.locator('.auth-container button[type=submit]').click();
      await page.locator('.auth-container .btn-done').click();
      const block = page.locator(`#operations-${operation.replace('/', '-')}`);
      const execute = async () => {
        await block.locator('.execute').click();
        await block.locator('.live-responses-table').waitFor();
        return block.locator('.live-responses-table .response-col_status').last().innerText();
      };
      return { page, complaints, execute, block };
    }

    test('creates a survey from the example, and asks nobody else for anything', async () => {
      const { execute, complaints } = await open('Surveys/createSurvey');
      expect(await execute()).toMatch(/^201/);
      const { json } = await running.send('GET', '/api/v5/surveys?only=name');
      expect(json.results).toEqual([{ id: 1, name: 'Rapid flood assessment' }]);
      expect(complaints).toEqual([]);
    });

    test('fills in no parameter that may be left out', async () => {
      const { execute, block, complaints } = await open('HXL/listHxlLicenses');
      expect(await execute()).toMatch(/^200/);
      expect(await block.locator('.request-url pre').innerText()).toMatch(/licenses\?orderby=id&order=ASC&offset=0$/);
      expect(await block.locator('.live-responses-table .microlight').first().innerText()).toContain(
        '"total_count": 8',
      );
      expect(complaints).toEqual([]);
    });

    test('keeps the token in its memory only', async () => {
      const { page, execute, block } = await open('HXL/listHxlTagNames');
      expect(await execute()).toMatch(/^200/);
      expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
      await page.reload();
      await block.locator('.execute').click();
      const status = block.locator('.live-responses-table .response-col_status').last();
      await expect.poll(() => status.innerText()).toMatch(/^401/);
    });

    test('fits a phone, also in the dark', async () => {
      const { page, complaints, execute, block } = await open('HXL/getHxlLicense', 390);
      await block.locator('[data-param-name="id"] input').fill('1');
      expect(await execute()).toMatch(/^200/);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      const light = await background();
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(background, { timeout: 10_000 }).not.toBe(light);
      expect(complaints).toEqual([]);
    });
  },
);
