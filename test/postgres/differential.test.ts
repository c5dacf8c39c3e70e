/**
 * The same requests to the service on a SQLite file and on PostgreSQL: every response has to be the same. DIFFERENTIAL_RUNS
 * says how many sequences of requests are sent.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newSchema } from '../support/schema.ts';
import { emptyDatabase, service, type TestResponse } from '../support/service.ts';

const runs = Number(process.env.DIFFERENTIAL_RUNS ?? 300);
/** After so many sequences both go on with empty databases. */
const runsPerDatabase = 250;

type Service = Awaited<ReturnType<typeof service>>;
let pair: [Service, Service] | undefined;
let runsOfPair = 0;
let removeSchema: (() => Promise<void>) | undefined;

async function freshPair(): Promise<[Service, Service]> {
  await closePair();
  const { url, remove } = await newSchema(process.env.TEST_DATABASE_URL!);
  removeSchema = remove;
  runsOfPair = 0;
  return [await service({ DATABASE_URL: emptyDatabase() }), await service({ DATABASE_URL: url })];
}

async function closePair(): Promise<void> {
  for (const one of pair ?? []) await one.close();
  pair = undefined;
  await removeSchema?.();
  removeSchema = undefined;
}

// Both services see the same times, so that their responses may be compared with them.
let now = Date.UTC(2026, 0, 1);
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterAll(async () => {
  vi.useRealTimers();
  await closePair();
});

// Values.

const oddTexts = fc.constantFrom(
  ...[
    'Été',
    'E\u0301te\u0301',
    'ΣΑΣ σας',
    'Straße',
    'STRASSE',
    'İstanbul',
    'ıI',
    'ﬁsh',
    '東京',
    '😀😀',
    'a_b%c',
    'A_B%C',
  ],
  ...[
    `O'Brien "q" \\`,
    'zz',
    'ZZ',
    'aA',
    'Aa',
    'é',
    'z\u0301z',
    '\ufeffbom',
    '\u00a0 x',
    'Ω\u2126',
    'ǅ ǆ',
    '1e3',
    '10',
    '9',
  ],
  ...['\u{10ffff}x', '\ud7ff\ue000', '{"a":1}', '[]', '"available":', ' lead', 'trail ', 'ſS', 'ﬀ', 'ى ي', 'नमस्ते'],
);
const texts = fc.oneof(
  oddTexts,
  fc.string({ unit: 'grapheme', minLength: 2, maxLength: 12 }),
  fc.string({ maxLength: 6 }),
);
const oddNumbers = fc.constantFrom(0, -0, 1e-7, 1e21, 1e300, 2 ** 53, 2 ** 53 + 2, -(2 ** 31), 2 ** 31, 0.1, 5e-324);
const anything = fc.oneof(
  oddNumbers,
  texts,
  fc.constant(null),
  fc.boolean(),
  fc.dictionary(fc.constantFrom('a', 'b', '1', '', 'é'), fc.oneof(texts, oddNumbers, fc.constant(null)), {
    maxKeys: 3,
  }),
);
const languages = fc.constantFrom('en', 'EN', 'fr', 'fr-CA', 'ar', 'es');
const translations = fc.dictionary(languages, fc.record({ name: texts }, { requiredKeys: [] }), { maxKeys: 2 });
const optional = { requiredKeys: [] } as { requiredKeys: [] };
/** Identifiers that there may be, or not. */
const ids = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom('interim_id_1', null, 2 ** 53, 2 ** 31));
const fields = fc.record(
  {
    id: ids,
    label: texts,
    type: fc.constantFrom('text', 'int', 'title', 'tags'),
    input: fc.constantFrom('text', 'number', 'tags'),
    default: fc.option(texts),
    config: fc.dictionary(fc.constantFrom('x', 'y', '10', '9'), anything, { maxKeys: 3 }),
    priority: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: ['label', 'type', 'input'] },
);
const tasks = fc.record(
  {
    id: ids,
    label: texts,
    priority: fc.integer({ min: 0, max: 3 }),
    task_is_internal_only: fc.boolean(),
    fields: fc.array(fields, { maxLength: 3 }),
  },
  { requiredKeys: ['label'] },
);
const surveyBodies = fc.record(
  {
    name: texts,
    description: fc.option(texts),
    base_language: languages,
    color: fc.constantFrom(null, '#aabbcc', 'AABBCC'),
    type: fc.constantFrom('', 'report', 'Éa'),
    disabled: fc.boolean(),
    require_approval: fc.boolean(),
    can_create: fc.array(texts, { maxLength: 2 }),
    translations,
    tasks: fc.array(tasks, { maxLength: 3 }),
  },
  optional,
);
const metadataBodies = fc.record({
  dataset_title: texts,
  source: texts,
  license_id: fc.integer({ min: 0, max: 10 }),
  organisation_id: fc.oneof(fc.constantFrom('red', 'RED', 'Réd', 'rÉd'), texts),
  organisation_name: texts,
  private: fc.boolean(),
});

