/** A PostgreSQL server of its own, in a temporary folder, from programs that are installed or in POSTGRES_BIN. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../support/server-process.ts';

/** Where packages put the programs of the server. `brew shellenv` says where Homebrew is. */
const places = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  `${process.env.HOMEBREW_PREFIX ?? '/opt/homebrew'}/opt/postgresql@*/bin`,
];

/** The folder with `initdb` and `postgres`: POSTGRES_BIN, or that of the newest version installed; undefined without any. */
export function findPrograms(): string | undefined {
  return globSync(process.env.POSTGRES_BIN || places)
    .filter((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
    .toSorted((one, other) => version(one) - version(other))
    .at(-1);
}

const version = (folder: string) =>
  Number(/\d+(\.\d+)?/.exec(execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }))![0]);

/** A server that can be stopped and started again. Its data are gone after `remove`. */
export class PostgresProcess {
  readonly port: number;
  /** For a superuser. */
  readonly url: string;
  readonly folder: string;
  readonly #programs: string;
  readonly #isDurable: boolean;
  #child: ChildProcess | undefined;

  private constructor(programs: string, folder: string, port: number, isDurable: boolean) {
    this.#programs = programs;
    this.#isDurable = isDurable;
    this.folder = folder;
    this.port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /**
   * Makes a server and starts it. It is as fast as it can be, and so loses data when the machine stops.
   *
   * @param diskFolder makes one that waits for the disk at each commit instead, in this folder. Where root starts it, all users
   *   have to be able to pass through the folder.
   */
  static async create(programs: string, diskFolder?: string): Promise<PostgresProcess> {
    const server = await PostgresProcess.#prepare(programs, diskFolder);
    const options = [
      '-D',
      join(server.folder, 'data'),
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--locale=C',
      '-A',
      'trust',
      '-N',
    ];
    // Sorts as people do, where that can be had, so that tests notice what does not sort by bytes.
    const language = version(programs) >= 15 ? ['--locale-provider=icu', '--icu-locale=en'] : [];
    await server.#run('initdb', [...options, ...language]);
    await server.start();
    return server;
  }

  /** @param settings further settings of the server: `name=value`. */
  async start(settings: readonly string[] = []): Promise<void> {
    const all = [
      // A socket in the folder may have a path that is too long for one.
      'unix_socket_directories=',
      'max_connections=300',
      'listen_addresses=127.0.0.1',
      ...settings,
    ];
    if (!this.#isDurable) all.unshift('fsync=off', 'full_page_writes=off');
    this.#child = spawn(
      join(this.#programs, 'postgres'),
      ['-D', join(this.folder, 'data'), '-p', `${this.port}`, ...all.flatMap((one) => ['-c', one])],
      { ...owner(), cwd: this.folder, stdio: 'ignore' },
    );
    for (let attempt = 0; !(await connects(this.url)); attempt += 1) {
      if (attempt > 300 || this.#child.exitCode !== null) throw new Error('PostgreSQL does not start.');
      await sleep(50);
    }
  }

  /**
   * A replica of this server, which is started too. It has a slot, so that it can come back after any time.
   *
   * @param url where it reaches this server.
   */
  async standby(url = this.url): Promise<PostgresProcess> {
    const standby = await PostgresProcess.#prepare(this.#programs);
    const slot = `standby_${standby.port}`;
    await standby.#run('pg_basebackup', [
      '-D',
      join(standby.folder, 'data'),
      '-d',
      url,
      '-R',
      '-c',
      'fast',
      '-C',
      '-S',
      slot,
    ]);
    await standby.start();
    return standby;
  }

  async #run(program: string, options: string[]): Promise<void> {
    const child = spawn(join(this.#programs, program), options, {
      ...owner(),
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${program} fails.`);
  }

  static async #prepare(programs: string, diskFolder?: string): Promise<PostgresProcess> {
    const parent = diskFolder ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
    const folder = mkdtempSync(join(parent, 'postgres-'));
    const { uid, gid } = owner();
    if (uid !== undefined) chownSync(folder, uid, gid!);
    return new PostgresProcess(programs, folder, await freePort(), diskFolder !== undefined);
  }

  /** Stops the server: all sessions are ended at once. With `SIGQUIT`, as if it had crashed. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#child!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Stops the server and removes its data. */
  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether a session can be opened at this URL. */
export async function connects(url: string): Promise<boolean> {
  const client = new Client(url);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The server refuses to run as root: then it runs as nobody. */
export function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const numberOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}
