/** The examples of responses in the contract are what the service responds: each is asked for, in a database where it comes true. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import document from '../../src/generated/openapi.json' with { type: 'json' };
import { service, type TestResponse, testService } from '../support/service.ts';
import { dial, parse } from '../support/socket.ts';
import { storedService } from '../support/stored-service.ts';

/** Where the examples think that the service is. */
const origin = { PUBLIC_URL: 'http://localhost:3000' };
const surveys = '/api/v5/surveys';
const hxl = '/api/v3/hxl';

type Send = Awaited<ReturnType<typeof service>>['send'];
type Name = keyof typeof document.components.examples;
// Responses of every kind.
type Any = any;

const example = (name: Name): Any => document.components.examples[name].value;

const field = { label: 'Question', type: 'varchar', input: 'text' };
const withFields = (...fields: object[]) => ({ tasks: [{ label: 'Report', fields }] });
const strict = { prefer: 'handling=strict' };
const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) });

/** How to meet each refusal on an empty database. */
const refusals: Partial<Record<Name, (send: Send) => Promise<TestResponse>>> = {
  bodyTooLarge: (send) => send('POST', surveys, { name: 'x'.repeat(2 ** 20) }),
  deepConfig: (send) => send('POST', surveys, withFields(field, field, { ...field, config: nested(32) })),
  emptyBody: (send) => send('POST', surveys, '', { headers: { 'content-type': 'application/json' } }),
  foreignUser: (send) =>
    send('POST', `${hxl}/metadata`, { ...example('hxlMetadataInput'), user_id: 1 }, { as: 'manager' }),
  hxlLicenseNotFound: (send) => send('GET', `${hxl}/licenses/99`),
  hxlMetadataNotFound: (send) => send('GET', `${hxl}/metadata/5`),
  hxlTagNotFound: (send) => send('GET', `${hxl}/tags/99`),
  insufficientHxlScope: (send) => send('POST', `${hxl}/metadata`, {}, { as: 'user' }),
  insufficientScope: (send) => send('POST', surveys, {}, { as: 'user' }),
  invalidHxlMetadata: (send) => {
    const { dataset_title: _, ...rest } = example('hxlMetadataInput');
    return send('POST', `${hxl}/metadata`, { ...rest, private: 'no' });
  },
  invalidIdentifier: (send) => send('GET', `${surveys}/x`),
  invalidParameter: (send) => send('GET', `${surveys}?limit=1001`),
  invalidSurvey: (send) => {
    const { label: _, ...unlabelled } = field;
    return send('POST', surveys, {
      name: 'F',
      color: 'blue',
      ...withFields(field, field, field, unlabelled, field, { ...field, type: 'text/plain' }),
    });
  },
  malformedJson: (send) => send('POST', surveys, '{"name":', { headers: { 'content-type': 'application/json' } }),
  privateTags: (send) =>
    send('POST', surveys, withFields(field, field, field, field, { ...field, type: 'tags', response_private: true })),
  repeatedParameter: (send) => send('GET', `${surveys}?orderby=id&orderby=name`),
  surveyNotFound: (send) => send('GET', `${surveys}/17`),
  uriTooLong: (send) => send('GET', `${surveys}/${'1'.repeat(1025)}`),
  twoTitles: (send) => {
    const title = { ...field, type: 'title' };
    return send('POST', surveys, {
      tasks: [
        { label: 'Report', fields: [title] },
        { label: 'Verification', fields: [title] },
      ],
    });
  },
  unauthorized: (send) => send('GET', surveys, undefined, { as: null }),
  unknownLicense: (send) => send('POST', `${hxl}/metadata`, { ...example('hxlMetadataInput'), license_id: 99 }),
  unsupportedMediaType: (send) =>
    send('POST', surveys, 'name=Report', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  unknownMembers: (send) =>
    send(
      'POST',
      surveys,
      { descripton: 'After the flood', tasks: [{ label: 'Report', heading: 'Report' }] },
      { headers: strict },
    ),
  unknownMetadataMember: (send) =>
    send('POST', `${hxl}/metadata`, { ...example('hxlMetadataInput'), userid: 2 }, { headers: strict }),
  unknownParameter: (send) => send('GET', `${surveys}?limt=5`, undefined, { headers: strict }),
  userNotFound: (send) => send('GET', '/api/v3/users/99'),
};

/** Names of examples that came true. */
const told = new Set<string>();

/** Everything that is told of a refusal but the number of the request. */
function expectRefusal({ status, json }: TestResponse, name: Name): void {
  const { errors } = example(name);
  expect(json.errors).toEqual(errors);
  expect(errors.map((error: Any) => error.status)).toEqual(errors.map(() => status));
  told.add(name);
}

/** All of a body, but for what is new each time: of keys and times only whether they are there. */
function expectExample({ json }: TestResponse, name: Name): void {
  const masked = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (key, member) =>
      ['key', 'created', 'updated'].includes(key) && typeof member === 'string' ? `some ${key}` : member,
    );
  expect(masked(json)).toEqual(masked(example(name)));
  told.add(name);
}

