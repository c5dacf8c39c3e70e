/** An image made from the Dockerfile where there is no container builder: a folder stands for the root of its file system. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { root as repository } from './server-process.ts';

/** What was written by a process that has ended, and its exit code. */
export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The instructions of a Dockerfile in their order: the name of each, and what follows it. */
export function readInstructions(text: string): [name: string, rest: string][] {
  const withoutComments = text.replaceAll(/^\s*#.*\n/gm, '');
  const lines = withoutComments.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = /^(\w+)\s+(.+?)\s*$/.exec(line)!;
      return [name!, rest!];
    });
}

/** A command: a JSON list, or a line for the shell. */
const commandOf = (text: string): string[] =>
  text.startsWith('[') ? (JSON.parse(text) as string[]) : ['sh', '-c', text];

const isRoot = process.getuid?.() === 0;

export class ContainerImage implements Disposable {
  /** What stands for `/` in the image. */
  readonly root = mkdtempSync(join(tmpdir(), 'image-'));
  base = '';
  env: Record<string, string> = {};
  user = '';
  volumes: string[] = [];
  ports: number[] = [];
  healthcheck: string[] = [];
  command: string[] = [];
  #folder = '/';
  /** Who runs what comes now: whoever runs this, until the instruction USER. */
  #identity: { uid?: number; gid?: number } = {};

