/**
 * `npm run fuzz`: Schemathesis sends requests that the contract allows, and others that it forbids, to the running service.
 * It does so for a minute, with a new seed; with CI=true always with the same seed. Arguments after `--`
 * go to Schemathesis: `npm run fuzz -- --seed 7`. It needs Python 3.10 or newer with venv, and the Python Package Index
 * the first time. Without them nothing is tested, which is a failure with CI=true.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandLine } from './lib/command-line.ts';
import { type Service, withService } from './lib/running-service.ts';

const usage = `Usage: npm run fuzz [-- OPTION …]
  Schemathesis sends requests that the contract allows, and others that it forbids, to the service on a new database. All
  options but --help are options of \`schemathesis run\`, such as --seed 7. It needs Python 3.10 or newer with venv.`;

/** After how many milliseconds Schemathesis is ended: its own limit is a minute, and it needs some time to report. */
const limit = 180_000;
const settings = join(import.meta.dirname, '../test/fuzz');
const requirements = join(settings, 'requirements.txt');
/** Also the working directory: Schemathesis keeps there what it needs to replay a failure. */
const cache = join(import.meta.dirname, '../node_modules/.cache/fuzz');
const windows = process.platform === 'win32';
/** Where a Python environment has its programs. */
const programs = join(cache, windows ? 'Scripts' : 'bin');
const CI = process.env.CI === 'true';

/** Creates a Python environment with what is required, unless there is one. */
async function install(): Promise<void> {
  const installed = join(cache, 'requirements.txt');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(requirements))) return;
  mkdirSync(cache, { recursive: true });
  const run = promisify(execFile);
  await run(windows ? 'python' : 'python3', ['-m', 'venv', '--clear', cache]);
  await run(join(programs, 'python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--requirement',
    requirements,
  ]);
  copyFileSync(requirements, installed);
}

/** Whether Schemathesis ended in time and found nothing. */
async function fuzz({ url, tokens, faults }: Service): Promise<boolean> {
  const parameters = ['--continue-on-failure', '--max-time=60', ...(CI ? ['--seed=1'] : []), ...process.argv.slice(2)];
  const child = spawn(
    join(programs, 'schemathesis'),
    ['--config-file', join(settings, 'schemathesis.toml'), 'run', ...parameters, `${url}/openapi.json`],
    {
      cwd: cache,
      env: { ...process.env, TOKEN: tokens.admin, SCHEMATHESIS_HOOKS: join(settings, 'hooks.py') },
      stdio: 'inherit',
      timeout: limit,
    },
  );
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (signal !== null)
    console.error(`Schemathesis was ended by ${signal}; after ${limit / 1000} s it is ended in any case.`);
  for (const fault of faults) console.error(fault);
  return code === 0 && faults.length === 0;
}

// Schemathesis knows its options itself.
commandLine(usage, { strict: false, allowPositionals: true });
const failure = await install().then(
  () => undefined,
  (error: Error) => error.message,
);
if (failure !== undefined) console.error(`Nothing is tested, because Schemathesis cannot be installed: ${failure}`);
if (failure === undefined ? !(await withService(fuzz)) : CI) process.exitCode = 1;
