/** Preloaded into a server: its workers are killed before they do anything, as by a system without memory. */
import cluster from 'node:cluster';

if (cluster.isWorker) process.kill(process.pid, 'SIGKILL');
