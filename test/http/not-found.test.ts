/** Requests for which there is no route: an unknown path, and a method that a path lacks. */
import { expect, test } from 'vitest';
import { contractPaths, otherPaths } from '../support/paths.ts';
import { bodyLimit, jsonType, listeningService, refusal, type Sent } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { inject, send } = await listeningService();

test.each<[string, string, Sent, [number, ...string[]]]>([
  ['GET', '/nothing', {}, [404, 'not_found']],
  ['GET', '/api', {}, [404, 'not_found']],
  ['GET', '/API/v5/surveys', {}, [404, 'not_found']],
  ['GET', '/api/v5//surveys', {}, [404, 'not_found']],
  ['GET', `/nothing/${'x'.repeat(5000)}`, {}, [404, 'not_found']],
  ['POST', '/nothing', { as: null, body: '{', headers: { 'Content-Type': 'text/plain' } }, [404, 'not_found']],
  ['POST', '/nothing', { body: ' '.repeat(bodyLimit + 1), headers: { 'Content-Type': jsonType } }, [404, 'not_found']],
])('%s %.40s is not found', async (method, url, sent, expected) => {
  expect(refusal(await send(method, url, sent))).toEqual(expected);
});

const methods = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'QUERY',
  'LOCK',
  'M-SEARCH',
];

test.each([...contractPaths, ...otherPaths])(
  '%s takes only %j, and HEAD where it takes GET',
  async (path, declared) => {
    const allowed = new Set(declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
    for (const method of methods.filter((name) => !allowed.has(name))) {
      for (const url of [path, `${path}?limit=x`, ...(path === '/' ? [] : [`${path}/`])]) {
        const response = await inject(method, url, undefined, { as: null });
        expect({ method, url, status: response.status }).toEqual({ method, url, status: 405 });
        expect(refusal(response)).toEqual([405, 'method_not_allowed']);
        expect(new Set(String(response.headers.allow).split(', '))).toEqual(allowed);
      }
    }
  },
);

test('a wrong method is refused over a socket too, with a body and without', async () => {
  for (const method of ['OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'LOCK']) {
    for (const sent of [{}, { body: '{', headers: { 'Content-Type': jsonType } }]) {
      expect((await send(method, `${surveys}/1`, { as: null, ...sent })).headers.allow).toBe('GET, HEAD, PUT, DELETE');
      expect(refusal(await send(method, '/docs', sent))).toEqual([405, 'method_not_allowed']);
      expect(refusal(await send(method, '/nothing', sent))).toEqual([404, 'not_found']);
    }
  }
});