  readonly #instructions: Record<string, (rest: string) => void | Promise<void>> = {
    FROM: (name) => {
      this.base = name;
      // The Node.js of this test stands for the one of the base image. npm is whichever the machine has.
      mkdirSync(this.path('/usr/local/bin'), { recursive: true });
      copyFileSync(process.execPath, this.path('/usr/local/bin/node'), constants.COPYFILE_FICLONE);
    },
    WORKDIR: (folder) => {
      this.#folder = folder;
      mkdirSync(this.path(folder), { recursive: true });
    },
    ENV: (pairs) => {
      if (/["'\\$]/.test(pairs)) throw new Error(`ENV with quotes or variables is not understood here: ${pairs}`);
      for (const pair of pairs.split(/\s+/)) {
        const [name, value] = pair.split(/=(.*)/s) as [string, string];
        this.env[name] = value;
      }
    },
    COPY: (names) => {
      if (names.startsWith('-')) throw new Error(`Options of COPY are not understood here: ${names}`);
      const paths = names.split(/\s+/);
      const target = paths.pop()!;
      for (const source of paths) this.#copy(source, target);
    },
    RUN: async (command) => {
      if (command.startsWith('-')) throw new Error(`Options of RUN are not understood here: ${command}`);
      // Whoever is not root owns all that is made here, and cannot give it away.
      const shell = `${isRoot ? '' : 'chown() { :; }; '}${this.#mapped(command)}`;
      const result = await this.#execute(['sh', '-c', shell], {
        ...process.env,
        ...this.env,
        PATH: `${this.path('/usr/local/bin')}:${process.env.PATH}`,
      });
      if (result.code !== 0) throw new Error(`RUN ${command} fails:\n${result.stdout}${result.stderr}`);
    },
    USER: (text) => {
      const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? [];
      if (uid === undefined) throw new Error(`USER has to be two numbers: ${text}`);
      this.user = text;
      // Only root can become somebody else.
      if (isRoot) this.#identity = { uid: Number(uid), gid: Number(gid) };
    },
    VOLUME: (path) => void this.volumes.push(path),
    EXPOSE: (port) => void this.ports.push(Number(port)),
    HEALTHCHECK: (text) => {
      this.healthcheck = commandOf(/^(?:--\S+\s+)*CMD\s+(.*)$/.exec(text)![1]!);
    },
    CMD: (text) => {
      this.command = commandOf(text);
    },
  };

  /** Performs the instructions of the repository's Dockerfile. After that, only volumes and /tmp can be written. */
  static async build(): Promise<ContainerImage> {
    const image = new ContainerImage();
    chmodSync(image.root, 0o755);
    mkdirSync(image.path('/tmp'));
    chmodSync(image.path('/tmp'), 0o1777);
    try {
      for (const [name, rest] of readInstructions(readFileSync(join(repository, 'Dockerfile'), 'utf8'))) {
        const perform = image.#instructions[name];
        if (perform === undefined) throw new Error(`The instruction ${name} of the Dockerfile is not understood here.`);
        await perform(rest);
      }
      const writable = ['/tmp', ...image.volumes].map((path) => image.path(path));
      const others = readdirSync(image.root).map((name) => join(image.root, name));
      execFileSync('chmod', ['-R', 'a-w', ...others.filter((path) => !writable.includes(path))]);
      chmodSync(image.root, 0o555);
      return image;
    } catch (error) {
      image[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    execFileSync('chmod', ['-R', 'u+w', this.root]);
    rmSync(this.root, { recursive: true });
  }

  /** Where a path of the image is on this machine. */
  path(inImage: string): string {
    return join(this.root, inImage.startsWith('/') ? '' : this.#folder, inImage);
  }

  /** Every file that cannot be written, and what is in /tmp: its path in the image, its size and its time. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .map((name) => `/${name}`)
      .filter((path) => !this.volumes.some((volume) => path.startsWith(`${volume}/`) || path === volume))
      .map((path) => [path, lstatSync(this.path(path))] as const)
      .map(([path, { size, mtimeMs }]) => `${path} ${size} ${mtimeMs}`)
      .toSorted();
  }

  /** Runs a command in the image until it ends, as `docker exec` does. */
  run(command: string[], env: Record<string, string> = {}): Promise<Result> {
    return this.#execute(command, this.#environment(env));
  }

  /** Starts the command of the image. */
  start(env: Record<string, string>) {
    const [program, ...parameters] = this.command;
    const child = spawn(program!, parameters, {
      ...this.#identity,
      cwd: this.path(this.#folder),
      env: this.#environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const end = once(child, 'close').then(([code]): Result => ({ code, stdout, stderr }));
    return { child, end, stdout: () => stdout, stderr: () => stderr };
  }

  /** Nothing of the machine's environment is in a container. */
  #environment(env: Record<string, string>): Record<string, string> {
    const all = Object.entries({ TMPDIR: '/tmp', ...this.env, ...env });
    return {
      ...Object.fromEntries(all.map(([name, value]) => [name, this.#mapped(value)])),
      PATH: this.path('/usr/local/bin'),
    };
  }

  /** A text with paths of the image, at the beginning of a word or after `file:`, as paths of this machine. */
  #mapped(text: string): string {
    return text.replaceAll(/(?<=^|\s|file:)\/(?!\/)/g, `${this.root}/`);
  }

  #execute([program, ...parameters]: string[], env: NodeJS.ProcessEnv): Promise<Result> {
    const options = { ...this.#identity, cwd: this.path(this.#folder), env, maxBuffer: 2 ** 24 };
    return new Promise((resolve) =>
      execFile(program!, parameters, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      ),
    );
  }

  /** Copies a file, or what is in a folder, as far as .dockerignore lets it through. */
  #copy(source: string, target: string): void {
    const from = join(repository, source);
    if (!existsSync(from) || !isSent(source)) throw new Error(`COPY finds no ${source}: look into .dockerignore too.`);
    const into = target.endsWith('/') && !statSync(from).isDirectory() ? join(target, basename(source)) : target;
    cpSync(from, this.path(into), {
      recursive: true,
      filter: (path) => isSent(relative(repository, path).replaceAll(sep, '/')),
    });
  }
}

const ignored = readFileSync(join(repository, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Whether a path of the repository goes to the builder: the last line of .dockerignore that matches it says that. */
function isSent(path: string): boolean {
  let sent = true;
  for (const line of ignored) {
    const [, not, name] = /^(!?)(.+)$/.exec(line)!;
    if (name !== '*' && /[*?[\\]/.test(name!)) throw new Error(`.dockerignore: ${line} is not understood here.`);
    if (name === '*' || path === name || path.startsWith(`${name}/`)) sent = not === '!';
  }
  return sent;
}
