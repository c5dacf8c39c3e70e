/** A thread that ends this process when its event loop cannot: it runs on while that stands still. */
import { Worker } from 'node:worker_threads';

/** How often a process shows that its event loop turns, in milliseconds. */
export const heartbeatInterval = 1000;
/** After how many intervals without a heartbeat an event loop is taken to stand still: 10 s. */
export const missedHeartbeats = 10;

/** Ends this process when its parent is gone, at the latest a second after that. */
export function endWithParent(): void {
  startThread({ parent: process.ppid });
}

/** Ends this process when its event loop stands still, so that whatever supervises it starts it again. */
export function endWhenBlocked(): void {
  const thread = startThread({ maxMissed: missedHeartbeats });
  setInterval(() => thread.postMessage('heartbeat'), heartbeatInterval).unref();
}

interface Conditions {
  parent?: number;
  maxMissed?: number;
}

function startThread(conditions: Conditions): Worker {
  // As text, because a thread that loads TypeScript takes 12 MB more; the types are blanks at run time. No execArgv:
  // a module that is preloaded into the process, as in development, is not for the thread.
  const thread = new Worker(`(${watch})()`, {
    eval: true,
    execArgv: [],
    workerData: { interval: heartbeatInterval, ...conditions },
  });
  thread.unref();
  return thread;
}

/**
 * Runs in the thread. It counts its own intervals instead of reading a clock: while the machine is suspended there are
 * none, and a clock that jumps makes none.
 */
function watch(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { interval, parent, maxMissed } = workerData as Conditions & { interval: number };
  let missed = 0;
  parentPort!.on('message', () => {
    missed = 0;
  });
  setInterval(() => {
    missed += 1;
    const blocked = maxMissed !== undefined && missed > maxMissed;
    if (blocked) {
      const msg = `the event loop stood still for ${(maxMissed * interval) / 1000} s: the process ends`;
      const line = JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, msg });
      try {
        process.getBuiltinModule('node:fs').writeSync(1, `${line}\n`);
      } catch {
        // The log may be lost, and the process ends in any case.
      }
    }
    if (blocked || (parent !== undefined && process.ppid !== parent)) process.kill(process.pid, 'SIGKILL');
  }, interval);
}
