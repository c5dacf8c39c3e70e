/** One line is logged for each request. */
import { expect, test } from 'vitest';
import { loggedService } from '../support/logged-service.ts';

const surveys = '/api/v5/surveys';

test('a refused request is logged with the id that its response has', async () => {
  const { get, lines } = await loggedService();
  for (const url of ['/nothing', `${surveys}/one`, `${surveys}/%ZZ`]) {
    const { json } = await get(url);
    expect({ url, logged: lines().some(({ reqId }) => reqId === json.request_id) }).toEqual({ url, logged: true });
  }
});
