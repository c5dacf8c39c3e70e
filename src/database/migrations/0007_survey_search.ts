/** Lists of surveys read one narrow index instead of the surveys: it has all that they filter and sort by. */
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../kind.ts';

/** How many surveys are in memory at once. */
const chunkSize = 1000;

export async function up(db: Kysely<any>): Promise<void> {
  // They cost each write more than the narrow index, which serves for all filters together.
  if (!isPostgres(db)) await db.schema.dropTable('survey_languages').execute();
  await db.schema.dropIndex('surveys_base_language').execute();

  await db.schema
    .alterTable('surveys')
    .addColumn('search_text', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await fillSearchText(db);
  // With all that a list by name looks at: the order of surveys of one name, and whether a survey is shown.
  await db.schema.dropIndex('surveys_name').execute();
  await db.schema.createIndex('surveys_name').on('surveys').columns(['name', 'id', 'disabled']).execute();
  // PostgreSQL has no room in an index for the names of a survey in many languages. It reads the rows, which are short:
  // long texts are apart.
  if (isPostgres(db)) return;
  // The identifier comes first, so that the index is in the usual order of a list.
  await sql`create index surveys_list on surveys (id, disabled, base_language, enabled_languages, created, updated,
    name, type, color, require_approval, everyone_can_create, hide_author, hide_time, hide_location, targeted_survey,
    search_text)`.execute(db);
}

async function fillSearchText(db: Kysely<any>): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('surveys')
      .select(['id', 'name', 'translations'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(chunkSize)
      .execute();
    if (rows.length === 0) return;
    for (const { id, name, translations } of rows)
      await db
        .updateTable('surveys')
        .set({ search_text: searchText(name, JSON.parse(translations)) })
        .where('id', '=', id)
        .execute();
    last = rows.at(-1)!.id;
  }
}

function searchText(name: string, translations: Record<string, { name?: unknown } | string>): string {
  const translated = Object.values(translations).map((texts) => (typeof texts === 'object' ? texts.name : undefined));
  return [name, ...translated]
    .filter((text) => typeof text === 'string')
    .map((text) => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ'))
    .join('\n');
}
