/** What V1 and its like on PostgreSQL share: the instance of Fastify, the schemas of what comes in, how they refuse. */
import fastify, { type FastifyError, type FastifyReply, LogController } from 'fastify';
import { bodyProblem, contract, errorBody, insufficientScope, noPath, type Problem, unauthorized } from './http.ts';
import type { Caller, Listing, Schema } from './records.ts';
import * as replies from './replies.ts';
import { validatorCompiler } from './validation.ts';

export const app = fastify({
  logger: { level: 'warn' },
  logController: new LogController({ disableRequestLogging: true }),
  routerOptions: { ignoreTrailingSlash: true },
});

// What comes in is described as the contract does; by hand it would be the same.
app.setValidatorCompiler(
  validatorCompiler({ $id: 'contract', components: { schemas: contract().components.schemas } }),
);
export const surveyInput = { $ref: 'contract#/components/schemas/SurveyInput' };

export const id = {
  type: 'object',
  properties: { id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } },
};
export const listing = (orderby: string[], minimum: number, more: object = {}) => ({
  type: 'object',
  properties: {
    orderby: { type: 'string', enum: orderby, default: 'id' },
    order: { type: 'string', pattern: '^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$', default: 'ASC' },
    limit: { type: 'integer', minimum, maximum: 1000 },
    offset: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1, default: 0 },
    ...more,
  },
});
export const text = { type: 'string', maxLength: 255 };
export const view = { only: { type: 'string', maxLength: 1000 }, hydrate: { type: 'string', maxLength: 1000 } };

export const refuse = (reply: FastifyReply, status: number, ...problems: Problem[]) =>
  void reply.code(status).send(errorBody(status, problems, reply.request.id));

/** Whether this caller has the scope; otherwise they are refused. */
export function admitted(caller: Caller | undefined, scope: string, reply: FastifyReply): boolean {
  if (caller?.scopes.has(scope)) return true;
  if (caller === undefined) refuse(reply.header('www-authenticate', 'Bearer'), 401, unauthorized);
  else refuse(reply, 403, insufficientScope(scope));
  return false;
}

export const schema = (status: number, reply: object, received: object = {}) => ({
  schema: { ...received, response: { [status]: reply, '4xx': replies.errors } },
});

export type Id = { Params: { id: number } };
export type Query = { Querystring: Listing };
export type Body = { Body: Schema<'SurveyInput'> };

app.setNotFoundHandler((request, reply) => refuse(reply, 404, noPath(request.url)));
app.setErrorHandler<FastifyError>((error, _, reply) => {
  const { validation, validationContext, statusCode = 500, message } = error;
  if (validation) return refuse(reply, validationContext === 'body' ? 422 : 400, ...validation.map(bodyProblem));
  refuse(reply, statusCode, { code: 'internal_error', message });
});
