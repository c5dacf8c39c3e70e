/** What is wrong with a request, as data: where, what, and what would be right. */
import type { EngineCode } from './codes.ts';

/** Where the problem is: a place in the body (RFC 6901), a path or query parameter, or a header. */
export type Source = { pointer: string } | { parameter: string } | { header: string };

/** One reason why a request is refused. `code` is stable, `message` is for people. */
export interface Problem<Code extends string = string> {
  code: Code;
  message: string;
  source?: Source;
}

/** A problem that the engine itself finds. */
export type EngineProblem = Problem<EngineCode>;

/** Problems are reported together, but no more of them than a person reads. */
export const maxReportedProblems = 100;

/** A name as one step of a JSON Pointer (RFC 6901). */
export function escapePointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * How a sentence about this place in a body begins: `label`, `tasks/0`, `The body`. It is the last name in the
 * pointer, with the indexes behind it. Linear in the length of the pointer, which clients decide.
 */
export function pointerLabel(pointer: string): string {
  if (pointer === '') return 'The body';
  const steps = pointer.slice(1).split('/');
  const name = steps.findLastIndex((step) => !/^\d+$/.test(step));
  return steps.slice(Math.max(name, 0)).join('/');
}
