/** Several server processes on one port and one database file, for machines with more cores. */
import cluster, { type Worker } from 'node:cluster';

/**
 * Runs this program in so many processes more, which share its port, and keeps that number up. A signal ends
 * them in good order, a second one at once; this process ends last, with 0 when all of them did.
 */
export function startWorkers(count: number): void {
  const workers = new Set<Worker>();
  let ending = false;
  let failed = false;

  /** The first one comes up alone: it prepares the database, and if it cannot start, it says so once. */
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
      if (!listening) end('SIGTERM');
      if (workers.size === 0) process.exit(failed ? 1 : 0);
    });
  };
  const end = (signal: NodeJS.Signals) => {
    ending = true;
    for (const worker of workers) worker.process.kill(signal);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(ending ? 'SIGKILL' : 'SIGTERM'));
  start(count - 1);
}
