/** What tests need that not every machine has: without it they are skipped, where everything has to be there (CI=true) they fail. */
import type { TestContext } from 'vitest';

/**
 * Why tests are skipped; undefined when nothing is missing.
 *
 * @param lack what is missing, as a sentence.
 * @throws with CI=true, when something is missing.
 */
export function reasonToSkip(lack: string | undefined): string | undefined {
  if (lack !== undefined && process.env.CI === 'true') throw new Error(lack);
  return lack;
}

/** Skips this test, because something is missing. */
export function skip(context: TestContext, lack: string): void {
  context.skip(reasonToSkip(lack));
}
