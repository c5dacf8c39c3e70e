/** V1: Fastify as an expert writes it by hand, with a schema for all that comes in and all that goes out. */
import fastify, { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
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
import * as replies from './replies.ts';
import * as store from './store.ts';
import { validatorCompiler } from './validation.ts';

const app = fastify({
  logger: { level: 'warn' },
  logController: new LogController({ disableRequestLogging: true }),
  routerOptions: { ignoreTrailingSlash: true },
});

// What comes in is described as the contract does; by hand it would be the same.
app.setValidatorCompiler(
  validatorCompiler({ $id: 'contract', components: { schemas: contract().components.schemas } }),
);
const surveyInput = { $ref: 'contract#/components/schemas/SurveyInput' };

const id = { type: 'object', properties: { id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } } };
const listing = (orderby: string[], minimum: number, more: object = {}) => ({
  type: 'object',
  properties: {
    orderby: { type: 'string', enum: orderby, default: 'id' },
    order: { type: 'string', pattern: '^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$', default: 'ASC' },
    limit: { type: 'integer', minimum, maximum: 1000 },
    offset: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1, default: 0 },
    ...more,
  },
});
const text = { type: 'string', maxLength: 255 };
const view = { only: { type: 'string', maxLength: 1000 }, hydrate: { type: 'string', maxLength: 1000 } };

const refuse = (reply: FastifyReply, status: number, ...problems: Problem[]) =>
  void reply.code(status).send(errorBody(status, problems, reply.request.id));

const needs = (scope: string) => ({
  onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const caller = store.findCaller(request.headers.authorization);
    if (caller === undefined) return refuse(reply.header('www-authenticate', 'Bearer'), 401, unauthorized);
    if (!caller.scopes.has(scope)) return refuse(reply, 403, insufficientScope(scope));
    done();
  },
});
const schema = (status: number, reply: object, received: object = {}) => ({
  schema: { ...received, response: { [status]: reply, '4xx': replies.errors } },
});

type Id = { Params: { id: number } };
type Query = { Querystring: store.Listing };
type Body = { Body: Parameters<typeof store.createSurvey>[0] };

app.get('/api/v3/hxl', { ...needs('hxl:read'), ...schema(200, replies.tagNames) }, (_, reply) => {
  reply.send(store.tagNames());
});
app.get<Query>(
  '/api/v3/hxl/licenses',
  {
    ...needs('hxl:read'),
    ...schema(200, replies.licenses, {
      querystring: listing(['id', 'url', 'code', 'name', 'link'], 1, { name: text, code: text }),
    }),
  },
  (request, reply) => {
    reply.send(store.listLicenses(request.query, url('/api/v3/hxl/licenses')));
  },
);
app.get<Query>(
  '/api/v3/hxl/tags',
  {
    ...needs('hxl:read'),
    ...schema(200, replies.tags, { querystring: listing(['id', 'url', 'tag_name'], 1) }),
  },
  (request, reply) => {
    reply.send(store.listTags(request.query, url('/api/v3/hxl/tags')));
  },
);
app.get<Query>(
  '/api/v5/surveys',
  {
    ...needs('surveys:read'),
    ...schema(200, replies.surveys, { querystring: listing(['id', 'name', 'type', 'created', 'updated'], 0, view) }),
  },
  (request, reply) => {
    reply.send(store.listSurveys(request.query));
  },
);
app.get<Id & Query>(
  '/api/v5/surveys/:id',
  {
    ...needs('surveys:read'),
    ...schema(200, replies.surveys, { params: id, querystring: { type: 'object', properties: view } }),
  },
  (request, reply) => {
    const survey = store.getSurvey(request.params.id, request.query);
    if (survey) reply.send(survey);
    else refuse(reply, 404, noSurvey(request.params.id));
  },
);
app.post<Body>(
  '/api/v5/surveys',
  {
    ...needs('surveys:write'),
    ...schema(201, replies.surveys, { body: surveyInput }),
  },
  (request, reply) => {
    const survey = store.createSurvey(request.body);
    reply
      .code(201)
      .header('location', url(`/api/v5/surveys/${survey.id}`))
      .send({ results: [survey] });
  },
);
app.put<Id & Body>(
  '/api/v5/surveys/:id',
  {
    ...needs('surveys:write'),
    ...schema(200, replies.surveys, { params: id, body: surveyInput }),
  },
  (request, reply) => {
    const survey = store.changeSurvey(request.params.id, request.body);
    if (survey) reply.send({ results: [survey] });
    else refuse(reply, 404, noSurvey(request.params.id));
  },
);

app.setNotFoundHandler((request, reply) => refuse(reply, 404, noPath(request.url)));
app.setErrorHandler<FastifyError>((error, _, reply) => {
  const { validation, validationContext, statusCode = 500, message } = error;
  if (validation) return refuse(reply, validationContext === 'body' ? 422 : 400, ...validation.map(bodyProblem));
  refuse(reply, statusCode, { code: 'internal_error', message });
});

await app.listen({ port, host: '127.0.0.1' });
