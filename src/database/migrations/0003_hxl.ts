/** The HXL reference data, and the metadata records that clients add. */
import { readFileSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../kind.ts';

interface Reference {
  licenses: { code: string; name: string; link: string }[];
  /** Indexed by name; an attribute means the same wherever it appears. */
  attributes: Record<string, string>;
  tags: { tag_name: string; form_attribute_types: string[]; attributes: string[] }[];
}

export async function up(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('hxl_licenses')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('code', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('link', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('hxl_tags')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('tag_name', 'text', (column) => column.notNull().unique())
    .addColumn('hxl_attributes', 'text', (column) => column.notNull())
    .addColumn('form_attribute_types', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('hxl_metadata')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (column) => column.notNull().references('users.id'))
    .addColumn('private', 'smallint', (column) => column.notNull())
    .addColumn('dataset_title', 'text', (column) => column.notNull())
    .addColumn('license_id', 'integer', (column) => column.notNull().references('hxl_licenses.id'))
    .addColumn('organisation_id', 'text', (column) => column.notNull())
    .addColumn('organisation_name', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('updated', 'text')
    .addColumn('dataset_title_key', 'text', (column) => column.notNull())
    .addColumn('organisation_key', 'text', (column) => column.notNull())
    .execute();
  for (const column of ['user_id', 'license_id', 'dataset_title_key', 'organisation_key']) {
    await db.schema.createIndex(`hxl_metadata_${column}`).on('hxl_metadata').column(column).execute();
  }

  const file = new URL('0003_hxl_reference.json', import.meta.url);
  const { licenses, attributes, tags } = JSON.parse(readFileSync(file, 'utf8')) as Reference;
  await db
    .insertInto('hxl_licenses')
    .values(licenses.map((license, index) => ({ id: index + 1, ...license })))
    .execute();
  let attributeId = 0;
  await db
    .insertInto('hxl_tags')
    .values(
      tags.map((tag, index) => ({
        id: index + 1,
        tag_name: tag.tag_name,
        hxl_attributes: JSON.stringify(
          Object.fromEntries(
            tag.attributes.map((attribute) => {
              attributeId += 1;
              return [
                attributeId,
                { hxl_tag_id: index + 1, id: attributeId, attribute, description: attributes[attribute] },
              ];
            }),
          ),
        ),
        form_attribute_types: JSON.stringify(tag.form_attribute_types.map((type) => ({ form_attribute_type: type }))),
      })),
    )
    .execute();
  // SQLite does that by itself.
  if (isPostgres(db))
    for (const table of ['hxl_licenses', 'hxl_tags'])
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), (select max(id) from ${sql.table(table)}))`.execute(
        db,
      );
}
