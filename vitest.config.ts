/** Which tests run when: `npm test` runs `service`; `docs` needs a browser and has a script of its own. */
import { defineConfig } from 'vitest/config';

const browser = ['test/docs.test.ts'];

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'service', include: ['test/**/*.test.ts'], exclude: browser, testTimeout: 20_000 } },
      { test: { name: 'docs', include: browser, testTimeout: 60_000 } },
    ],
  },
});
