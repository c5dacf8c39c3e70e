/** The log of the server process. */
import { test } from 'vitest';
import { bearer, create, freshPath, processPoll, processTest, running } from '../support/server-process.ts';

test(
  'the log has a JSON line for each request with its id and operation, and no token and no body',
  processTest,
  async (context) => {
    const { server, url, token } = await running(context, freshPath(), { LOG_LEVEL: 'trace' });
    const made = await create(url, token, { name: 'Confidential survey', description: 'known only to us' });
    context.expect(made.status).toBe(201);
    const wrong = await create(url, token, { name: 7, description: 'known only to us' });
    const unauthorized = await create(url, 'shx_unknownunknownunknown', { name: 'Confidential survey' });
    const refusals = [
      [await wrong.json(), 'createSurvey', 422],
      [await unauthorized.json(), 'createSurvey', 401],
      [await (await fetch(`${url}/nothing`)).json(), undefined, 404],
    ];
    await fetch(`${url}/api/v5/surveys`, { headers: bearer(token) });
    await context.expect.poll(() => server.stdout(), processPoll).toContain('"listSurveys"');
    const lines = server.lines();
    for (const line of lines)
      context.expect(line).toMatchObject({ level: context.expect.any(Number), time: context.expect.any(Number) });
    const responded = lines.filter(({ msg }) => msg === 'responded');
    for (const line of responded)
      context.expect(line).toMatchObject({
        reqId: context.expect.stringMatching(/./),
        method: context.expect.any(String),
        url: context.expect.any(String),
      });
    context
      .expect(responded.find(({ status }) => status === 201))
      .toMatchObject({ operationId: 'createSurvey', method: 'POST', url: '/api/v5/surveys' });
    for (const [{ request_id }, operationId, status] of refusals as [any, string | undefined, number][]) {
      const line = responded.find(({ reqId }) => reqId === request_id);
      context.expect([line?.status, line?.operationId]).toEqual([status, operationId]);
    }
    await server.stop();
    const all = server.stdout();
    for (const secret of [token, token.slice(4), 'shx_', 'Bearer', 'Confidential', 'known only'])
      context.expect([secret, all.includes(secret)]).toEqual([secret, false]);
    context.expect(() => server.lines()).not.toThrow();
  },
);
