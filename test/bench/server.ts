/** Server processes on the core for servers, and one request at a time to them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** The repository this benchmark stands in. */
export const root = join(import.meta.dirname, '../..');
export const publicUrl = 'http://bench.test';

/** Settings of the service beside those that every benchmark makes. */
export const serviceEnv: Record<string, string> = {};

/** On which cores servers run, and on which the load; two cores are enough for all but several processes at once. */
const serverCore = '0';
const loadCore = String(Math.min(2, availableParallelism() - 1));

/** Keeps this process, which sends the load, off the core of the servers. */
export function pinLoad(): void {
  execFileSync('taskset', ['-acp', loadCore, String(process.pid)], { stdio: 'ignore' });
}

/** A new folder on a real disk, for databases; it is gone when the benchmark is. */
export function workFolder(): string {
  mkdirSync(join(root, 'data'), { recursive: true });
  const folder = mkdtempSync(join(root, 'data/bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** What it has written to standard error. */
  messages(): string;
  /** The processes that it started in turn. */
  workers(): number[];
  /** Milliseconds for which its threads and those of its workers have run. */
  cpu(): number;
  /** Mebibytes of memory that it holds, without its workers. */
  memory(): number;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Starts a Node.js program that listens at $PORT, and waits until it responds. */
export async function start(
  name: string,
  program: string[],
  env: Record<string, string>,
  cwd = root,
  cores = serverCore,
): Promise<Server> {
  const port = await freePort();
  // As a user starts it: what npm puts into the environment of its scripts is not there.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('taskset', ['-c', cores, process.execPath, ...program], {
    cwd,
    env: { PATH, HOME, PORT: String(port), PUBLIC_URL: publicUrl, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let messages = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => void (messages = (messages + text).slice(-20_000)));
  child.once('exit', () => {
    ended = true;
    children.delete(child);
  });
  while (!(await listens(port))) {
    if (ended) throw new Error(`${name} does not start:\n${messages}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const pid = child.pid!;
  const workers = () =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return {
    name,
    port,
    pid,
    messages: () => messages,
    workers,
    cpu: () =>
      [pid, ...workers()]
        .flatMap((process) => readdirSync(`/proc/${process}/task`).map((thread) => `${process}/task/${thread}`))
        .reduce(
          (sum, thread) => sum + Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
          0,
        ),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
    stop: async () => {
      if (ended) return;
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 5000);
      await once(child, 'exit');
      clearTimeout(patience);
    },
  };
}

/** Starts the service in this folder on the database at this URL. The first start of a database tells its token. */
export async function startService(name: string, databaseUrl: string, folder = root, workers = 1): Promise<Server> {
  const cores = workers === 1 ? serverCore : `0-${Math.min(workers, availableParallelism()) - 1}`;
  return start(
    name,
    ['src/server.ts'],
    { ...serviceEnv, DATABASE_URL: databaseUrl, ...(workers > 1 && { WORKERS: String(workers) }) },
    folder,
    cores,
  );
}

/** The token that the service gave out at its first start. */
export async function firstToken(server: Server): Promise<string> {
  for (let waited = 0; waited < 5000; waited += 10) {
    const token = /shx_[\w-]+/.exec(server.messages())?.[0];
    if (token !== undefined) return token;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${server.name} gave out no token:\n${server.messages()}`);
}

export interface Request {
  method: string;
  path: string;
  token?: string;
  body?: unknown;
}

/** The response to one request. */
export async function ask(
  { port }: Pick<Server, 'port'>,
  { method, path, token, body }: Request,
): Promise<{ status: number; body: any }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** A request as it goes over the wire. */
export function bytes({ method, path, token, body }: Request): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  return Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: bench.test',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
      '',
      text,
    ].join('\r\n'),
  );
}

async function listens(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/live`).then(
    async (response) => {
      await response.arrayBuffer();
      return true;
    },
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
