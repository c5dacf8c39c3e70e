/** Schemas of what V1 returns, from which Fastify compiles its serialisers. */

const integer = { type: 'integer' };
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const boolean = { type: 'boolean' };
const texts = { type: 'array', items: text };
const anything = { type: 'object', additionalProperties: true };

const object = (properties: object) => ({ type: 'object', properties });
const array = (items: object) => ({ type: 'array', items });

const field = object({
  id: integer,
  key: text,
  label: text,
  description: textOrNull,
  instructions: textOrNull,
  default: textOrNull,
  type: text,
  input: text,
  priority: integer,
  required: boolean,
  response_private: boolean,
  cardinality: integer,
  config: anything,
  options: array({}),
  translations: anything,
});
const task = object({
  id: integer,
  form_id: integer,
  label: text,
  description: textOrNull,
  type: text,
  priority: integer,
  required: boolean,
  show_when_published: boolean,
  task_is_internal_only: boolean,
  is_public: boolean,
  translations: anything,
  fields: array(field),
});
const survey = object({
  id: integer,
  name: text,
  description: textOrNull,
  base_language: text,
  color: textOrNull,
  type: text,
  require_approval: boolean,
  everyone_can_create: boolean,
  disabled: boolean,
  hide_author: boolean,
  hide_time: boolean,
  hide_location: boolean,
  targeted_survey: boolean,
  can_create: texts,
  created: text,
  updated: textOrNull,
  translations: anything,
  enabled_languages: object({ default: text, available: texts }),
  tasks: array(task),
  allowed_privileges: texts,
});
const page = (item: object) =>
  object({
    count: integer,
    results: array(item),
    limit: textOrNull,
    offset: integer,
    order: text,
    orderby: text,
    curr: text,
    next: text,
    prev: text,
    total_count: integer,
  });

export const errors = object({
  errors: array(object({ status: integer, message: text, code: text, source: anything })),
  request_id: text,
});
export const surveys = object({ results: array(survey) });
export const tagNames = object({ hxl: texts });
export const licenses = page(
  object({ id: integer, url: text, code: text, name: text, link: text, allowed_privileges: texts }),
);
export const tags = page(
  object({
    id: integer,
    url: text,
    tag_name: text,
    allowed_privileges: texts,
    hxl_attributes: {
      type: 'object',
      additionalProperties: object({ hxl_tag_id: integer, id: integer, attribute: text, description: text }),
    },
    form_attribute_types: array(object({ form_attribute_type: text })),
  }),
);
