/** openapi-backend as its documentation shows it on Fastify: one route, and the library routes, authenticates and validates. */
import fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { type Context, OpenAPIBackend } from 'openapi-backend';
import {
  bodyProblem,
  contract,
  errorBody,
  insufficientScope,
  noPath,
  noSurvey,
  type Problem,
  port,
  unauthorized,
  url,
} from './http.ts';
import * as store from './store.ts';

type Respond = (context: Context, request: FastifyRequest, reply: FastifyReply) => unknown;

const refuse = (reply: FastifyReply, status: number, ...problems: Problem[]) =>
  reply.code(status).send(errorBody(status, problems, reply.request.id));

const handlers: Record<string, Respond> = {
  listHxlTagNames: (_, __, reply) => reply.send(store.tagNames()),
  listHxlLicenses: ({ request }, _, reply) =>
    reply.send(store.listLicenses(request.query, url('/api/v3/hxl/licenses'))),
  listHxlTags: ({ request }, _, reply) => reply.send(store.listTags(request.query, url('/api/v3/hxl/tags'))),
  listSurveys: ({ request }, _, reply) => reply.send(store.listSurveys(request.query)),
  getSurvey: ({ request }, _, reply) => {
    const id = Number(request.params.id);
    const found = store.getSurvey(id, request.query);
    return found ? reply.send(found) : refuse(reply, 404, noSurvey(id));
  },
  createSurvey: ({ request }, _, reply) => {
    const survey = store.createSurvey(request.requestBody);
    return reply
      .code(201)
      .header('location', url(`/api/v5/surveys/${survey.id}`))
      .send({ results: [survey] });
  },
  updateSurvey: ({ request }, _, reply) => {
    const id = Number(request.params.id);
    const survey = store.changeSurvey(id, request.requestBody);
    return survey ? reply.send({ results: [survey] }) : refuse(reply, 404, noSurvey(id));
  },
  notFound: ({ request }, _, reply) => refuse(reply, 404, noPath(request.path)),
  validationFail: ({ validation }, _, reply) => {
    const errors = validation.errors!.map((error) =>
      bodyProblem({ ...error, instancePath: error.instancePath.replace('/requestBody', '') }),
    );
    return refuse(
      reply,
      validation.errors!.some(({ instancePath }) => instancePath.startsWith('/requestBody')) ? 422 : 400,
      ...errors,
    );
  },
  unauthorizedHandler: ({ security, operation }, _, reply) =>
    security?.bearer.caller
      ? refuse(reply, 403, insufficientScope(String(operation.security?.[0]?.bearer)))
      : refuse(reply.header('www-authenticate', 'Bearer'), 401, unauthorized),
  notImplemented: (_, __, reply) => refuse(reply, 501, { code: 'not_implemented', message: 'Not implemented.' }),
};

const api = new OpenAPIBackend({
  definition: contract(),
  handlers,
  ajvOpts: { strict: false, allErrors: true },
  // Its check of the document knows OpenAPI 3.0 only, and complains of what 3.1 allows.
  quick: true,
});
api.registerSecurityHandler('bearer', ({ operation }, request: FastifyRequest) => {
  const caller = store.findCaller(request.headers.authorization);
  const scopes = operation.security?.[0]?.bearer ?? [];
  return { caller, error: !caller || !scopes.every((scope) => caller.scopes.has(scope)) };
});
await api.init();

const app = fastify({ logger: { level: 'warn' }, logController: new LogController({ disableRequestLogging: true }) });
app.route({
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  url: '/*',
  handler: async (request, reply) =>
    api.handleRequest(
      {
        method: request.method,
        path: request.url,
        body: request.body,
        query: request.query as Record<string, string>,
        headers: request.headers as Record<string, string>,
      },
      request,
      reply,
    ),
});
await app.listen({ port, host: '127.0.0.1' });
