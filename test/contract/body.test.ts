/** The limits of all bodies: depth, length of names, and the size of what is said about them. */
import { expect, test } from 'vitest';
import { problems, testService } from '../support/service.ts';

const headers = { 'content-type': 'application/json' };

/** A function that sends text to be stored as a survey. */
async function surveys() {
  const { send } = await testService();
  return (body: string) => send('POST', '/api/v5/surveys', body, { headers });
}

test('a body may be nested 64 levels deep, and no deeper, wherever that is', async () => {
  const post = await surveys();
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect((await post(`{"name":"Deep","unknown":${deep(63)}}`)).status).toBe(201);
  for (const body of [`{"name":"Deep","unknown":${deep(64)}}`, deep(65), deep(9000), '['.repeat(500_000)]) {
    const response = await post(body);
    expect([response.status, problems(response)]).toEqual([422, ['too_deep ']]);
  }
  expect((await post(`{"tasks":${deep(9)}}`)).status).toBe(422);
});

test('the name of a member may have 1024 bytes, and no more', async () => {
  const post = await surveys();
  const named = (length: number) => `{"name":"Long","${'é'.repeat(length / 2)}":1}`;
  expect((await post(named(1024))).status).toBe(201);
  expect(problems(await post(named(1026)))).toEqual(['invalid_name ']);
});

test('a body may have 15,000 different names, and no more, and the same names as often as there is room', async () => {
  const post = await surveys();
  const named = (count: number) =>
    `{"name":"Wide","x":[${Array.from({ length: count }, (_, at) => `{"n${at}":0}`).join()}]}`;
  expect((await post(named(14_998))).status).toBe(201);
  expect(problems(await post(named(14_999)))).toEqual(['too_many_members ']);
  const repeated = `{"name":"Wide","x":[${Array(60_000).fill('{"same":0}').join()}]}`;
  expect((await post(repeated)).status).toBe(201);
  // Few names in many orders are as many hidden classes.
  const names = [...'abcdefghijklmnopqrstuvwxyz'];
  const permuted = names.flatMap((one) =>
    names.flatMap((two) => names.map((three) => `{"${one}":0,"${two}":0,"${three}":0}`)),
  );
  expect(problems(await post(`{"name":"Wide","x":[${permuted.join()}]}`))).toEqual(['too_many_members ']);
});

test('a limit of all bodies comes after parameters that do not fit', async () => {
  const { send } = await testService();
  const { status } = await send('PUT', '/api/v5/surveys/x', '['.repeat(100), { headers });
  expect(status).toBe(400);
});

test('a pointer that would be too long leads to the object around its place', async () => {
  const post = await surveys();
  const name = 'n'.repeat(400);
  const { json } = await post(`{"name":"Long","x":{"${name}":{"${name}":1e400}}}`);
  expect(json.errors).toMatchObject([{ code: 'too_large', source: { pointer: `/x/${name}` } }]);
  expect(json.errors[0].message.length).toBeLessThan(200);
});

test.each([
  ['escapes', Array.from({ length: 150 }, (_, at) => `"${'\\u0001'.repeat(160)}${at}":1e400`).join()],
  ['one long name', `"${'n'.repeat(80_000)}":{"b":1e400}`],
  ['many names in one another', `"x":${`{"${'n'.repeat(1000)}":`.repeat(60)}1e400${'}'.repeat(60)}`],
  ['languages', `"translations":{${Array.from({ length: 900 }, (_, at) => `"${'/'.repeat(900)}${at}":7`).join()}}`],
])('a refusal has at most 64 KiB: %s', async (_, members) => {
  const post = await surveys();
  const { status, text, json } = await post(`{"name":"Long",${members}}`);
  expect(status).toBe(422);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2 ** 16);
  expect(json.errors.length).toBeGreaterThan(0);
});
