/** @hono/zod-openapi as its documentation shows it, on Node.js. Schemas are Zod's, so the contract is written once more. */
import { serve } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import {
  errorBody,
  insufficientScope,
  noPath,
  noSurvey,
  type Problem,
  port,
  tooShort,
  unauthorized,
  url,
  wrongFormat,
} from './http.ts';
import type { Listing } from './records.ts';
import * as store from './store.ts';

const text = z.string().max(65535);
const textOrNull = text.nullable().optional();
const flag = z.boolean().optional();
const int32 = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .optional();
const draftId = z
  .union([z.int(), z.string().regex(/^interim_id_\d+$/)])
  .nullable()
  .optional();
const translations = (texts: z.ZodRawShape) =>
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9_-]+$/)
        .max(35),
      z.union([text, z.looseObject(texts)]),
    )
    .optional();

const field = z.object({
  id: draftId,
  label: z.string().min(1).max(150),
  description: textOrNull,
  instructions: textOrNull,
  default: textOrNull,
  type: z.enum([
    'decimal',
    'int',
    'geometry',
    'text',
    'varchar',
    'markdown',
    'point',
    'datetime',
    'link',
    'relation',
    'media',
    'title',
    'description',
    'tags',
    'phone',
  ]),
  input: z.enum([
    'text',
    'textarea',
    'select',
    'radio',
    'checkbox',
    'checkboxes',
    'date',
    'datetime',
    'location',
    'number',
    'relation',
    'upload',
    'image',
    'audio',
    'document',
    'video',
    'markdown',
    'tags',
    'file',
  ]),
  priority: int32,
  required: flag,
  response_private: flag,
  cardinality: int32,
  config: z.record(z.string(), z.unknown()).optional(),
  options: z.array(z.unknown()).max(1000).optional(),
  form_stage_id: z.string().max(64).nullable().optional(),
  translations: translations({
    label: text.optional(),
    instructions: text.optional(),
    default: text.optional(),
    options: z.unknown().optional(),
  }),
});
const task = z.object({
  id: draftId,
  label: z.string().min(1).max(150),
  description: textOrNull,
  type: z.enum(['post', 'task']).optional(),
  priority: int32,
  required: flag,
  show_when_published: flag,
  task_is_internal_only: flag,
  is_public: flag,
  translations: translations({ label: text.optional(), description: text.optional() }),
  fields: z.array(field).max(500).optional(),
});
const color = '^#?[0-9A-Fa-f]{6}$';
const surveyInput = z.object({
  name: z
    .string()
    .min(2)
    .max(255)
    .regex(/^\P{Cc}*$/u)
    .optional(),
  description: textOrNull,
  base_language: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/)
    .optional(),
  color: z.string().regex(new RegExp(color)).nullable().optional(),
  type: z.string().min(1).max(50).optional(),
  require_approval: flag,
  everyone_can_create: flag,
  disabled: flag,
  hide_author: flag,
  hide_time: flag,
  hide_location: flag,
  targeted_survey: flag,
  can_create: z.array(z.string().min(1).max(50)).max(100).optional(),
  translations: translations({ name: text.optional(), description: text.optional() }),
  enabled_languages: z
    .object({ default: z.string().max(35).optional(), available: z.array(z.string().max(35)).optional() })
    .optional(),
  tasks: z.array(task).max(200).optional(),
});

const params = z.object({ id: z.coerce.number().int().min(1) });
const view = { only: z.string().max(1000).optional(), hydrate: z.string().max(1000).optional() };
const listing = (orderby: [string, ...string[]], minimum: number) => ({
  orderby: z.enum(orderby).default('id'),
  order: z
    .string()
    .regex(/^(asc|desc)$/i)
    .default('ASC'),
  limit: z.coerce.number().int().min(minimum).max(1000).optional(),
  offset: z.coerce.number().int().min(0).default(0),
});
const filter = z.string().max(255).optional();
const licenses = z.object({ ...listing(['id', 'url', 'code', 'name', 'link'], 1), name: filter, code: filter });
const tags = z.object(listing(['id', 'url', 'tag_name'], 1));
const surveys = z.object({ ...listing(['id', 'name', 'type', 'created', 'updated'], 0), ...view });

