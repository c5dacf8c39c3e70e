/** Several server processes on one port and one database file, for machines with several cores. */
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { LogOutput } from './logger.ts';
import { heartbeatInterval, missedHeartbeats } from './watchdog.ts';

export interface WorkersOptions {
  count: number;
  logger: Logger;
  /** Takes what the workers log. */
  output: LogOutput;
  /** Whether a worker is replaced when its event loop stands still. */
  watch: boolean;
  /** When workers that do not end after a signal are killed, in milliseconds. */
  forcedEnd: number;
}

/** Before a worker is replaced that died, in milliseconds. When the next one dies soon, too, the pause is doubled. */
const shortestPause = 100;
const longestPause = 5000;
/** Tells a worker that is ending to wait for no more requests. Not a signal: supervisors send those to workers too. */
export const waitNoLonger = 'wait no longer';
/** How long a worker has to serve until the pause is short again, in milliseconds. */
const goodService = 10_000;

/**
 * Runs this program in several processes, which share its port, and starts a new one when one dies or when its event
 * loop stands still. Only the first one may fail, and this process with it: what stopped it before it served would stop
 * the others too. A signal ends them in good order, a second one ends their wait for more requests, a third one kills
 * them. This process ends last: with 0 when all of them ended in good order.
 */
export function startWorkers({ count, logger, output, watch, forcedEnd }: WorkersOptions): void {
  const workers = new Set<Worker>();
  let serving = false;
  let signals = 0;
  let failed = false;

  /** Starts a worker. `pause` is how long to wait before the next one if this one dies. */
  function start(pause = shortestPause): void {
    const worker = cluster.fork();
    const { process: child } = worker;
    let servesSince: number | undefined;
    let missed = 0;
    workers.add(worker);
    forwardOutput(worker, output);
    closeLostConnection(worker);
    worker.on('message', () => {
      missed = 0;
      servesSince ??= performance.now();
      if (serving) return;
      serving = true;
      for (let started = 1; started < count; started += 1) start();
    });
    // It counts intervals instead of reading a clock: while all processes are stopped there are none.
    const watching = setInterval(() => {
      if (!watch || servesSince === undefined) return;
      missed += 1;
      if (missed !== missedHeartbeats) return;
      const seconds = (missedHeartbeats * heartbeatInterval) / 1000;
      logger.error({ worker: child.pid }, `the event loop of a worker stood still for ${seconds} s: it is killed`);
      child.kill('SIGKILL');
    }, heartbeatInterval);
    // The system refused to start it. 'close' comes too.
    worker.on('error', (err) => logger.error({ err }, 'a worker cannot be started'));
    // After 'exit', when what it has written was read.
    child.once('close', (code, signal) => {
      clearInterval(watching);
      workers.delete(worker);
      if (signals > 0) {
        // A worker that is still starting has no handler for the signal.
        failed ||= code !== 0 && signal !== 'SIGTERM';
        if (workers.size === 0) process.exit(failed ? 1 : 0);
      } else if (!serving) {
        // A worker that ends by itself has said why.
        if (!code) console.error(`The first worker ended before it served: ${signal ?? 'exit code 0'}.`);
        process.exit(1);
      } else {
        const served = servesSince === undefined ? 0 : performance.now() - servesSince;
        const next = served < goodService ? pause : shortestPause;
        logger.error({ worker: child.pid, code, signal, pause: next }, `a worker died (${signal ?? code})`);
        startLater(next);
      }
    });
  }

  function startLater(pause: number): void {
    const next = Math.min(2 * pause, longestPause);
    setTimeout(() => {
      if (signals > 0) return;
      try {
        start(next);
      } catch (err) {
        // The system has too little memory, for instance.
        logger.error({ err, pause: next }, 'a worker cannot be started');
        startLater(next);
      }
    }, pause);
  }

  function kill(signal: NodeJS.Signals): void {
    for (const worker of workers) worker.process.kill(signal);
  }

  function end(): void {
    signals += 1;
    if (workers.size === 0) process.exit(0);
    if (signals > 2) kill('SIGKILL');
    else if (signals === 2) for (const worker of workers) worker.isConnected() && worker.send(waitNoLonger);
    else {
      kill('SIGTERM');
      setTimeout(kill, forcedEnd, 'SIGKILL');
    }
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
  // Workers get pipes of their own instead of standard output: see logger.ts.
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  // The first worker starts alone: it prepares the database, and when it cannot start, the reason is printed once.
  start();
}

/** Shows the primary process that this worker serves, and that its event loop turns. */
export function sendHeartbeats(): void {
  const beat = () => void (process.connected && process.send!('heartbeat'));
  beat();
  setInterval(beat, heartbeatInterval).unref();
}

/** Writes what a worker writes. Lines of the log stay whole. A worker that could not be started has no streams. */
function forwardOutput({ process: { stdout, stderr } }: Worker, output: LogOutput): void {
  let begun = '';
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) output.write(begun + text.slice(0, end));
    begun = end > 0 ? text.slice(end) : begun + text;
  });
  stderr?.pipe(process.stderr, { end: false });
}

/**
 * Closes the connection that a worker was about to take when it died. Node.js hands over one at a time and keeps it until
 * the worker takes it; when the worker dies before, the connection stays open and its client waits for ever.
 */
function closeLostConnection({ process: child }: Worker): void {
  let connection: { close?: () => void } | undefined;
  const send = child.send.bind(child) as (...parameters: unknown[]) => boolean;
  child.send = (message: unknown, handle?: unknown, ...more: unknown[]) => {
    if (handle) connection = handle;
    return send(message, handle, ...more);
  };
  // This does nothing to a connection that the worker has taken.
  child.once('exit', () => connection?.close?.());
}
