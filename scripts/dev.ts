/** `npm run dev`: rebuilds what is generated when the contract changes, restarts the server when its code or the contract does. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/**
 * In development every reply is held against the contract; compiled code is kept from one start to the next; and a
 * restart does not wait for further requests.
 */
const env = {
  NODE_ENV: 'development',
  NODE_COMPILE_CACHE: enableCompileCache().directory,
  DRAIN_TIME: '0',
  ...process.env,
};

let generator: ChildProcess | undefined;
let server: ChildProcess | undefined;
let spare: ChildProcess | undefined;
let ending = false;

/**
 * Rewrites src/generated/, which restarts the server; a contract with problems changes nothing and is shown.
 * The process that does it stays for the next time: what it has loaded and compiled is most of the work.
 */
async function rebuild(): Promise<void> {
  if (!generator?.connected) generator = fork('scripts/contract.ts', { env });
  generator.send('generate');
  await Promise.race([once(generator, 'message'), once(generator, 'exit')]);
}

async function restart(): Promise<void> {
  await stop();
  if (ending) return;
  server = spare?.connected ? spare : prepare();
  server.send('start');
  spare = undefined;
  // Not at once: the processor is needed for the start.
  setTimeout(() => (spare ??= prepare()), 1000).unref();
}

/** A process that has loaded the server's packages, which takes half of a start, and waits for a word to run the server. */
function prepare(): ChildProcess {
  // In a process group of its own, so that Ctrl-C reaches it once, from here.
  return fork('src/server.ts', {
    execArgv: ['--import', './scripts/lib/ready.ts'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env,
  });
}

async function stop(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  // The server finishes what it has accepted; a second signal ends it at once.
  const impatience = setTimeout(() => server?.kill('SIGTERM'), 1000);
  await exit;
  clearTimeout(impatience);
}

/** Ends a process that waits; the next one is started when it is needed. */
function replaced(waiting: ChildProcess | undefined): undefined {
  waiting?.kill();
}

/** A function that runs `work` soon after it was last called, never twice at the same time. */
function soon(work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => (running = running.then(work)), 50);
  };
}

/**
 * Calls `changed` when anything below a folder does. Folder by folder, because on Linux the recursive mode of
 * fs.watch (Node 24) loses a file that an editor saves by renaming a new one over it.
 */
function watchFolder(folder: string, changed: () => void, watched = new Map<string, FSWatcher>()): void {
  for (const [path, watcher] of watched) if (!existsSync(path)) watcher.close(), watched.delete(path);
  const folders = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const path of [folder, ...folders.map((entry) => join(entry.parentPath, entry.name))]) {
    if (watched.has(path)) continue;
    watched.set(
      path,
      watch(path, () => {
        watchFolder(folder, changed, watched);
        changed();
      }),
    );
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    ending = true;
    await stop();
    process.exit(0);
  });
}

await rebuild();
await restart();
const contractChanged = soon(rebuild);
watchFolder('openapi', contractChanged);
watchFolder('scripts', () => {
  generator = replaced(generator); // It holds the scripts as they were.
  contractChanged();
});
watch('.', (_event, file) => {
  if (file === 'redocly.yaml') contractChanged();
  if (file === 'package-lock.json') spare = replaced(spare); // It holds the packages as they were.
});
watchFolder('src', soon(restart));
