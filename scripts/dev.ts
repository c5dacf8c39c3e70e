/** `npm run dev`: generates again when the contract changes, and restarts the server when its code or what is generated changes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import { commandLine } from './lib/command-line.ts';

commandLine(
  `Usage: npm run dev
  Generates again when the contract changes, and restarts the server when its code or what is generated changes. Every
  response is checked against the contract. The settings are those of npm start.`,
  {},
);
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/**
 * In development every response is checked against the contract, compiled code is kept from one start to the next, and
 * a restart does not wait for further requests.
 */
const env = {
  NODE_ENV: 'development',
  NODE_COMPILE_CACHE: enableCompileCache().directory,
  DRAIN_TIME: '0',
  ...process.env,
};
/** Ends the server when this process is gone, whatever became of it. The channel between the two keeps nothing alive. */
const endWithParent = `data:text/javascript,
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();`;

let server: ChildProcess | undefined;
let ending = false;

/** Rewrites src/generated/, which restarts the server. A contract with problems changes nothing and is shown. */
async function generate(): Promise<void> {
  await once(spawn(process.execPath, ['scripts/contract.ts'], { stdio: 'inherit', env }), 'exit');
}

async function restart(): Promise<void> {
  await stop();
  if (ending) return;
  server = spawn(process.execPath, ['--import', endWithParent, 'src/server.ts'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // In a process group of its own, so that Ctrl-C reaches it once, from here.
    detached: process.platform !== 'win32',
    env,
  });
}

async function stop(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  // The server finishes what it has accepted. After a second nobody waits for that in development: a second signal ends it.
  const timer = setTimeout(() => server?.kill('SIGTERM'), 1000);
  await exit;
  clearTimeout(timer);
}

/** A function that runs `work` after the last of several calls, one run at a time. */
function debounce(work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  return () => {
    clearTimeout(timer);
    // An editor, or the script that generates, writes several files within a few milliseconds.
    timer = setTimeout(() => (running = running.then(work)), 50);
  };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    ending = true;
    await stop();
    process.exit(0);
  });
}

/** Calls `work` when a file below these paths is saved, made or removed from now on. */
async function watchFiles(paths: string[], work: () => Promise<void>): Promise<void> {
  const changed = debounce(work);
  const watcher = watch(paths, { ignoreInitial: true }).on('all', (event) => event.endsWith('Dir') || changed());
  await once(watcher, 'ready');
}

await generate();
await watchFiles(['openapi', 'scripts', 'redocly.yaml'], generate);
await watchFiles(['src'], restart);
await restart();
