/** Tests that need more than every machine gives. */
import type { TestContext } from 'vitest';

/**
 * Skips the test because something is missing. Where everything has to be there (CI=true) it fails instead.
 *
 * @param what what the test needs, as a sentence.
 */
export function skip(context: TestContext, what: string): void {
  if (process.env.CI) throw new Error(what);
  context.skip(what);
}
