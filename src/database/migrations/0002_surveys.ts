/** Surveys, and the identifiers of their tasks and fields. */
import type { CreateTableBuilder, Kysely } from 'kysely';

export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('surveys')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('base_language', 'text', (column) => column.notNull())
    .addColumn('color', 'text')
    .addColumn('type', 'text', (column) => column.notNull())
    .$call(flags('require_approval', 'everyone_can_create', 'disabled'))
    .$call(flags('hide_author', 'hide_time', 'hide_location', 'targeted_survey'))
    .addColumn('can_create', 'text', (column) => column.notNull())
    .addColumn('translations', 'text', (column) => column.notNull())
    .addColumn('listed_languages', 'text', (column) => column.notNull())
    .addColumn('enabled_languages', 'text', (column) => column.notNull())
    .addColumn('tasks', 'text', (column) => column.notNull())
    .addColumn('published_tasks', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text')
    .execute();
  for (const part of ['tasks', 'fields']) {
    await db.schema
      .createTable(part)
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('survey_id', 'integer', (column) => column.notNull().references('surveys.id').onDelete('cascade'))
      .execute();
    await db.schema.createIndex(`${part}_survey_id`).on(part).column('survey_id').execute();
  }
}

function flags(...names: string[]) {
  return <T extends CreateTableBuilder<any, any>>(table: T): T =>
    names.reduce<T>((built, name) => built.addColumn(name, 'smallint', (column) => column.notNull()) as T, table);
}
