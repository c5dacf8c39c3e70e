/** Of two faults in one request, the one is refused that the documented order puts first. */
import { expect, test } from 'vitest';
import { problems, type TestResponse } from '../support/service.ts';
import { bodyLimit, jsonType, listeningService, refusal, type Sent } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { app, tokens, inject, send } = await listeningService();

interface Request extends Sent {
  method: string;
  url: string;
}
interface Fault {
  name: string;
  expected: [number, ...string[]];
  /** The part of the request that it changes: two faults of the same part cannot come together. */
  place: string;
  add: (request: Request) => void;
}
const inBody =
  (body: string): Fault['add'] =>
  (request) => {
    request.body = body + ' '.repeat(Math.max(0, (request.body?.length ?? 0) - body.length));
  };
const faults: Fault[] = [
  {
    name: 'an unknown path',
    expected: [404, 'not_found'],
    place: 'path',
    add: (request) => (request.url = request.url.replace('surveys', 'nothing')),
  },
  {
    name: 'a wrong method',
    expected: [405, 'method_not_allowed'],
    place: 'method',
    add: (request) => (request.method = 'PATCH'),
  },
  {
    name: 'no credentials',
    expected: [401, 'unauthorized authorization'],
    place: 'token',
    add: (request) => (request.as = null),
  },
  { name: 'no scope', expected: [403, 'insufficient_scope'], place: 'token', add: (request) => (request.as = 'user') },
  {
    name: 'a wrong media type',
    expected: [415, 'unsupported_media_type content-type'],
    place: 'type',
    add: (request) => (request.headers = { 'Content-Type': 'text/plain' }),
  },
  {
    name: 'a wrong charset',
    expected: [415, 'unsupported_media_type content-type'],
    place: 'type',
    add: (request) => (request.headers = { 'Content-Type': `${jsonType}; charset=latin1` }),
  },
  {
    name: 'a body too large',
    expected: [413, 'body_too_large'],
    place: 'size',
    add: (request) => (request.body = request.body!.toString().padEnd(bodyLimit + 1)),
  },
  { name: 'malformed JSON', expected: [400, 'malformed_json'], place: 'body', add: inBody('{"name":') },
  { name: 'an empty body', expected: [400, 'malformed_json'], place: 'body', add: inBody('') },
  {
    name: 'a bad id',
    expected: [400, 'invalid_parameter id'],
    place: 'id',
    add: (request) => (request.url = request.url.replace(/\d+$/, 'one')),
  },
  { name: 'a wrong body', expected: [422, 'invalid_type /name'], place: 'body', add: inBody('{"name":7}') },
  {
    name: 'a missing survey',
    expected: [404, 'not_found'],
    place: 'id',
    add: (request) => (request.url = request.url.replace(/\d+$/, '999999')),
  },
];
/** A right request with these faults added. */
const request = (...added: Fault[]): Request => {
  const sent: Request = {
    method: 'PUT',
    url: `${surveys}/1`,
    headers: { 'Content-Type': jsonType },
    body: '{"name":"Flood"}',
  };
  for (const { add } of added) add(sent);
  return sent;
};
const pairs = faults.flatMap((first, index) =>
  faults
    .slice(index + 1)
    .filter(({ place }) => place !== first.place)
    .map((second) => [first, second] as const),
);
await inject('POST', surveys, {});

test('the request without faults succeeds', async () => {
  const { method, url, ...rest } = request();
  expect((await send(method, url, rest)).status).toBe(200);
});

test.each(faults.map((fault) => [fault.name, fault] as const))(
  '%s alone is refused with its own code',
  async (_, fault) => {
    const { method, url, ...rest } = request(fault);
    expect(refusal(await send(method, url, rest))).toEqual(fault.expected);
  },
);

test.each(pairs.map(([first, second]) => [first.name, second.name, first, second] as const))(
  '%s is refused before %s',
  async (_, __, first, second) => {
    const { method, url, as = 'admin', headers, body } = request(first, second);
    expect(refusal(await send(method, url, { as, headers: headers!, body: body! }))).toEqual(first.expected);
    const injected = await app.inject({
      method: method as 'GET',
      url,
      payload: body!,
      headers: { ...headers, ...(as && { authorization: `Bearer ${tokens[as]}` }) } as Record<string, string>,
    });
    expect([injected.statusCode, ...problems({ json: injected.json() } as TestResponse)]).toEqual(first.expected);
  },
);

test('a body that is not sent at all is refused before a bad id', async () => {
  expect(refusal(await send('PUT', `${surveys}/one`))).toEqual([400, 'malformed_json']);
});

test('a bad query parameter and a bad id are reported together', async () => {
  expect(refusal(await send('GET', `${surveys}/one?only=%00`)).sort()).toEqual([
    400,
    'invalid_parameter id',
    'invalid_parameter only',
  ]);
});
