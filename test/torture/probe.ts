/**
 * Loaded into the service beside its program: measures there, when asked over the IPC channel, for how long one turn of
 * the event loop took at most, what work was done, and how much memory was held.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** What happened since the measurement began; times in milliseconds, memory in mebibytes. */
export interface Measured {
  /** The longest time between two turns of the event loop. */
  held: number;
  /** The most processor time that the main thread used between two turns: other processes do not disturb it. */
  heldCpu: number;
  /** The processor time of all threads. */
  work: number;
  /** How much more memory the process held at most. */
  memory: number;
  /** When it was asked for. */
  profile?: Profiler.Profile;
}

export type Order = 'begin' | 'end' | 'profile';

const session = new Session();
session.connect();
let [held, heldCpu, lastTime, lastCpu] = [0, 0, 0, 0];
let work = process.cpuUsage();
let memory = 0;
let profiling = false;

const threadCpu = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

function tick(): void {
  const [time, cpu] = [performance.now(), threadCpu()];
  // The timer itself is due each millisecond.
  held = Math.max(held, time - lastTime - 1);
  heldCpu = Math.max(heldCpu, cpu - lastCpu);
  [lastTime, lastCpu] = [time, cpu];
}

setInterval(tick, 1).unref();

async function begin(): Promise<void> {
  globalThis.gc?.();
  // Makes the process forget what it held at most: proc(5).
  writeFileSync('/proc/self/clear_refs', '5');
  memory = process.memoryUsage.rss();
  if (profiling) await session.post('Profiler.start');
  await new Promise((resolve) => setTimeout(resolve, 5));
  tick();
  [held, heldCpu] = [0, 0];
  work = process.cpuUsage();
}

async function end(): Promise<Measured> {
  tick();
  const { user, system } = process.cpuUsage(work);
  const most = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  const measured = { held, heldCpu, work: (user + system) / 1000, memory: Math.max(0, most - memory) / 2 ** 20 };
  if (!profiling) return measured;
  profiling = false;
  return { ...measured, profile: (await session.post('Profiler.stop')).profile };
}

async function obey(order: Order): Promise<unknown> {
  if (order === 'end') return end();
  if (order === 'begin') return begin();
  profiling = true;
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
}

process.on('message', async (order: Order) => process.send!((await obey(order)) ?? 'done'));
process.channel?.unref();
