/** A digest of each column of a survey, which shows when what is read is not what was written; and revisions. */
import { crc32 } from 'node:zlib';
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import { isPostgres } from '../kind.ts';

/** In the order of the digests: eight hexadecimal digits each. */
const columns = [
  'id',
  'name',
  'description',
  'base_language',
  'color',
  'type',
  'require_approval',
  'everyone_can_create',
  'disabled',
  'hide_author',
  'hide_time',
  'hide_location',
  'targeted_survey',
  'can_create',
  'created',
  'updated',
  'translations',
  'enabled_languages',
  'tasks',
  'listed_languages',
  'published_tasks',
  'revision',
];

/** How many surveys are in memory at once. */
const chunkSize = 20;

/**
 * The table is made anew, because SQLite reads a row from its beginning: whatever stands behind the tasks is reached
 * through all of their pages. So the digests and the times, which are read with any member, come before.
 */
export async function up(db: Kysely<any>): Promise<void> {
  if (isPostgres(db)) return addColumns(db);
  await db.schema
    .createTable('surveys_with_digests')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('digests', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('base_language', 'text', (column) => column.notNull())
    .addColumn('color', 'text')
    .addColumn('type', 'text', (column) => column.notNull())
    .$call(flags('require_approval', 'everyone_can_create', 'disabled'))
    .$call(flags('hide_author', 'hide_time', 'hide_location', 'targeted_survey'))
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text')
    .addColumn('can_create', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('listed_languages', 'text', (column) => column.notNull())
    .addColumn('enabled_languages', 'text', (column) => column.notNull())
    .addColumn('translations', 'text', (column) => column.notNull())
    .addColumn('tasks', 'text', (column) => column.notNull())
    .addColumn('published_tasks', 'text')
    .execute();
  await copy(db);
  // What identifiers were given out is remembered, those of deleted surveys included.
  await sql`delete from sqlite_sequence where name = 'surveys_with_digests'`.execute(db);
  await sql`update sqlite_sequence set name = 'surveys_with_digests' where name = 'surveys'`.execute(db);
  await db.schema.dropTable('surveys').execute();
  await db.schema.alterTable('surveys_with_digests').renameTo('surveys').execute();
}

/** PostgreSQL keeps long texts apart from their rows, and there are no rows yet. */
async function addColumns(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('surveys')
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('digests', 'text', (column) => column.notNull())
    .execute();
}

async function copy(db: Kysely<any>): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('surveys')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(chunkSize)
      .execute();
    if (rows.length === 0) return;
    for (const survey of rows) {
      const row: Record<string, any> = { ...survey, revision: 1 };
      const digests = columns.map((column) => digestOf(row.id, row[column])).join('');
      await db
        .insertInto('surveys_with_digests')
        .values({ ...row, digests })
        .execute();
    }
    last = rows.at(-1)!.id;
  }
}

function flags(...names: string[]) {
  return <T extends CreateTableBuilder<any, any>>(table: T): T =>
    names.reduce<T>((built, name) => built.addColumn(name, 'smallint', (column) => column.notNull()) as T, table);
}

function digestOf(id: number, value: string | number | null): string {
  const digest = value === null ? 0 : crc32(typeof value === 'number' ? `#${value}` : value, id) || 1;
  return digest.toString(16).padStart(8, '0');
}
