/** Many who change one survey at once, in several server processes. */
import { expect, test } from 'vitest';
import { editTogether } from '../torture/edits.ts';

test('whoever reads, changes and writes back with If-Match loses nobody’s change, with two processes', async () => {
  const figures = await editTogether({ clients: 8, cycles: 10, workers: 2 });
  expect(figures).toMatchObject({ changes: 80, 'lost changes (0)': 0, 'other responses (0)': 0 });
  expect(figures.conflicts).toBeGreaterThan(0);
});
