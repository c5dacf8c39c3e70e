/** The languages of surveys as a table of their own, so that surveys can be found by them: the SQL about it. */
import type { Db } from '../database/database.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import { Memo } from './memo.ts';
import type { DefinitionRow } from './record.ts';

type Row = Pick<DefinitionRow, 'enabled_languages'>;

/** How many languages are inserted by one statement: most surveys have fewer. */
const chunkSize = 16;

/** Stores the languages of a survey. `previous` is what the survey was before, if it was there. */
export async function storeLanguages(trx: Db, id: number, current: Row, previous?: Row): Promise<void> {
  if (current.enabled_languages === previous?.enabled_languages) return;
  if (previous !== undefined) await trx.query.deleteFrom('survey_languages').where('survey_id', '=', id).execute();
  const languages = languagesIn(current);
  for (let start = 0; start < languages.length; start += chunkSize) {
    const chunk = languages.slice(start, start + chunkSize);
    await trx.rows(insertMany(chunk.length), { ...chunk, survey: id });
  }
}

function languagesIn({ enabled_languages }: Row): string[] {
  return [...new Set((JSON.parse(enabled_languages) as { available: string[] }).available)];
}

/** The survey, and at each place a language: `0`, `1`, … */
type Languages = Record<number, string> & { survey: number };

/** The query that inserts so many languages. */
function insertMany(count: number): PreparedQuery<Languages, unknown> {
  return insertQueries.get(`${count}`, () => {
    const places = Array.from({ length: count }, (_, at) => at);
    return prepared((query, value: Languages) =>
      query
        .insertInto('survey_languages')
        .values(places.map((place) => ({ language: value[place]!, survey_id: value.survey }))),
    );
  });
}

const insertQueries = new Memo<PreparedQuery<Languages, unknown>>(chunkSize);
