/** Which tests run when: `npm test` runs `service`; `docs` needs a browser, `extend` takes long, and each has a script of its own. */
import { defineConfig } from 'vitest/config';

const browser = ['test/docs.test.ts'];
const long = ['test/extend.test.ts'];
// Given instead of the usual exclusions, so it has to name them.
const packages = '**/node_modules/**';

export default defineConfig({
  test: {
    // Most of the time goes to processes that the tests start and wait for.
    maxWorkers: '100%',
    projects: [
      { test: { name: 'service', include: ['test/**/*.test.ts'], exclude: [...browser, ...long, packages], testTimeout: 20_000 } },
      { test: { name: 'docs', include: browser, testTimeout: 60_000 } },
      { test: { name: 'extend', include: long, testTimeout: 300_000 } },
    ],
  },
});
