/** Error messages say in words what is right: no regular expression of the contract gets into one. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, describe, expect, test } from 'vitest';
import { createAjv } from '../../src/contract/ajv.ts';
import { allParameterProblems, bodyProblems } from '../../src/contract/validation-problems.ts';
import { operations } from '../support/operations.ts';
import { service } from '../support/service.ts';

type Schema = OpenAPIV3_1.SchemaObject & {
  'x-expected'?: string;
  'x-no-control-characters'?: boolean;
  propertyNames?: Schema;
};

const { send, close } = await service();
afterAll(close);

/** A place in a request that has to match a pattern, and the request's value in which it does not. */
interface Wrong {
  place: string;
  schema: Schema;
  value: unknown;
}

/** Fits no pattern of the contract. */
const wrongText = '\u0001';

/** For each pattern inside a schema, a value that breaks it. The rest of the value may be wrong too. */
function wrongTexts(schema: Schema, place = ''): Wrong[] {
  const { pattern, properties = {}, additionalProperties, propertyNames, allOf = [], anyOf = [], oneOf = [] } = schema;
  const items = (schema as { items?: Schema }).items;
  const below = (inner: unknown, name: string, whole: (value: unknown) => unknown) =>
    wrongTexts(inner as Schema, `${place}/${name}`).map((wrong) => ({ ...wrong, value: whole(wrong.value) }));
  return [
    ...(pattern === undefined && !schema['x-no-control-characters'] ? [] : [{ place, schema, value: wrongText }]),
    ...Object.entries(properties).flatMap(([name, inner]) => below(inner, name, (value) => ({ [name]: value }))),
    ...(typeof additionalProperties === 'object' ? below(additionalProperties, 'es', (es) => ({ es })) : []),
    ...(propertyNames === undefined ? [] : below(propertyNames, 'name', (name) => ({ [String(name)]: {} }))),
    ...(items === undefined ? [] : below(items, '0', (item) => [item])),
    ...[...allOf, ...anyOf, ...oneOf].flatMap((inner) => wrongTexts(inner as Schema, place)),
  ];
}

/** Every pattern on the side of requests, for one operation that takes it. */
const cases = operations.flatMap(({ operationId, method, path, parameters = [], requestBody }) => {
  const url = path.replace(/\{\w+\}/g, '1');
  const ofParameters = (parameters as OpenAPIV3_1.ParameterObject[]).flatMap(({ name, in: group, schema }) =>
    wrongTexts(schema as Schema, name).map(({ place, schema }) => ({
      title: `${operationId} ${place}`,
      schema,
      // Some parameters may have every character but this.
      ask: () =>
        group === 'header'
          ? send(method.toUpperCase(), url, undefined, { headers: { [name]: wrongText } })
          : send(method.toUpperCase(), `${url}?${new URLSearchParams({ [name]: '\0' })}`),
    })),
  );
  const { schema: body = {} } = (requestBody as OpenAPIV3_1.RequestBodyObject)?.content['application/json'] ?? {};
  const ofBody = wrongTexts(body as Schema).map(({ place, schema, value }) => ({
    title: `${operationId} ${place}`,
    schema,
    ask: () => send(method.toUpperCase(), url, value),
  }));
  return [...ofParameters, ...ofBody];
});
const patterns = cases.flatMap(({ schema }) => schema.pattern ?? []);

test('the contract has patterns in parameters, members, items, alternatives and names', () => {
  const titles = cases.map(({ title }) => title);
  for (const title of [
    'listSurveys order',
    'createSurvey /name',
    'createSurvey /enabled_languages/available/0',
    'updateSurvey /tasks/0/fields/0/id',
    'createSurvey /translations/name',
  ])
    expect(titles).toContain(title);
});

test.each(cases)('$title: what is right is said in words', async ({ schema, ask }) => {
  const { json } = await ask();
  const messages: string[] = json.errors.map(({ message }: { message: string }) => message);
  expect(messages.filter((message) => message.includes(`must be ${schema['x-expected']}.`))).toHaveLength(1);
  for (const message of messages) expect(patterns.filter((pattern) => message.includes(pattern))).toEqual([]);
});

test.each([
  ['GET', '/api/v5/surveys?order=ascending', undefined, 'order must be ASC or DESC.'],
  [
    'POST',
    '/api/v5/surveys',
    { base_language: 'English!' },
    'base_language must be a language code such as en or pt-BR.',
  ],
  [
    'POST',
    '/api/v5/surveys',
    { tasks: [{ label: 'Report', id: true }] },
    'id must be a whole number, or a temporary identifier such as interim_id_1, or null.',
  ],
  [
    'POST',
    '/api/v5/surveys',
    { translations: { 'pt BR': {} } },
    'translations has a member whose name is not allowed: "pt BR". A name must be a language code of at most 35 ' +
      'letters, digits, - and _, such as en or pt-BR.',
  ],
])('%s %s %j: %s', async (method, url, body, message) => {
  const { json } = await send(method, url, body);
  expect(json.errors.map((error: { message: string }) => error.message)).toEqual([message]);
});

test.each(['ASC', 'asc', 'DESC', 'desc', 'Desc', 'aSC'])('order=%s is taken', async (order) => {
  expect((await send('GET', `/api/v5/surveys?order=${order}`)).status).toBe(200);
});

describe('a pattern without words', () => {
  const errorsOf = (schema: object, value: unknown) => {
    const validate = createAjv().compile(schema);
    expect(validate(value)).toBe(false);
    return validate.errors!;
  };
  const text = { type: 'string', pattern: '^x+$' };
  const body = (inner: object) => ({ properties: { requestBody: { properties: { a: inner } } } });
  const messageOf = (schema: object, a: unknown) =>
    bodyProblems(errorsOf(body(schema), { requestBody: { a } }))[0]!.message;

  test('is not shown either', () => {
    expect(messageOf(text, 'y')).toBe('a does not have the right form.');
    expect(messageOf({ oneOf: [text, { type: 'integer' }] }, true)).toBe('a must be a string, or a whole number.');
    expect(messageOf({ propertyNames: text }, { y: 1 })).toBe('a has a member whose name is not allowed: "y".');
    const query = { properties: { query: { properties: { a: text } } } };
    expect(allParameterProblems([], errorsOf(query, { query: { a: 'y' } }))[0]!.message).toBe(
      'a does not have the right form.',
    );
  });
});
