/** Work that is done when its result is first needed. */

/**
 * A function that calls `make` the first time and returns the same result ever after; it tries again after an error, also of
 * a promise.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    if (made === undefined) {
      made = { value: make() };
      if (made.value instanceof Promise) made.value.catch(() => (made = undefined));
    }
    return made.value;
  };
}
