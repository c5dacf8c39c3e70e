/**
 * Which tests run when: `npm test` runs `service`, `npm run test:postgres` the same on PostgreSQL, `npm run test:process`
 * starts servers, `npm run test:docs` needs a browser, `npm run test:tools` runs the scripts of this repository on copies of it.
 */
import { defineConfig } from 'vitest/config';

const browser = [
  ...['page', 'prefix', 'try'].map((name) => `test/docs/${name}.test.ts`),
  'test/http/cors-browser.test.ts',
];
const tools = [
  'code-samples',
  'consumers',
  'contract',
  'dev',
  'diff',
  'help',
  'mock-file',
  'operations',
  'scaffold',
  'structure',
].map((name) => `test/scripts/${name}.test.ts`);
// These wait for processes to start, to end and to fail; together they take as long as all others.
const processes = [
  ...['container', 'edits', 'end', 'log', 'serve', 'workers'].map((name) => `test/process/${name}.test.ts`),
  'test/database/faults.test.ts',
  'test/scripts/token.test.ts',
];
// These need a PostgreSQL server.
const postgres = ['test/postgres/*.test.ts'];
// What they are about is not in the database, or only in a SQLite file.
const notOnPostgres = [
  // The file itself: its damage, its locks, its threads.
  ...['damage', 'database', 'durability', 'files', 'reading-thread', 'sqlite'].map(
    (name) => `test/database/${name}.test.ts`,
  ),
  'test/contract/examples.test.ts',
  'test/surveys/many.test.ts',
  'test/scripts/*.test.ts',
  'test/process/*.test.ts',
];
// An own list replaces the usual exclusions, so it has to name the packages.
const packages = '**/node_modules/**';
/**
 * How long a test, and what comes before and after it, may take. To wait for one thing it has less, because what a poll
 * saw last says more than that the time is over.
 */
function upTo(seconds: number) {
  const [testTimeout, hookTimeout] = [seconds * 1000, seconds * 1000];
  // A test that asserts nothing passes whatever happens.
  return { testTimeout, hookTimeout, expect: { requireAssertions: true, poll: { timeout: 0.75 * testTimeout } } };
}

export default defineConfig({
  test: {
    // Most of the time goes to processes that the tests start and wait for.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...browser, ...processes, ...tools, ...postgres, packages],
          // Each test takes milliseconds to a few seconds; the rest is for slow machines.
          ...upTo(20),
        },
      },
      {
        test: {
          name: 'postgres',
          include: ['test/**/*.test.ts'],
          exclude: [...browser, ...processes, ...tools, ...notOnPostgres, packages],
          ...upTo(60),
        },
      },
      { test: { name: 'process', include: processes, ...upTo(60) } },
      // A browser starts and draws the whole contract.
      { test: { name: 'docs', include: browser, ...upTo(60) } },
      // Each test runs whole scripts, some of them ten times.
      { test: { name: 'tools', include: tools, ...upTo(300) } },
    ],
  },
});
