/** fastify-openapi-glue as its documentation shows it. */
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import glue from 'fastify-openapi-glue';
import {
  bodyProblem,
  contract,
  errorBody,
  insufficientScope,
  noPath,
  noSurvey,
  type Problem,
  port,
  Refusal,
  unauthorized,
  url,
} from './http.ts';
import * as store from './store.ts';
import { validatorCompiler } from './validation.ts';

const refuse = (reply: FastifyReply, status: number, ...problems: Problem[]) =>
  reply.code(status).send(errorBody(status, problems, reply.request.id));

const serviceHandlers: Record<string, (request: any, reply: FastifyReply) => Promise<unknown>> = {
  listHxlTagNames: async () => store.tagNames(),
  listHxlLicenses: async ({ query }) => store.listLicenses(query, url('/api/v3/hxl/licenses')),
  listHxlTags: async ({ query }) => store.listTags(query, url('/api/v3/hxl/tags')),
  listSurveys: async ({ query }) => store.listSurveys(query),
  getSurvey: async ({ params, query }, reply) =>
    store.getSurvey(params.id, query) ?? refuse(reply, 404, noSurvey(params.id)),
  createSurvey: async ({ body }, reply) => {
    const survey = store.createSurvey(body);
    return reply
      .code(201)
      .header('location', url(`/api/v5/surveys/${survey.id}`))
      .send({ results: [survey] });
  },
  updateSurvey: async ({ params, body }, reply) => {
    const survey = store.changeSurvey(params.id, body);
    return survey ? { results: [survey] } : refuse(reply, 404, noSurvey(params.id));
  },
};

const securityHandlers = {
  bearer: async (request: FastifyRequest, _: FastifyReply, scopes: string[]) => {
    const caller = store.findCaller(request.headers.authorization);
    if (caller === undefined) throw new Refusal(401, unauthorized);
    if (!scopes.every((scope) => caller.scopes.has(scope))) throw new Refusal(403, insufficientScope(scopes.join(' ')));
  },
};

const app = fastify({ logger: { level: 'warn' }, logController: new LogController({ disableRequestLogging: true }) });
app.setValidatorCompiler(validatorCompiler());
app.setNotFoundHandler((request, reply) => refuse(reply, 404, noPath(request.url)));
app.setErrorHandler<FastifyError & { errors?: Refusal[] }>((error, _, reply) => {
  const { validation, validationContext, statusCode = 500, message, errors } = error;
  if (validation) return refuse(reply, validationContext === 'body' ? 422 : 400, ...validation.map(bodyProblem));
  if (statusCode === 401) reply.header('www-authenticate', 'Bearer');
  return refuse(reply, statusCode, ...(errors?.[0]?.problems ?? [{ code: 'internal_error', message }]));
});
await app.register(glue, { specification: contract(), serviceHandlers, securityHandlers });
await app.listen({ port, host: '127.0.0.1' });
