/** Divides the work for one large request into several turns of the event loop, between which others are served. */
import { setImmediate } from 'node:timers/promises';

/** From this size on, in bytes, each look at a text takes milliseconds. */
const largeSize = 2 ** 16;

/** Between two looks at something of this size, in bytes: when it is large, resolves in the next turn. */
export function turnForLarge(size: number): Promise<void> | undefined {
  return size > largeSize ? setImmediate() : undefined;
}

/** What takes longer than this ends its turn of the event loop, in milliseconds. */
const longTime = 5;

/** Does work of unknown size. When it took long, what comes after it has to wait for the next turn. */
export async function turnAfterLong<T>(work: () => T): Promise<T> {
  const start = performance.now();
  const result = work();
  if (performance.now() - start > longTime) await setImmediate();
  return result;
}
