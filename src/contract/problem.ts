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

/** The name that one step of a JSON Pointer (RFC 6901) stands for. */
export function unescapePointerStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The JSON Pointer (RFC 6901) to the end of a path of names and indexes. */
export function pointerTo(path: readonly (string | number)[]): string {
  return path.map((step) => `/${escapePointerStep(String(step))}`).join('');
}

/** Clients decide how long names are; what is sent back of them is bounded, in characters. */
const maxPointerLength = 512;
const maxLabelLength = 80;

/** The pointer itself, or when it is too long, the pointer to an object or array around its place. */
export function boundPointer(pointer: string): string {
  if (pointer.length <= maxPointerLength) return pointer;
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/', maxPointerLength)));
}

/**
 * How a sentence about this place in a body begins: `label`, `tasks/0`, `The body`. It is the last name in the
 * pointer, with the indexes behind it.
 */
export function pointerLabel(pointer: string): string {
  if (pointer === '') return 'The body';
  const steps = pointer.slice(1).split('/');
  const name = steps.findLastIndex((step) => !/^\d+$/.test(step));
  return shorten(steps.slice(Math.max(name, 0)).join('/'));
}

/** A name of a client in a sentence; in quotes when it could be taken for something else. */
export function nameLabel(name: string): string {
  const short = shorten(name);
  return /^[\w$.-]+…?$/.test(short) ? short : JSON.stringify(short);
}

/** Text of a client as it is quoted in a message. */
export function shorten(text: string): string {
  return text.length <= maxLabelLength ? text : `${text.slice(0, maxLabelLength).toWellFormed()}…`;
}
