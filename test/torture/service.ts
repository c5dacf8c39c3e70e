/** The service as a process on a real file, and what is needed to attack and observe it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
const folders = new Set<string>();
const running = new Set<() => void>();
process.once('exit', () => {
  for (const kill of running) kill();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** A database file, and a token of its administrator once the service was started on it. */
export interface Database {
  readonly path: string;
  token: string;
}

/** A database that does not exist yet, in a folder that is gone with this process. */
export function newDatabase(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'torture-'));
  folders.add(folder);
  return { path: join(folder, 'service.db'), token: '' };
}

/** Deletes a database before this process ends. */
export function removeDatabase({ path }: Database): void {
  folders.delete(join(path, '..'));
  rmSync(join(path, '..'), { recursive: true, force: true });
}

export interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the service in production mode, on any free port.
 *
 * @param options.probe whether probe.ts is loaded beside it.
 * @throws when it does not start within 30 s.
 */
export async function startService(
  database: Database,
  { env = {}, probe = false }: { env?: Record<string, string>; probe?: boolean } = {},
) {
  const { PATH = '', HOME = '' } = process.env;
  const program = [
    ...(probe ? ['--expose-gc', '--import', join(import.meta.dirname, 'probe.ts')] : []),
    'src/server.ts',
  ];
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { PATH, HOME, PORT: '0', DATABASE_URL: `file:${database.path}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(probe ? (['ipc'] as const) : [])],
  });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const kill = () => child.kill('SIGKILL');
  running.add(kill);
  let [url, messages] = ['', ''];
  const faults: string[] = [];
  createInterface(child.stdout!).on('line', (line) => {
    if (/^{"level":[56]0/.test(line)) faults.push(line);
    url ||= /Server listening at (http:[^"]+)"/.exec(line)?.[1] ?? '';
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (messages = (messages + text).slice(-5000)));
  void ended.then(() => running.delete(kill));
  const isUp = () => url !== '' && (database.token ||= /shx_[\w-]{43}/.exec(messages)?.[0] ?? '') !== '';
  for (const latest = performance.now() + 30_000; !isUp(); await sleep(5)) {
    if (child.exitCode === null && child.signalCode === null && performance.now() < latest) continue;
    kill();
    throw new Error(`The service does not start: ${messages}${faults.join('\n')}`);
  }
  const agent = new Agent({ keepAlive: true });
  const memory = (name: string) => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024);
  };

  /** Sends a request as the administrator. Rejects when the response is cut or the connection is. */
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const length =
      sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) };
    const outgoing = httpRequest(url + path, {
      method,
      agent,
      headers: { authorization: `Bearer ${database.token}`, ...length, ...headers },
    });
    outgoing.end(sent);
    const [incoming] = await once(outgoing, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    return { status: incoming.statusCode, headers: incoming.headers, text: Buffer.concat(chunks).toString() };
  }

  return {
    database,
    port: Number(new URL(url).port),
    child,
    /** Of the process, and its own. */
    faults,
    messages: () => messages,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Mebibytes that it holds, and that it held at most. */
    memory: () => ({ now: memory('VmRSS'), most: memory('VmHWM') }),
    send,
    /** Sends a signal, and waits for the end; resolves to the exit code. */
    async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      agent.destroy();
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}
