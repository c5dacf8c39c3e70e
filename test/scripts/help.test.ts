/** Every npm script of our own says how it is used, and refuses an option that it does not have. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, type ExpectStatic, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Those that Node.js runs; the others are programs of packages. */
const own = Object.entries(manifest.scripts).flatMap(([name, command]): [name: string, parameters: string[]][] => {
  const [, parameters] = /^(?:exec )?node (.+\.ts.*)$/.exec(command) ?? [];
  return parameters === undefined ? [] : [[name, parameters.split(' ')]];
});

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** A script with one more option, in an environment in which it could do nothing else. */
function run(parameters: string[], option: string): Promise<Result> {
  const env = { ...process.env, DATABASE_URL: 'file:/nowhere/at/all.db', PORT: '0' };
  return new Promise((resolve) =>
    execFile(process.execPath, [...parameters, option], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  );
}

/** Every setting is a line, in which all descriptions begin at the same place. */
async function expectTable(expect: ExpectStatic, parameters: string[]): Promise<void> {
  const { stdout } = await run(parameters, '--help');
  const lines = stdout.match(/^ {2}[A-Z_]{4,}.*/gm)!;
  expect(lines.length).toBeGreaterThan(15);
  expect(new Set(lines.map((line) => / {2}(?=[^ A-Z])/.exec(line)?.index)).size).toBe(1);
}

describe.concurrent('npm run', () => {
  test.for(own)('%s', async ([name, parameters], { expect }) => {
    expect(own.length).toBeGreaterThan(10);
    const command = new RegExp(`^ *(Usage: )?npm (run )?(--silent )?${name}\\b`, 'm');
    for (const option of ['--help', '-h']) {
      const { code, stdout, stderr } = await run(parameters, option);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage:/);
      expect(stdout).toMatch(command);
    }
    if (name === 'start') await expectTable(expect, parameters);
    // Schemathesis knows which options it has.
    if (name === 'fuzz') return;
    const { code, stdout, stderr } = await run(parameters, '--no-such-option');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^Unknown (option|argument) '--no-such-option'\. `npm (run )?\S+ -- --help` says how it is used\.\n$/,
    );
  });
});
