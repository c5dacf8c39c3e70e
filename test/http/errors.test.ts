/** Every error has the one shape of the contract, also when it is raised before a route is found, or is a fault. */
import { expect, test } from 'vitest';
import { loggedService } from '../support/logged-service.ts';
import { jsonType, listeningService, refusal, type Sent } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { send } = await listeningService();

test.each<[string, string, Sent, [number, ...string[]]]>([
  ['GET', `${surveys}/%ZZ`, {}, [400, 'malformed_url']],
  ['GET', `${surveys}?only=%ZZ`, {}, [400, 'malformed_url']],
  ['GET', `${surveys}?unknown=%C3%28`, {}, [400, 'malformed_url']],
  ['POST', `${surveys}/%`, { body: '{}', headers: { 'Content-Type': jsonType } }, [400, 'malformed_url']],
  ['GET', '/nothing/%C3%28', {}, [400, 'malformed_url']],
  ['GET', `${surveys}/${'1'.repeat(1025)}`, {}, [414, 'url_too_long']],
  ['GET', `${surveys}/${'1'.repeat(1000)}`, {}, [400, 'invalid_parameter id']],
])('%s %.40s is refused because of its path', async (method, url, sent, expected) => {
  expect(refusal(await send(method, url, sent))).toEqual(expected);
});

test('every error has a request id of its own', async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await send('GET', '/nothing')).json.request_id));
  expect(new Set(ids).size).toBe(3);
});

test('a fault is a 500 without detail, and is logged with its request id and operation', async () => {
  const { db, get, lines } = await loggedService();
  await db.query.schema.dropTable('hxl_tags').execute();
  const response = await get('/api/v3/hxl/tags');
  expect(refusal(response)).toEqual([500, 'internal_error']);
  expect(response.text).not.toMatch(/hxl_tags|no such table|does not exist/);
  const fault = lines().find(({ level }) => Number(level) >= 50);
  expect(fault).toMatchObject({
    operationId: 'listHxlTags',
    reqId: response.json.request_id,
    err: { message: expect.stringMatching(/no such table|does not exist/) },
  });
  expect(lines().find(({ msg }) => msg === 'responded')).toMatchObject({
    operationId: 'listHxlTags',
    reqId: response.json.request_id,
    status: 500,
    method: 'GET',
  });
  expect((await get('/api/v3/hxl/licenses')).status).toBe(200);
});

test('a fault while authenticating is a 500 too, not a 401', async () => {
  const { db, get } = await loggedService();
  await db.query.schema.dropTable('tokens').execute();
  expect(refusal(await get('/api/v3/hxl/tags'))).toEqual([500, 'internal_error']);
});

test('a service without its database is alive but not ready', async () => {
  const { db, get } = await loggedService();
  expect((await get('/health/ready')).json).toEqual({ status: 'ok' });
  await db.close();
  expect([(await get('/health/live')).status, refusal(await get('/health/ready'))]).toEqual([
    200,
    [503, 'service_unavailable'],
  ]);
});
