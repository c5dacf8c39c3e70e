/** The browser of tests that need one: Chromium at CHROMIUM_PATH, or /usr/bin/chromium. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Why there is no browser, and what to do; undefined when there is one. */
export const missingBrowser = existsSync(executablePath)
  ? undefined
  : `there is no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM_PATH`;

if (missingBrowser !== undefined && process.env.CI === 'true') throw new Error(missingBrowser);

/** Starts a browser that asks nothing of the network by itself. */
export function launchBrowser(): Promise<Browser> {
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
  return chromium.launch({ executablePath, args });
}
