/** What lists of surveys need: how many there are, in which languages they are, and indexes to sort and filter by. */
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../kind.ts';

/** How many surveys are in memory at once. */
const chunkSize = 1000;

export async function up(db: Kysely<any>): Promise<void> {
  // Not for the times: each change would write such an index, and the latest first it could not sort.
  for (const column of ['name', 'base_language'])
    await db.schema.createIndex(`surveys_${column}`).on('surveys').column(column).execute();
  if (isPostgres(db)) return countInShards(db);

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

/** How many rows the counts are spread over. */
const shards = 64;

/**
 * There is no hot row: whoever changes a row of counts makes all others wait for the end of the transaction who would
 * change it too. So sessions, which are numbered one after the other, have rows of their own, and the counts are the sums.
 */
async function countInShards(db: Kysely<any>): Promise<void> {
  await sql`create table survey_count_shards (shard integer primary key, shown bigint not null, disabled bigint not null)
    with (fillfactor = 50)`.execute(db);
  await sql`insert into survey_count_shards select shard, 0, 0 from generate_series(0, ${sql.lit(shards - 1)}) shard`.execute(
    db,
  );
  await sql`create view survey_counts as
    select 0::smallint as disabled, coalesce(sum(shown), 0)::bigint as total from survey_count_shards
    union all select 1::smallint, coalesce(sum(disabled), 0)::bigint from survey_count_shards`.execute(db);
  // One row holds both numbers, so that a transaction changes one row, and never waits in a circle. All rows of a statement
  // are counted at once: in one transaction, each change of a row takes longer than the one before.
  await sql`create function count_surveys() returns trigger language plpgsql as ${sql.lit(`
    declare
      of_shown bigint := 0;
      of_disabled bigint := 0;
    begin
      case tg_op
        when 'INSERT' then
          select coalesce(sum(1 - disabled), 0), coalesce(sum(disabled), 0) into of_shown, of_disabled from changed;
        when 'DELETE' then
          select -coalesce(sum(1 - disabled), 0), -coalesce(sum(disabled), 0) into of_shown, of_disabled from changed;
        else
          of_shown := old.disabled - new.disabled;
          of_disabled := new.disabled - old.disabled;
      end case;
      if of_shown <> 0 or of_disabled <> 0 then
        update survey_count_shards set shown = shown + of_shown, disabled = survey_count_shards.disabled + of_disabled
          where shard = pg_backend_pid() % ${shards};
      end if;
      return null;
    end`)}`.execute(db);
  await sql`create trigger surveys_inserted after insert on surveys referencing new table as changed
    for each statement execute function count_surveys()`.execute(db);
  await sql`create trigger surveys_deleted after delete on surveys referencing old table as changed
    for each statement execute function count_surveys()`.execute(db);
  await sql`create trigger surveys_disabled after update of disabled on surveys
    for each row when (old.disabled <> new.disabled) execute function count_surveys()`.execute(db);
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