/** The header is as its example has it, which the linter does not look at. */
function expectHeader({ headers }: TestResponse, header: string, name: keyof typeof document.components.headers): void {
  expect(headers[header]).toBe(document.components.headers[name].example);
  told.add(name);
}

describe('a refusal', () => {
  let running: Awaited<ReturnType<typeof service>>;
  beforeAll(async () => void (running = await service()));
  afterAll(() => running.close());

  test.for(Object.entries(refusals))('%s', async ([name, ask]) => expectRefusal(await ask(running.send), name as Name));

  test('invalidReferences', async () => {
    const { send } = await testService();
    const fields = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => ({ ...field, label: `Field ${from + at}` }));
    await send('POST', surveys, withFields(...fields(1, 88)));
    await send('POST', surveys, withFields(...fields(89, 203)));
    const [sent, foreign] = [203, 88].map((id) => ({ ...field, id }));
    expectRefusal(
      await send('PUT', `${surveys}/2`, {
        tasks: [
          { id: 4711, label: 'Report' },
          { label: 'Verification', fields: [foreign, sent, sent] },
        ],
      }),
      'invalidReferences',
    );
  });

  test('internalError', async () => {
    const { send, db } = await testService();
    await sql`drop table hxl_tags`.execute(db.query);
    expectRefusal(await send('GET', `${hxl}/tags/1`), 'internalError');
  });

  test('how a compressed body is refused', async () => {
    const response = await running.send('POST', surveys, {}, { headers: { 'content-encoding': 'gzip' } });
    expect(response.status).toBe(415);
    expectHeader(response, 'accept-encoding', 'AcceptEncoding');
  });

  test('how a body of another type is refused', async () => {
    expectHeader(await refusals.unsupportedMediaType!(running.send), 'accept', 'Accept');
  });

  test('how strict handling is confirmed', async () => {
    expectHeader(
      await running.send('GET', hxl, undefined, { headers: strict }),
      'preference-applied',
      'PreferenceApplied',
    );
  });

  test('malformedHost', async () => {
    expectRefusal(await running.send('GET', hxl, undefined, { headers: { host: ' ' } }), 'malformedHost');
  });

  test('of what is no whole request', async () => {
    // Nothing is to be compiled while it listens.
    const { app } = await testService({ NODE_ENV: 'development' });
    // Node.js takes these when it begins to listen.
    Object.assign(app.server, { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    for (const [text, name] of [
      [`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'headersTooLarge'],
      ['GET / HTTP/1.1\r\n', 'requestTimeout'],
    ] as const) {
      const { socket, received } = await dial(port);
      socket.write(text);
      await once(socket, 'close');
      expectRefusal(parse(received()), name);
    }
  });

  test('contentCorrupt', async () => {
    const { send, db } = await testService();
    await send('POST', surveys, {});
    await sql`update surveys set name = 'Another'`.execute(db.query);
    expectRefusal(await send('GET', `${surveys}/1`), 'contentCorrupt');
  });

  test('of a change whose condition does not hold', async () => {
    const { send } = await testService();
    await send('POST', surveys, {});
    const response = await send('PUT', `${surveys}/1`, {}, { headers: { 'if-match': '"0-none"' } });
    expectRefusal(response, 'preconditionFailed');
    expectHeader(response, 'etag', 'ETag');
  });

  test('preconditionRequired', async () => {
    const { send } = await testService({ REQUIRE_IF_MATCH: 'true' });
    expectRefusal(await send('PUT', `${surveys}/1`, {}), 'preconditionRequired');
  });

  test('storageFull', async () => {
    const { send, db } = await testService();
    await db.transaction(async (trx) => void (await sql`pragma max_page_count = 1`.execute(trx.query)));
    expectRefusal(await send('POST', surveys, { description: 'x'.repeat(60_000) }), 'storageFull');
  });

  test('serviceUnavailable', async () => {
    const { path, send } = await storedService();
    rmSync(path);
    const response = await send('POST', surveys, {});
    expectRefusal(response, 'serviceUnavailable');
    expectHeader(response, 'retry-after', 'RetryAfter');
  });

  test('with a challenge', async () => {
    expectHeader(await refusals.unauthorized!(running.send), 'www-authenticate', 'WwwAuthenticate');
    expectHeader(await refusals.insufficientScope!(running.send), 'www-authenticate', 'WwwAuthenticateScope');
  });

  test('of the introduction', async () => {
    const [, written] = /```json\n(\{\n.*?"errors".*?)```/s.exec(document.info.description)!;
    const { send } = await testService();
    expect((await send('POST', surveys, { name: 'P' })).json.errors).toEqual(JSON.parse(written!).errors);
  });
});

/** Requests of a manager, which must succeed. */
function asker(send: Send) {
  return async (method: string, url: string, body?: unknown, as: 'admin' | 'manager' | 'user' = 'manager') => {
    const response = await send(method, url, body, { as });
    expect(response.json.errors, `${method} ${url}`).toBe(undefined);
    return response;
  };
}

const likeHttpDate = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/;

test('the examples of surveys are one story', async () => {
  const { send } = await testService(origin);
  const ask = asker(send);
  /** Uses up identifiers, which are never given again, so that the examples get those that they name. */
  const spend = async (count: number, body: object = {}) => {
    for (let spent = 0; spent < count; spent++) {
      const { json } = await ask('POST', surveys, body);
      await ask('DELETE', `${surveys}/${json.results[0].id}`);
    }
  };
  await spend(1, {
    tasks: Array.from({ length: 40 }, (_, at) => ({ label: 'Task', fields: Array(at === 0 ? 6 : 5).fill(field) })),
  });
  await spend(15);

  const created = await ask('POST', surveys, example('floodAssessmentInput'));
  expectExample(created, 'floodAssessment');
  expectHeader(created, 'location', 'SurveyLocation');
  expectHeader(created, 'etag', 'ETag');
  expect(created.headers['last-modified']).toMatch(likeHttpDate);
  expect(document.components.headers.LastModified.example).toMatch(likeHttpDate);
  told.add('LastModified');
  expectExample(await ask('GET', `${surveys}/17`), 'floodAssessment');
  expectExample(await ask('GET', surveys), 'floodAssessment');
  expectExample(await ask('GET', `${surveys}/17?only=name&hydrate=translations`), 'selectedRelation');
  expectExample(await ask('PUT', `${surveys}/17`, example('renameInput')), 'renamedFloodAssessment');

  const { name, description } = example('floodAssessmentInput');
  await ask('PUT', `${surveys}/17`, { name, description });
  await ask('POST', surveys, example('waterPointInput'));
  expectExample(await ask('GET', `${surveys}?hydrate=`, undefined, 'user'), 'surveysWithoutRelations');
  await spend(2);
  await ask('POST', surveys, { name: 'تقييم احتياجات المأوى' });
  await ask('PUT', `${surveys}/21`, { color: '1D4ED8' });
  expectExample(await ask('GET', `${surveys}?only=id,name,updated`), 'selectedMembers');
  expectExample(await ask('DELETE', `${surveys}/17`), 'surveyDeletion');
});

test('the examples of HXL metadata are one story', async () => {
  const { send, db } = await testService(origin);
  const ask = asker(send);
  const create = async (count: number, as: 'admin' | 'manager', input: object) => {
    for (let created = 0; created < count; created++) await ask('POST', `${hxl}/metadata`, input, as);
  };
  const [open, secret] = [example('hxlMetadataInput'), example('privateHxlMetadataInput')];
  await create(4, 'admin', secret);
  const created = await ask('POST', `${hxl}/metadata`, open);
  expectExample(created, 'hxlMetadata');
  expectHeader(created, 'location', 'HxlMetadataLocation');
  expectExample(await ask('GET', `${hxl}/metadata/5`), 'hxlMetadata');
  await create(1, 'manager', secret);
  await create(10, 'admin', open);
  expectExample(await ask('GET', `${hxl}/metadata?limit=2`), 'hxlMetadataPage');
  await sql`update users set name = 'amina' where name = 'manager'`.execute(db.query);
  expectExample(await ask('GET', '/api/v3/users/2'), 'user');
});

test('the example of organisations is a story', async () => {
  const { send } = await testService(origin);
  const ask = asker(send);
  for (const name of ['hxlMetadataInput', 'hxlMetadataInput', 'privateHxlMetadataInput', 'hxlMetadataInput'] as const) {
    await ask('POST', `${hxl}/metadata`, example(name));
  }
  expectExample(await ask('GET', `${hxl}/organisations`), 'hxlOrganisationPage');
});

test('the examples of reference data are facts', async () => {
  const { send } = await testService(origin);
  const ask = asker(send);
  expectExample(await ask('GET', `${hxl}/licenses/1`), 'hxlLicense');
  expectExample(await ask('GET', `${hxl}/licenses/4`), 'hxlLicenseWithoutLink');
  const licenses = await ask('GET', `${hxl}/licenses?limit=2`);
  expectExample(licenses, 'hxlLicensePage');
  expectHeader(licenses, 'link', 'PageLinks');
  expectHeader(licenses, 'x-total-count', 'TotalCount');
  expectExample(await ask('GET', `${hxl}/licenses?code=CC-BY`), 'hxlLicensePageByCode');
  const names = await ask('GET', hxl);
  expectExample(names, 'hxlTagNames');
  expectHeader(names, 'etag', 'ListETag');
  // These say that they are shortened.
  for (const [url, name] of [
    [`${hxl}/tags/1`, 'hxlTag'],
    [`${hxl}/tags?limit=2`, 'hxlTagPage'],
  ] as const) {
    expect((await ask('GET', url)).json).toMatchObject(example(name));
    told.add(name);
  }
});

/** What to write for an example that no test asks for yet. */
function whatToAdd(name: string): string {
  const here = `test/contract/examples.test.ts: nothing asks for ${name}.`;
  if (name in document.components.headers)
    return `${here} Add to a test: expectHeader(await send(METHOD, URL), 'header-name', '${name}');`;
  const { value } = document.components.examples[name as Name] as Any;
  return value?.errors
    ? `${here} Add to \`refusals\`: ${name}: (send) => send(METHOD, URL, BODY), which makes the service refuse in this way.`
    : `${here} Add to a test: expectExample(await send(METHOD, URL), '${name}');`;
}

test('no example of a response is left out', () => {
  // What clients send is sent by the conformance suite.
  const responses = [
    ...Object.keys(document.components.headers),
    ...Object.keys(document.components.examples).filter((name) => !name.endsWith('Input')),
  ];
  const missing = responses.filter((name) => !told.has(name));
  expect(missing, missing.map(whatToAdd).join('\n')).toEqual([]);
});
