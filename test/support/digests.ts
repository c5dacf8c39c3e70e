/** Surveys that tests store by themselves, with digests as the service stores them. */
import type { Database } from '../../src/database/database.ts';
import type { StoredSurvey, SurveyRow } from '../../src/database/tables.ts';
import { digestsOf } from '../../src/surveys/digests.ts';

/** The row with its digests, in place of any that it has. */
export function withDigests(row: Omit<StoredSurvey, 'digests'>): StoredSurvey {
  return { ...row, digests: digestsOf(row) };
}

/** Changes columns of a stored survey. */
export async function changeStored({ query }: Database, id: number, change: Partial<SurveyRow>): Promise<void> {
  const row = await query.selectFrom('surveys').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  await query
    .updateTable('surveys')
    .set(withDigests({ ...row, ...change }))
    .where('id', '=', id)
    .execute();
}
