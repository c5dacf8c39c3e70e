/** The index that organisations are grouped by also says who may see a record, so that no record has to be read. */
import type { Kysely } from 'kysely';

const name = 'hxl_metadata_organisation_key';

export async function up(db: Kysely<any>): Promise<void> {
  await db.schema.dropIndex(name).execute();
  await db.schema.createIndex(name).on('hxl_metadata').columns(['organisation_key', 'private', 'user_id']).execute();
}