// Requests.

interface Operation {
  method: string;
  /** A path and query; without one, the last link `next`, if there is one. */
  url?: string;
  /** Which of the surveys that there are, in place of `ID` in the path. */
  at: number;
  body?: unknown;
  as: 'admin' | 'manager' | 'user';
  headers: Record<string, string>;
}

const bigNumbers = fc.constantFrom(
  ...['0', '-1', '2147483647', '2147483648', '9007199254740993', '9223372036854775808', '1e3', '0x10', ' 7', ''],
);
const query = (record: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(record, optional).map((values) => new URLSearchParams(values as Record<string, string>).toString());
const orders = { order: fc.constantFrom('asc', 'desc', 'DESC') };
const pages = {
  limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), bigNumbers),
  offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 }), bigNumbers),
};
const members = [
  'id',
  'name',
  'description',
  'base_language',
  'color',
  'type',
  'disabled',
  'created',
  'updated',
  'hide_time',
];
const lists = query({
  ...orders,
  ...pages,
  orderby: fc.constantFrom(...members, 'nothing'),
  q: fc.oneof(texts, fc.constantFrom('é', 'σ', 'ς', 'S', 'i', 'ss', '%', '_', '\\', "'", '\0')),
  language: languages,
  base_language: languages,
  disabled: fc.boolean(),
  ids: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }).map(String),
  created_since: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:05:00+01:00', '2999-12-31T23:59:60Z'),
  updated_since: fc.constantFrom('2026-01-01T00:00:30Z', '2026-01-01T00:00:00-01:00'),
  only: fc.constantFrom('id', 'name', 'id,tasks', 'translations,disabled'),
});
const metadataLists = query({
  ...orders,
  ...pages,
  orderby: fc.constantFrom(
    'id',
    'dataset_title',
    'organisation_name',
    'private',
    'license_id',
    'updated',
    'source',
    'url',
  ),
  name: texts,
  organisation_id: fc.constantFrom('red', 'RÉD'),
  private: fc.boolean(),
  code: fc.constantFrom('CC-BY', 'cc-by', 'hdx-odc-by'),
  license_id: fc.oneof(fc.integer({ min: 1, max: 9 }), bigNumbers),
});
const tagLists = query({
  ...orders,
  ...pages,
  orderby: fc.constantFrom('id', 'tag_name', 'url'),
  tag_name: fc.constantFrom('#adm1', '#ADM1', 'é'),
  form_attribute_type: fc.oneof(fc.constantFrom('TEXT', 'decimal', '%', 'te_t', '\\'), texts),
  hxl_attribute: fc.constantFrom('code', 'CODE', 'É', 'co%'),
});
const licenseLists = query({
  ...orders,
  ...pages,
  orderby: fc.constantFrom('id', 'code', 'name'),
  name: texts,
  code: texts,
});
const organisationLists = query({ ...orders, ...pages, orderby: fc.constantFrom('id', 'name', 'metadata_count') });
const surveyPaths = fc.oneof(
  { arbitrary: fc.constant('/api/v5/surveys/ID'), weight: 5 },
  { arbitrary: bigNumbers.map((id) => `/api/v5/surveys/${encodeURIComponent(id)}`), weight: 1 },
);
const conditions = fc.oneof(
  { arbitrary: fc.constant({}), weight: 4 },
  { arbitrary: fc.constantFrom({ 'if-match': '*' }, { 'if-match': '"1-x"' }, { 'if-none-match': '*' }), weight: 1 },
);
const none = fc.constant({});

