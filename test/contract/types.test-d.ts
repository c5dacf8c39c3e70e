/** What must not compile. Each line that is expected to fail says why; `tsc` fails when one of them compiles. */
import type { Caller } from '../../src/api/caller.ts';
import {
  type Handler,
  type Handlers,
  type Reply,
  type Request,
  refuse,
  type securitySchemes,
} from '../../src/api/handler.ts';
import type { Authenticators } from '../../src/contract/authorization.ts';
import type { BasicCredentials } from '../../src/contract/security-schemes.ts';
import { handlers } from '../../src/handlers.ts';

const problem = { code: 'x', message: 'x' };
const deletion = { result: { deleted: 1 } };

// @ts-expect-error Property 'getSurvey' is missing: every operation has a handler.
({ ...handlers, getSurvey: undefined }) satisfies Handlers;

const { getSurvey: _, ...incomplete } = handlers;
// @ts-expect-error Property 'getSurvey' is missing in a set that lacks it altogether.
incomplete satisfies Handlers;

// @ts-expect-error The handler of one operation does not do for another.
({ ...handlers, getSurvey: handlers.createSurvey }) satisfies Handlers;

export const undeclaredStatus: Handler<'deleteSurvey'> = async () =>
  // @ts-expect-error 204 is not declared for deleteSurvey.
  ({ status: 204 });

export const wrongBody: Handler<'deleteSurvey'> = async () =>
  // @ts-expect-error `deleted` is the identifier, a number.
  ({ status: 200, body: { result: { deleted: '1' } } });

export const missingBody: Handler<'deleteSurvey'> = async () =>
  // @ts-expect-error 200 is declared with a body.
  ({ status: 200 });

export const missingHeader: Handler<'createSurvey'> = async () =>
  // @ts-expect-error 201 is declared with the header Location.
  ({ status: 201, body: { results: [] } });

export const undeclaredRefusal: Handler<'listSurveys'> = async () =>
  // @ts-expect-error 404 is not declared for listSurveys.
  refuse(404, 'There are none.');

export const problemsInSuccess: Handler<'deleteSurvey'> = async () =>
  // @ts-expect-error Only errors have problems.
  ({ status: 200, problems: [problem] });

export const undeclaredMember: Handler<'deleteSurvey'> = async (): Promise<Reply<'deleteSurvey'>> =>
  // @ts-expect-error `secret` is not declared; an annotated return type makes this an error.
  ({ status: 200, body: { ...deletion, secret: 1 } });

export function reads({ path, query }: Request<'getSurvey'>): void {
  path.id satisfies number;
  query.only satisfies string | undefined;
  // @ts-expect-error getSurvey has no parameter `limit`.
  query.limit;
}

export function defaults({ query, body }: Request<'listSurveys'>): void {
  query.order satisfies string;
  // @ts-expect-error `limit` has no default: it may be absent.
  query.limit satisfies number;
  body satisfies undefined;
}

export const fits: Handler<'deleteSurvey'> = async ({ path }) =>
  path.id === 0 ? refuse(404, 'There is none.') : { status: 200, body: deletion };

// @ts-expect-error Property 'bearer' is missing: every security scheme has an authenticator.
export const noAuthenticators: Authenticators<securitySchemes, Caller> = {};

export const wrongCredentials: Authenticators<securitySchemes, Caller> = {
  // @ts-expect-error The credentials of a bearer scheme are text.
  bearer: { digest: ({ password }: BasicCredentials) => password, identify: async () => undefined },
};

interface Login {
  login: { type: 'http'; scheme: 'basic' };
}
export const basicCredentials: Authenticators<Login, Caller> = {
  login: { digest: ({ username, password }) => `${username}:${password}`, identify: async () => undefined },
};
