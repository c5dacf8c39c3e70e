/** Timestamps while the clock is set back. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { testService } from '../support/service.ts';

test('a survey is never updated before it was created, although the clock was set back', async () => {
  const { send } = await testService();
  const { json } = await send('POST', '/api/v5/surveys', { name: 'Made before' });
  const [{ id, created }] = json.results;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(created) - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const changed = await send('PUT', `/api/v5/surveys/${id}`, { name: 'Changed after' });
  expect(changed.json.results[0]).toMatchObject({ name: 'Changed after', created, updated: created });
});
