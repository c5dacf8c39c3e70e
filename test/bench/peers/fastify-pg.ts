/** Fastify with `pg` as an expert writes it by hand: V1 on PostgreSQL, with the operations on surveys. */
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
  view,
} from './fastify-app.ts';
import { noSurvey, port, url } from './http.ts';
import * as replies from './replies.ts';
import * as store from './store-pg.ts';

const needs = (scope: string) => ({
  onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
    if (!admitted(await store.findCaller(request.headers.authorization), scope, reply)) return reply;
  },
});

app.get<Query>(
  '/api/v5/surveys',
  {
    ...needs('surveys:read'),
    ...schema(200, replies.surveys, { querystring: listing(['id', 'name', 'type', 'created', 'updated'], 0, view) }),
  },
  (request) => store.listSurveys(request.query),
);
app.get<Id & Query>(
  '/api/v5/surveys/:id',
  {
    ...needs('surveys:read'),
    ...schema(200, replies.surveys, { params: id, querystring: { type: 'object', properties: view } }),
  },
  async (request, reply) => {
    const survey = await store.getSurvey(request.params.id, request.query);
    if (survey) return survey;
    refuse(reply, 404, noSurvey(request.params.id));
    return reply;
  },
);
app.post<Body>(
  '/api/v5/surveys',
  {
    ...needs('surveys:write'),
    ...schema(201, replies.surveys, { body: surveyInput }),
  },
  async (request, reply) => {
    const survey = await store.createSurvey(request.body);
    reply.code(201).header('location', url(`/api/v5/surveys/${survey.id}`));
    return { results: [survey] };
  },
);
app.put<Id & Body>(
  '/api/v5/surveys/:id',
  {
    ...needs('surveys:write'),
    ...schema(200, replies.surveys, { params: id, body: surveyInput }),
  },
  async (request, reply) => {
    const survey = await store.changeSurvey(request.params.id, request.body);
    if (survey) return { results: [survey] };
    refuse(reply, 404, noSurvey(request.params.id));
    return reply;
  },
);

await app.listen({ port, host: '127.0.0.1' });
