/** Waiting for other processes that have locked the database, without stopping this one. */
import { setTimeout } from 'node:timers/promises';
import { isLocked } from './faults.ts';

/**
 * Does what may fail because another process has the lock, again and again until that is no longer so. SQLite's own
 * waiting would stop all other work of this process.
 *
 * @param deadline until when, in the time of `performance.now()`: the clock of the system may be set meanwhile.
 * @param pause how long to wait between two attempts, in milliseconds, about.
 * @param waiting is called after each attempt that failed.
 * @throws what the attempt throws; after the deadline, that it is locked.
 */
export async function whenUnlocked<T>(
  attempt: () => T,
  deadline: number,
  pause: number,
  waiting: () => void = () => {},
): Promise<T> {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
    }
    waiting();
    // A random time, because processes that wait equally long would collide again.
    await setTimeout(pause * (0.5 + Math.random()));
  }
}
