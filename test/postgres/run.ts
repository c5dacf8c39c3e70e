/**
 * `npm run test:postgres`: the behaviour of the service on PostgreSQL. The tests use the server at TEST_DATABASE_URL, or
 * one that is started for them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandLine } from '../../scripts/lib/command-line.ts';
import { findPrograms, PostgresProcess } from './server.ts';

const usage = `Usage: npm run test:postgres -- [FILE…] [--reporter NAME] [--outputFile.json PATH]
  Runs the tests of the service on PostgreSQL: on the server at TEST_DATABASE_URL, whose role may create schemas and roles, or on
  one of its own, in a temporary folder, from the programs in POSTGRES_BIN (/usr/lib/postgresql/18/bin), or of the newest
  version that Debian or Homebrew has installed. DIFFERENTIAL_RUNS says how many random sequences of requests are compared with
  SQLite (300).

  --script NAME  runs this script of package.json in place of the tests: workflows, fuzz or clients; arguments for it stand
                 behind another --`;

const { values, positionals } = commandLine(usage, {
  allowPositionals: true,
  options: {
    reporter: { type: 'string', multiple: true },
    'outputFile.json': { type: 'string' },
    script: { type: 'string' },
  },
});
const args = process.argv.slice(2);
const command =
  values.script === undefined
    ? ['vitest', 'run', '--project', 'postgres', ...args]
    : ['npm', 'run', '--silent', values.script, '--', ...positionals];
const { TEST_DATABASE_URL, CI } = process.env;
const programs = findPrograms();
if (!TEST_DATABASE_URL && programs === undefined) {
  console.error(
    'There is no PostgreSQL: install it (Debian: postgresql, Homebrew: postgresql@17), set POSTGRES_BIN or TEST_DATABASE_URL.',
  );
  // Where everything has to be there, that is a failure.
  process.exit(CI === 'true' ? 1 : 0);
}
const server = TEST_DATABASE_URL ? undefined : await PostgresProcess.create(programs!);
try {
  const env = { ...process.env, TEST_DATABASE_URL: TEST_DATABASE_URL || server!.url };
  const [program = '', ...parameters] = command;
  const tests = spawn(program, parameters, {
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const [code] = await once(tests, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await server?.remove();
}
