/** `npm start` as a process: signals reach the server, and a Node.js that is too old is refused in one line. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { engines, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { PATH = '', HOME = '' } = process.env;
const packages = join(root, 'node_modules/.bin');

/** Runs a command that starts the server, and returns when the server listens. */
async function start(command: string, ...parameters: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  const env = { HOME, PATH: `${packages}${delimiter}${PATH}`, PORT: '0', DATABASE_URL: `file:${folder}/service.db` };
  // In a process group of its own, so that nothing is left behind.
  const child = spawn(command, parameters, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The group is gone.
    }
    rmSync(folder, { recursive: true });
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  await expect.poll(() => output, { timeout: 30_000 }).toContain('Server listening at http');
  return { child, exit, files: () => readdirSync(folder) };
}

// Windows has no signals: there npm's window is closed.
describe.skipIf(process.platform === 'win32')('SIGTERM', { timeout: 60_000 }, () => {
  test.each([
    ['npm start', 'npm', ['start']],
    ['the shell that npm starts', 'sh', ['-c', scripts.start]],
  ])('to %s ends the server in order', async (_, command, parameters) => {
    const { child, exit, files } = await start(command, ...parameters);
    expect(files()).toContain('service.db-wal');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    // A server that closes its database leaves one file.
    expect(files()).toEqual(['service.db']);
  });
});

describe('the check of the Node.js version', () => {
  const guard = './src/process/node-version.mjs';

  function run(node: string, ...parameters: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise((resolve) =>
      execFile(node, parameters, { cwd: root }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      ),
    );
  }

  test('accepts the versions that package.json names, as far as they load TypeScript', async () => {
    expect(engines.node).toBe('^22.22.0 || ^24.0.0 || >=26.0.0');
    const pretend = (version: string) =>
      `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
    const versions = ['18.20.8', '22.21.1', '22.22.0', '23.11.1', '24.0.0', '26.1.0'];
    const codes = await Promise.all(
      versions.map(async (version) => (await run(process.execPath, '--import', pretend(version), guard)).code),
    );
    expect(codes).toEqual([1, 1, 0, 1, 0, 0]);
  });

  test('is the first thing that every npm script in TypeScript does', () => {
    const typescript = Object.values<string>(scripts).filter((script) => /\.ts\b/.test(script));
    expect(typescript.length).toBeGreaterThan(0);
    for (const script of typescript)
      expect(script).toMatch(/^(exec )?node --import \.\/src\/process\/node-version\.mjs \S+\.ts/);
  });

  const old = oldNode();
  const hint = old === undefined ? ' (skipped: there is no Node.js 18 to 22.21 on the PATH)' : '';
  test.skipIf(old === undefined)(`is one line and exit code 1 on an old Node.js${hint}`, async () => {
    const { code, stdout, stderr } = await run(old!, '--import', guard, 'src/server.ts');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Node\.js 24, or 22\.22 or newer, is needed; this is \d+\.\d+\.\d+\..*\n$/);
  });
});

/** A Node.js on the PATH, other than the one in node_modules, that is too old for this program. */
function oldNode(): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
  return folders
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((node) => {
      try {
        const [, major = 0, minor = 0] =
          /^v(\d+)\.(\d+)/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' })) ?? [];
        return Number(major) >= 19 && (Number(major) < 22 || (Number(major) === 22 && Number(minor) < 22));
      } catch {
        return false;
      }
    });
}
