/** A digest of each column of a survey: they show when what is read is not what was written. */
import { crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';

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
];

/** How many surveys are in memory at once. */
const chunkSize = 20;

export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .alterTable('surveys')
    .addColumn('digests', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  for (let last = 0; ; ) {
    const rows = await db
      .selectFrom('surveys')
      .select(columns)
      .where('id', '>', last)
      .orderBy('id')
      .limit(chunkSize)
      .execute();
    if (rows.length === 0) return;
    for (const row of rows) {
      const digests = columns.map((column) => digestOf(row.id, row[column])).join('');
      await db.updateTable('surveys').set({ digests }).where('id', '=', row.id).execute();
    }
    last = rows.at(-1)!.id;
  }
}

function digestOf(id: number, value: string | number | null): string {
  const digest = value === null ? 0 : crc32(typeof value === 'number' ? `#${value}` : value, id) || 1;
  return digest.toString(16).padStart(8, '0');
}