function request(
  method: string,
  url: fc.Arbitrary<string | undefined>,
  body: fc.Arbitrary<unknown> = fc.constant(undefined),
  headers: fc.Arbitrary<Record<string, string>> = none as fc.Arbitrary<Record<string, string>>,
): fc.Arbitrary<Operation> {
  const as = fc.constantFrom('admin' as const, 'admin' as const, 'manager' as const, 'user' as const);
  return fc.record({ method: fc.constant(method), url, at: fc.nat(9), body, as, headers }) as fc.Arbitrary<Operation>;
}

const under = (path: string, queries: fc.Arbitrary<string>) => queries.map((text) => `${path}?${text}`);
const conditional = conditions as fc.Arbitrary<Record<string, string>>;
const operations = fc.oneof(
  { arbitrary: request('POST', fc.constant('/api/v5/surveys'), surveyBodies), weight: 5 },
  { arbitrary: request('PUT', surveyPaths, surveyBodies, conditional), weight: 4 },
  { arbitrary: request('DELETE', surveyPaths, undefined, conditional), weight: 1 },
  { arbitrary: request('GET', surveyPaths, undefined, conditional), weight: 2 },
  { arbitrary: request('GET', under('/api/v5/surveys', lists)), weight: 6 },
  { arbitrary: request('GET', fc.constant(undefined)), weight: 3 },
  { arbitrary: request('POST', fc.constant('/api/v3/hxl/metadata'), metadataBodies), weight: 2 },
  { arbitrary: request('GET', under('/api/v3/hxl/metadata', metadataLists)), weight: 3 },
  { arbitrary: request('GET', under('/api/v3/hxl/tags', tagLists)), weight: 1 },
  { arbitrary: request('GET', under('/api/v3/hxl/licenses', licenseLists)), weight: 1 },
  { arbitrary: request('GET', under('/api/v3/hxl/organisations', organisationLists)), weight: 1 },
  {
    arbitrary: request(
      'GET',
      bigNumbers.map((id) => `/api/v3/users/${encodeURIComponent(id)}`),
    ),
    weight: 1,
  },
  { arbitrary: request('GET', fc.constantFrom('/api/v3/users/1', '/api/v3/users/3', '/api/v3/hxl')), weight: 1 },
);

/** What must be the same of a response: all but what is random in it. */
function comparable({ status, headers, text }: TestResponse) {
  const { 'x-request-id': _, date: __, etag, ...rest } = headers;
  const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
  // Tags that are made of the content change with the random parts of it.
  const tag = /^"\d+-/.test(String(etag)) ? etag : typeof etag;
  return { status, headers: { ...rest, etag: tag }, text: text.replaceAll(uuid, 'UUID') };
}

test('any sequence of requests gets the same responses from SQLite and from PostgreSQL', {
  timeout: 7_200_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operations, { minLength: 4, maxLength: 14 }), async (sequence) => {
      if (pair === undefined || runsOfPair === runsPerDatabase) pair = await freshPair();
      runsOfPair += 1;
      let surveys: number[] = [];
      let next: string | undefined;
      const both = async ({ method, url = next, at, body, as, headers }: Operation) => {
        if (url === undefined) return;
        const path = url.replace('ID', String(surveys[at % Math.max(1, surveys.length)] ?? 999_999));
        now += 1000;
        vi.setSystemTime(now);
        const [one, other] = await Promise.all(pair!.map((each) => each.send(method, path, body, { as, headers })));
        expect(comparable(other!), `${method} ${path}`).toEqual(comparable(one!));
        // With NUL, a database could find what the other one cannot.
        expect(one!.status, `${method} ${path}`).toBeLessThan(500);
        next = /<http:\/\/service\.test([^>]*)>; rel="next"/.exec(String(one!.headers.link))?.[1] ?? next;
        const created = method === 'POST' && one!.status === 201 ? one!.json.results?.[0].id : undefined;
        if (created !== undefined) surveys.push(created);
      };
      try {
        for (const operation of sequence) await both(operation);
      } finally {
        // The next sequence begins without surveys, and has lists as short as this one.
        for (const id of surveys)
          for (const each of pair) await each.send('DELETE', `/api/v5/surveys/${id}`, undefined, { as: 'admin' });
        surveys = [];
      }
    }),
    { numRuns: runs },
  );
});
