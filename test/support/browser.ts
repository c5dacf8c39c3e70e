/** Chromium for tests of pages: CHROMIUM_PATH, or /usr/bin/chromium. Without it such tests are skipped, with CI=true they fail. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { reasonToSkip } from './needs.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Why there is no browser; undefined when there is one. */
export const noBrowser = reasonToSkip(
  existsSync(executablePath)
    ? undefined
    : `there is no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM_PATH`,
);

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser that asks nothing of the network by itself. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

/** A page, and what it should not have done: errors, requests to others, and what its policy forbids. */
export async function openPage(
  browser: Browser,
  url: string,
  viewport: { width: number; height: number },
): Promise<{ page: Page; complaints: string[] }> {
  const { origin } = new URL(url);
  const page = await browser.newPage({ viewport });
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const requested = new URL(request.url());
    if (requested.origin !== origin && !['data:', 'blob:'].includes(requested.protocol))
      complaints.push(`requests ${requested}`);
  });
  await page.exposeFunction('violation', (directive: string, uri: string) =>
    complaints.push(`violates ${directive}: ${uri}`),
  );
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => violation(event.violatedDirective, event.blockedURI))`,
  );
  await page.goto(url);
  return { page, complaints };
}
