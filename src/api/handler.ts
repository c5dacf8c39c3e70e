/** The engine bound to this API: what its handlers get, and how they refuse. */

import type * as engine from '../contract/problem.ts';
import type { Sharing as ResponseSharing } from '../contract/response-cache.ts';
import type * as contract from '../contract/types.ts';
import type { Database } from '../database/database.ts';
import type { components, operations, securitySchemes } from '../generated/openapi.d.ts';
import type { Caller } from './caller.ts';
import type { ErrorCode } from './error-codes.ts';

/** One reason why a request is refused, with a code that the contract lists. */
export type Problem = engine.Problem<ErrorCode>;

/** What every handler gets beside its request. */
export interface Context {
  db: Database;
  /** The largest survey that is stored, in bytes. */
  surveySizeLimit: number;
  /** Whether a survey is changed and deleted only with the header If-Match. */
  ifMatchRequired: boolean;
  /** Who calls: `nobody`, who has no scope, where credentials are optional and none were sent. */
  caller: Caller;
  /** The absolute URL of a path of this service, as the caller can reach it. */
  url: (path: string) => string;
}

export { notImplemented } from '../contract/problem-error.ts';
export type { operations, securitySchemes };
export type Handler<Id extends keyof operations> = contract.Handler<operations, Id, Context>;
export type Reply<Id extends keyof operations> = contract.Reply<operations, Id>;
export type Request<Id extends keyof operations> = contract.Request<operations, Id>;
export type Handlers = contract.Handlers<operations, Context>;
/** Which operations share their responses among callers, and among which. */
export type Sharing = Partial<Record<keyof operations, ResponseSharing>>;
/** What makes requests of an operation that mean the same the same. */
export type Normalizers = contract.Normalizers<operations>;
/** What tells the state of what an operation would read. */
export type ValidatorReaders = contract.ValidatorReaders<operations, Context>;
/** A named schema of the contract: `Schema<'Survey'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The codes of refusals whose status says enough. */
const codes = { 403: 'forbidden', 404: 'not_found' } as const;

/**
 * The reply that refuses a request with a status the contract declares for it: with one sentence for the
 * statuses that need no more, or with the problems found.
 */
export function refuse<S extends keyof typeof codes>(status: S, message: string): { status: S; problems: Problem[] };
export function refuse<S extends number>(
  status: S,
  problems: readonly Problem[],
): { status: S; problems: readonly Problem[] };
export function refuse<S extends number>(status: S, why: string | readonly Problem[]) {
  const problems = typeof why === 'string' ? [{ code: codes[status as keyof typeof codes], message: why }] : why;
  return { status, problems };
}
