/** Refusals that travel as an Error, because Fastify and not the engine is in charge at that point. */
import { httpErrors } from '@fastify/sensible';
import type { EngineProblem, Problem } from './problem.ts';

/** An HTTP error of @fastify/sensible that carries the problems to respond with. */
export function problemError(status: number, ...problems: EngineProblem[]): Error & { problems: Problem[] } {
  return Object.assign(httpErrors.createError(status, problems[0]?.message ?? ''), { problems });
}

/** What a handler returned is not what the contract declares. In development the response says so. */
export class ReplyFault extends Error {}

/** The handler of an operation that is not written yet, whichever it is: responds 501. */
export const notImplemented = async (): Promise<never> => {
  throw problemError(501, {
    code: 'not_implemented',
    message: 'This operation is announced but not available yet.',
  });
};
