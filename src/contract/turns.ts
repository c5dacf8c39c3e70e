/** Divides the work for one large request into several turns of the event loop, between which others are served. */
import { setImmediate } from 'node:timers/promises';

/** From this size on, in bytes, each look at a body takes milliseconds. */
const largeSize = 2 ** 16;

/** For how long a step of a piece of work may last before the next one waits for the next turn, in milliseconds. */
const longStep = 5;

/** Between two looks at a body of this size, in bytes: resolves in the next turn of the event loop when it is large. */
export function turnForLarge(size: number): Promise<void> | undefined {
  return size > largeSize ? setImmediate() : undefined;
}

/**
 * For work of unknown size: makes a function to be awaited between its steps. It resolves in the next turn of the event
 * loop when the steps since the last turn took long, and otherwise returns at once.
 */
export function turnsForLong(): () => Promise<void> | undefined {
  let start = performance.now();
  return () => {
    if (performance.now() - start < longStep) return undefined;
    return setImmediate().then(() => {
      start = performance.now();
    });
  };
}
