/** A copy of this repository, in which tests write contracts and handlers as people do, and run its scripts. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { emptyDatabase } from './service.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Everything that the scripts and the tests of the service need. */
const copied = [
  ...['openapi', 'scripts', 'src', 'test', 'docs'],
  ...['package.json', 'redocly.yaml', 'tsconfig.json', 'vitest.config.ts', 'README.md', 'CHANGELOG.md'],
];

/** What is not the service's: its size is larger than all else. */
const left = ['test/bench/node_modules', 'test/clients'].map((name) => join(root, name));

export class RepositoryCopy implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'copy-'));

  constructor() {
    for (const name of copied)
      cpSync(join(root, name), join(this.folder, name), {
        recursive: true,
        filter: (source) => !left.includes(source),
      });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'), 'junction');
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  edit(file: string, change: (text: string) => string): void {
    const before = existsSync(join(this.folder, file)) ? this.read(file) : '';
    const after = change(before);
    expect(after, file).not.toBe(before);
    writeFileSync(join(this.folder, file), after);
  }

  /** Runs a script of the copy, or a command of its packages. */
  node(...parameters: string[]): Promise<{ code: number; output: string }> {
    const options = { cwd: this.folder, env: environment(), maxBuffer: 2 ** 26 };
    return new Promise((resolve) =>
      execFile(process.execPath, parameters, options, (error, stdout, stderr) =>
        resolve({ code: error ? 1 : 0, output: stdout + stderr }),
      ),
    );
  }

  vitest(...parameters: string[]): Promise<{ code: number; output: string }> {
    return this.node('node_modules/vitest/vitest.mjs', 'run', '--project', 'service', ...parameters);
  }

  /** Starts the server of the copy in production, on an empty database, and gives a function that sends requests. */
  async serve(use: (ask: (path: string, init?: RequestInit) => Promise<Response>) => Promise<void>): Promise<void> {
    const env = { ...environment(), NODE_ENV: 'production', PORT: '0', DATABASE_URL: emptyDatabase(), PUBLIC_URL: '' };
    const server = spawn(process.execPath, ['src/server.ts'], { cwd: this.folder, env });
    const exit = once(server, 'exit');
    let output = '';
    const started = new Promise<void>((resolve) => {
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (data) => {
          output += data;
          if (/listening at/.test(output) && /Bearer \S+'/.test(output)) resolve();
        });
    });
    await Promise.race([started, exit]);
    try {
      const url = /listening at (http:[^"]+)/.exec(output)?.[1];
      expect(url, output).toBeDefined();
      const authorization = /Bearer [^\s']+/.exec(output)![0];
      await use((path, { headers, ...init } = {}) =>
        fetch(url + path, { ...init, headers: { authorization, ...(headers as Record<string, string>) } }),
      );
    } finally {
      server.kill('SIGTERM');
      await exit;
    }
  }
}

/** The environment without what vitest sets for its own processes. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST)/.test(name)));
}
