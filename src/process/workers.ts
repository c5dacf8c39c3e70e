/** Several server processes on one port and one database file, for machines with several cores. */
import cluster, { type Worker } from 'node:cluster';

/**
 * Runs this program in `count` processes, which share its port, and starts a new one when one dies. A signal ends them
 * in good order, a second signal at once. This process ends last: with 0 when all of them ended with 0.
 */
export function startWorkers(count: number): void {
  const workers = new Set<Worker>();
  let ending = false;
  let failed = false;

  /** Starts one worker, and `more` when it listens. */
  const start = (more: number) => {
    const worker = cluster.fork();
    let listening = false;
    workers.add(worker);
    worker.once('listening', () => {
      listening = true;
      for (let started = 0; started < more; started += 1) start(0);
    });
    worker.once('exit', (code) => {
      workers.delete(worker);
      if (ending || !listening) failed ||= code !== 0;
      else start(0);
      // What stopped one before it listened would stop the next one too.
      if (!listening) end('SIGTERM');
      if (workers.size === 0) process.exit(failed ? 1 : 0);
    });
  };
  const end = (signal: NodeJS.Signals) => {
    ending = true;
    for (const worker of workers) worker.process.kill(signal);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(ending ? 'SIGKILL' : 'SIGTERM'));
  // The first worker starts alone: it prepares the database, and when it cannot start, the reason is printed once.
  start(count - 1);
}
