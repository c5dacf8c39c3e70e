/** How often a request asks the database: docs/scaling.md has the numbers. */
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testService } from '../support/service.ts';

test.each([
  ['/api/v3/hxl/metadata', 2],
  ['/api/v3/hxl/organisations', 2],
  ['/api/v3/hxl/licenses', 2],
  ['/api/v5/surveys?limit=10', 2],
])('GET %s needs %i statements, that for the token included', async (url, count) => {
  const { send } = await testService();
  const sent = vi.spyOn(Client.prototype, 'query');
  onTestFinished(() => sent.mockRestore());
  expect((await send('GET', url)).status).toBe(200);
  expect(sent.mock.calls).toHaveLength(count);
});
