/** Which tests run when: `npm test` runs `service`; `docs` needs a browser, `tools` runs the scripts of this repository on copies of it, and each has a script of its own. */
import { defineConfig } from 'vitest/config';

const browser = ['test/docs/page.test.ts'];
const tools = ['contract', 'dev', 'diff', 'scaffold'].map((name) => `test/scripts/${name}.test.ts`);
// Given instead of the usual exclusions, so it has to name them.
const packages = '**/node_modules/**';

export default defineConfig({
  test: {
    // Most of the time goes to processes that the tests start and wait for.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...browser, ...tools, packages],
          testTimeout: 20_000,
        },
      },
      { test: { name: 'docs', include: browser, testTimeout: 60_000 } },
      { test: { name: 'tools', include: tools, testTimeout: 300_000 } },
    ],
  },
});
