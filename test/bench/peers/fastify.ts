/** V1: Fastify as an expert writes it by hand, with a schema for all that comes in and all that goes out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  admitted,
  app,
  type Body,
  type Id,
  id,
  listing,
  type Query,
  refuse,
  schema,
  surveyInput,
  text,
  view,
} from './fastify-app.ts';
import { noSurvey, port, url } from './http.ts';
import * as replies from './replies.ts';
import * as store from './store.ts';

const needs = (scope: string) => ({
  onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (admitted(store.findCaller(request.headers.authorization), scope, reply)) done();
  },
});

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

await app.listen({ port, host: '127.0.0.1' });