let requests = 0;
const refuse = (context: Context, status: 400 | 401 | 403 | 404 | 422, ...problems: Problem[]) =>
  context.json(errorBody(status, problems, `req-${(requests += 1)}`), status);

/** The issues of Zod in the contract's words. */
function problem({
  code,
  path,
  message,
  minimum,
  format,
}: {
  code: string;
  path: PropertyKey[];
  message: string;
  minimum?: number;
  format?: string;
}): Problem {
  const pointer = `/${path.join('/')}`;
  if (code === 'too_small') return tooShort(pointer, minimum!);
  return format === 'regex' ? wrongFormat(pointer, color) : { code, message, source: { pointer } };
}

const app = new OpenAPIHono({
  defaultHook: (result, context) =>
    result.success
      ? undefined
      : refuse(
          context,
          result.target === 'json' ? 422 : 400,
          ...(result.error.issues as Parameters<typeof problem>[0][]).map(problem),
        ),
});

const needs = (
  scope: string,
): { middleware: MiddlewareHandler; responses: Record<number, { description: string }> } => ({
  middleware: async (context, next) => {
    const caller = store.findCaller(context.req.header('authorization'));
    if (caller === undefined) {
      context.header('www-authenticate', 'Bearer');
      return refuse(context, 401, unauthorized);
    }
    if (!caller.scopes.has(scope)) return refuse(context, 403, insufficientScope(scope));
    return next();
  },
  responses: {},
});
const json = { body: { required: true, content: { 'application/json': { schema: surveyInput } } } };

app.openapi(createRoute({ method: 'get', path: '/api/v3/hxl', ...needs('hxl:read') }), (context) =>
  context.json(store.tagNames()),
);
app.openapi(
  createRoute({ method: 'get', path: '/api/v3/hxl/licenses', ...needs('hxl:read'), request: { query: licenses } }),
  (context) => context.json(store.listLicenses(context.req.valid('query') as Listing, url('/api/v3/hxl/licenses'))),
);
app.openapi(
  createRoute({ method: 'get', path: '/api/v3/hxl/tags', ...needs('hxl:read'), request: { query: tags } }),
  (context) => context.json(store.listTags(context.req.valid('query') as Listing, url('/api/v3/hxl/tags'))),
);
app.openapi(
  createRoute({ method: 'get', path: '/api/v5/surveys', ...needs('surveys:read'), request: { query: surveys } }),
  (context) => context.json(store.listSurveys(context.req.valid('query') as Listing)),
);
app.openapi(
  createRoute({
    method: 'get',
    path: '/api/v5/surveys/{id}',
    ...needs('surveys:read'),
    request: { params, query: z.object(view) },
  }),
  (context) => {
    const { id } = context.req.valid('param');
    const found = store.getSurvey(id, context.req.valid('query') as Listing);
    return found ? context.json(found) : refuse(context, 404, noSurvey(id));
  },
);
app.openapi(
  createRoute({ method: 'post', path: '/api/v5/surveys', ...needs('surveys:write'), request: json }),
  (context) => {
    const survey = store.createSurvey(context.req.valid('json') as never);
    context.header('location', url(`/api/v5/surveys/${survey.id}`));
    return context.json({ results: [survey] }, 201);
  },
);
app.openapi(
  createRoute({ method: 'put', path: '/api/v5/surveys/{id}', ...needs('surveys:write'), request: { params, ...json } }),
  (context) => {
    const { id } = context.req.valid('param');
    const survey = store.changeSurvey(id, context.req.valid('json') as never);
    return survey ? context.json({ results: [survey] }) : refuse(context, 404, noSurvey(id));
  },
);
app.notFound((context) => refuse(context, 404, noPath(context.req.path)));

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
