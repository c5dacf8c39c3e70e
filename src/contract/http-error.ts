/** Refusals that must travel as an Error because Fastify, and not the engine, is in charge at that point. */
import { httpErrors } from '@fastify/sensible';
import type { Problem } from './problem.ts';

/** An HTTP error of @fastify/sensible that carries the problems to answer with. */
export function failure(status: number, ...problems: Problem[]): Error & { problems: Problem[] } {
  return Object.assign(httpErrors.createError(status, problems[0]?.message ?? ''), { problems });
}

/** Stands where the handler of an operation will be, whichever it is: answers 501. */
export const notImplemented = async (): Promise<never> => {
  throw failure(501, { code: 'not_implemented', message: 'This operation is announced but not available yet.' });
};
