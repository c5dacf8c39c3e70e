/** What lists of surveys need: how many there are, in which languages they are, and indexes to sort and filter by. */
import { type Kysely, sql } from 'kysely';

/** How many surveys are in memory at once. */
const chunkSize = 1000;

export async function up(db: Kysely<any>): Promise<void> {
  // Not for the times: each change would write such an index, and the latest first it could not sort.
  for (const column of ['name', 'base_language'])
    await db.schema.createIndex(`surveys_${column}`).on('surveys').column(column).execute();

  await db.schema
    .createTable('survey_languages')
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('survey_id', 'integer', (column) => column.notNull().references('surveys.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('survey_languages_key', ['language', 'survey_id'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await db.schema.createIndex('survey_languages_survey_id').on('survey_languages').column('survey_id').execute();
  await fillLanguages(db);

  // To count a million surveys takes 15 ms; whoever writes one counts it.
  await db.schema
    .createTable('survey_counts')
    .addColumn('disabled', 'smallint', (column) => column.primaryKey())
    .addColumn('total', 'integer', (column) => column.notNull())
    .execute();
  for (const disabled of [0, 1])
    await sql`insert into survey_counts select ${disabled}, count(*) from surveys where disabled = ${disabled}`.execute(
      db,
    );
  const count = (change: string, row: string) =>
    sql.raw(`update survey_counts set total = total ${change} 1 where disabled = ${row}.disabled;`);
  await sql`create trigger surveys_inserted after insert on surveys begin ${count('+', 'new')} end`.execute(db);
  await sql`create trigger surveys_deleted after delete on surveys begin ${count('-', 'old')} end`.execute(db);
  await sql`create trigger surveys_disabled after update of disabled on surveys when old.disabled <> new.disabled
    begin ${count('-', 'old')} ${count('+', 'new')} end`.execute(db);
}

async function fillLanguages(db: Kysely<any>): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('surveys')
      .select(['id', 'enabled_languages'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(chunkSize)
      .execute();
    if (rows.length === 0) return;
    for (const { id, enabled_languages } of rows) {
      for (const language of new Set<string>(JSON.parse(enabled_languages).available))
        await db.insertInto('survey_languages').values({ language, survey_id: id }).execute();
    }
    last = rows.at(-1)!.id;
  }
}
