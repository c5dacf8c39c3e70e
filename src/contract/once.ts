/** Work that is done when its result is first needed. */

/** A function that calls `make` the first time and returns the same result ever after; it tries again after an error. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
