/** The server as a process of its own, and what tests of it need. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'vitest';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Takes what is to be done when the test is over. */
export type Cleanup = Pick<TestContext, 'onTestFinished'>;

/** Runs `work`, and then ends what it has started. */
export async function cleaningUp<T>(work: (context: Cleanup) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ onTestFinished: (end) => void ends.push(end as () => unknown) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** A path for a database that does not exist yet. Its folder is gone when the test is over. */
export function freshPath({ onTestFinished }: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'server-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data', 'service.db');
}

/**
 * The server on this database, on any free port. It is killed when the test is over.
 *
 * @param log a file descriptor for its standard output; without one, its output is read.
 */
export function start({ onTestFinished }: Cleanup, path: string, env: Record<string, string> = {}, log?: number) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: root,
    env: { PATH, HOME, PORT: '0', DATABASE_URL: `file:${path}`, ...env },
    stdio: ['ignore', log ?? 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // 'close' comes after everything that was written has been read.
  const end = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout,
    stderr,
  }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end;
  });
  return {
    child,
    end,
    stderr: () => stderr,
    stdout: () => stdout,
    lines: () =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, any>),
    /** Waits until it listens. Its first token may be printed a moment later. */
    async listening(): Promise<{ url: string; port: number; token: string }> {
      const url = () => /Server listening at (http:[^"]+)"/.exec(stdout)?.[1];
      const failed = end.then(() => {
        throw new Error(`The server ended: ${stdout}${stderr}`);
      });
      while (url() === undefined) await Promise.race([sleep(20), failed]);
      failed.catch(() => {});
      await fetch(`${url()}/health/live`);
      return {
        url: url()!,
        port: Number(new URL(url()!).port),
        get token() {
          return /shx_[\w-]{43}/.exec(stderr)?.[0] ?? '';
        },
      };
    },
    /** Sends a signal; returns the exit code, and after how many milliseconds the process ended. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      const begin = performance.now();
      child.kill(signal);
      const { code } = await end;
      return { code, ms: performance.now() - begin };
    },
  };
}

export type Server = ReturnType<typeof start>;

/** What the server says of whether it is ready: it is not while it compiles what the contract needs. */
export const readiness = async (url: string): Promise<number> => (await fetch(`${url}/health/ready`)).status;

/** A server that is ready, and the token that it printed. */
export async function running(context: TestContext, path = freshPath(context), env?: Record<string, string>) {
  const server = start(context, path, env);
  const listening = await server.listening();
  await context.expect.poll(() => listening.token).not.toBe('');
  await context.expect.poll(() => readiness(listening.url)).toBe(200);
  return { server, ...listening, path };
}

/** Loads a module of this folder into the server before all else. */
export const preloaded = (name: string) => ({ NODE_OPTIONS: `--import ${join(import.meta.dirname, name)}` });

/** The different tokens in a text. */
export const tokens = (text: string) => new Set(text.match(/shx_[\w-]{43}/g));

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Posts a survey. */
export const create = (url: string, token: string, body: object) =>
  fetch(`${url}/api/v5/surveys`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The head of a request that posts a survey: whoever sends it can send the body in parts. */
export const createRequest = (token: string, body: string) =>
  [
    'POST /api/v5/surveys HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '\r\n',
  ].join('\r\n');

/** Whether there is a process of this id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs a command and returns what it wrote to its standard output. */
export const shell = (command: string) =>
  new Promise<string>((resolve, reject) =>
    execFile('sh', ['-c', command], (error, stdout) => (error ? reject(error) : resolve(stdout))),
  );

/** A connection, and all that was received on it. It is closed when the test is over. */
export async function dial({ onTestFinished }: Cleanup, port: number) {
  let received = '';
  const socket = connect(port, '127.0.0.1');
  socket
    .setEncoding('utf8')
    .on('data', (text) => (received += text))
    .on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { socket, received: () => received };
}

/** A port that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether nothing listens on a port. */
export const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(false));
    socket
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
      .on('close', () => socket.destroy());
    setTimeout(() => socket.destroy(), 100);
  });
