/** `npm run dev`: rebuilds what is generated when the contract changes, restarts the server when its code or the contract does. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** In development every reply is held against the contract. */
const env = { NODE_ENV: 'development', ...process.env };

let server: ChildProcess | undefined;
let ending = false;

/** Rewrites src/generated/, which restarts the server; a contract with problems changes nothing and is shown. */
async function rebuild(): Promise<void> {
  await once(spawn(process.execPath, ['scripts/contract.ts'], { stdio: 'inherit' }), 'exit');
}

async function restart(): Promise<void> {
  await stop();
  // In a process group of its own, so that Ctrl-C reaches it once, from here.
  if (!ending) server = spawn(process.execPath, ['src/server.ts'], { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env });
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
    watched.set(path, watch(path, () => {
      watchFolder(folder, changed, watched);
      changed();
    }));
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
watchFolder('scripts', contractChanged);
watch('.', (_event, file) => file === 'redocly.yaml' && contractChanged());
watchFolder('src', soon(restart));
