/** The languages of surveys as a table of their own, so that surveys can be found by them: the SQL about it. */
import type { Db } from '../database/database.ts';
import type { DefinitionRow } from './record.ts';

/** How many rows are inserted by one statement: SQLite takes 32766 values. */
const chunkSize = 1000;

/** Stores the languages of a survey. `previous` is what the survey was before, if it was there. */
export async function storeLanguages(
  trx: Db,
  id: number,
  { enabled_languages: current }: Pick<DefinitionRow, 'enabled_languages'>,
  previous?: Pick<DefinitionRow, 'enabled_languages'>,
): Promise<void> {
  if (current === previous?.enabled_languages) return;
  if (previous !== undefined) await trx.query.deleteFrom('survey_languages').where('survey_id', '=', id).execute();
  const rows = languagesIn(current).map((language) => ({ language, survey_id: id }));
  for (let start = 0; start < rows.length; start += chunkSize)
    await trx.query
      .insertInto('survey_languages')
      .values(rows.slice(start, start + chunkSize))
      .execute();
}

function languagesIn(enabledLanguages: string): string[] {
  return [...new Set((JSON.parse(enabledLanguages) as { available: string[] }).available)];
}
