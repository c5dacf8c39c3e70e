/** All SQL about HXL reference data and metadata. */
import { type Expression, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Caller } from '../api/caller.ts';
import type { Schema } from '../api/handler.ts';
import type { Db } from '../database/database.ts';
import type { HxlLicenses, HxlMetadata, HxlTags } from '../database/tables.ts';
import { timestamp } from '../database/time.ts';
import type { PageQuery } from './page.ts';

export interface Rows<Row> {
  results: Row[];
  /** How many rows there are on all pages. */
  total: number;
}

export type License = Selectable<HxlLicenses>;
export type Tag = Pick<Schema<'HxlTag'>, 'id' | 'tag_name' | 'hxl_attributes' | 'form_attribute_types'>;
export type Metadata = Omit<Selectable<HxlMetadata>, 'private' | 'dataset_title_key' | 'organisation_key'> & {
  private: boolean;
};
export type Organisation = Pick<Schema<'HxlOrganisation'>, 'id' | 'name' | 'metadata_count'>;

/** The names of all tags, in their order. */
export async function tagNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('hxl_tags').select('tag_name').orderBy('id').execute();
  return rows.map((row) => row.tag_name);
}

export async function listLicenses(
  db: Db,
  query: PageQuery,
  { name, code }: { name?: string; code?: string },
): Promise<Rows<License>> {
  const found = db
    .selectFrom('hxl_licenses')
    .selectAll()
    .$if(name !== undefined, (licenses) => licenses.where(sql`lower(name)`, '=', fold(name!)))
    .$if(code !== undefined, (licenses) => licenses.where(sql`lower(code)`, '=', fold(code!)));
  return rowsOf(db, found, query);
}

/** The licence with this id, or undefined. */
export async function findLicense(db: Db, id: number): Promise<License | undefined> {
  return db.selectFrom('hxl_licenses').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listTags(db: Db, query: PageQuery): Promise<Rows<Tag>> {
  const { results, total } = await rowsOf(db, db.selectFrom('hxl_tags').selectAll(), query);
  return { results: results.map(toTag), total };
}

/** The tag with this id, or undefined. */
export async function findTag(db: Db, id: number): Promise<Tag | undefined> {
  const row = await db.selectFrom('hxl_tags').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toTag(row);
}

function toTag(row: Selectable<HxlTags>): Tag {
  return {
    ...row,
    hxl_attributes: JSON.parse(row.hxl_attributes),
    form_attribute_types: JSON.parse(row.form_attribute_types),
  };
}

export interface MetadataFilters {
  /** Title of the dataset. */
  name?: string;
  /** Code of the licence. */
  code?: string;
  organisation_id?: string;
}

/** The metadata that this caller sees and that has all of these, whatever the case of the letters. */
export async function listMetadata(
  db: Db,
  query: PageQuery,
  filters: MetadataFilters,
  caller: Caller,
): Promise<Rows<Metadata>> {
  const { name, code, organisation_id } = filters;
  const found = visibleMetadata(db, caller)
    .selectAll()
    .$if(name !== undefined, (metadata) => metadata.where('dataset_title_key', '=', fold(name!)))
    .$if(organisation_id !== undefined, (metadata) => metadata.where('organisation_key', '=', fold(organisation_id!)))
    .$if(code !== undefined, (metadata) =>
      metadata.where(
        'license_id',
        'in',
        db.selectFrom('hxl_licenses').select('id').where(sql`lower(code)`, '=', fold(code!)),
      ),
    );
  const { results, total } = await rowsOf(db, found, query);
  return { results: results.map(toMetadata), total };
}

/** The metadata record with this id, or undefined when there is none that this caller sees. */
export async function findMetadata(db: Db, id: number, caller: Caller): Promise<Metadata | undefined> {
  const row = await visibleMetadata(db, caller).selectAll().where('id', '=', id).executeTakeFirst();
  return row && toMetadata(row);
}

/** Stores a metadata record. Its user and its licence must exist. */
export async function createMetadata(
  db: Db,
  { user_id, ...sent }: Schema<'HxlMetadataInput'> & { user_id: number },
): Promise<Metadata> {
  const row = await db
    .insertInto('hxl_metadata')
    .values({
      user_id,
      private: sent.private ? 1 : 0,
      dataset_title: sent.dataset_title,
      license_id: sent.license_id,
      organisation_id: sent.organisation_id,
      organisation_name: sent.organisation_name,
      source: sent.source,
      created: timestamp(),
      updated: null,
      dataset_title_key: fold(sent.dataset_title),
      organisation_key: fold(sent.organisation_id),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toMetadata(row);
}

/** The organisations that the metadata visible to this caller names, spelled as in its latest record. */
export async function listOrganisations(db: Db, query: PageQuery, caller: Caller): Promise<Rows<Organisation>> {
  const groups = visibleMetadata(db, caller)
    .select((metadata) => [metadata.fn.max('id').as('latest'), metadata.fn.countAll<number>().as('metadata_count')])
    .groupBy('organisation_key');
  const found = db
    .selectFrom(groups.as('organisations'))
    .innerJoin('hxl_metadata', 'hxl_metadata.id', 'organisations.latest')
    .select([
      'hxl_metadata.organisation_id as id',
      'hxl_metadata.organisation_name as name',
      'organisations.metadata_count',
    ]);
  return rowsOf(db, found, query);
}

/** Private records are their user's; administrators see all. Every query for metadata starts here. */
function visibleMetadata(db: Db, caller: Caller) {
  return db
    .selectFrom('hxl_metadata')
    .$if(caller.role !== 'admin', (metadata) =>
      metadata.where((column) => column.or([column('private', '=', 0), column('user_id', '=', caller.id)])),
    );
}

/** What is compared where case does not matter. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** One page of what a query finds. Records have a `url` that ends with their id, so both sort alike. */
async function rowsOf<DB, TB extends keyof DB, Row>(
  db: Db,
  found: SelectQueryBuilder<DB, TB, Row>,
  query: PageQuery,
): Promise<Rows<Row>> {
  const { limit, offset } = query;
  const key = query.orderby === 'url' ? 'id' : query.orderby;
  const descending = query.order.toLowerCase() === 'desc';
  const rows = db.selectFrom(found.as('found'));
  const { total } = await rows
    .select((row) => row.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const results = await rows
    .selectAll()
    .orderBy(sql.ref(key) as Expression<unknown>, (order) =>
      descending ? order.desc().nullsLast() : order.asc().nullsFirst(),
    )
    .orderBy(sql.ref('id'))
    // PostgreSQL takes an offset without a limit, SQLite does not.
    .limit(limit ?? Number.MAX_SAFE_INTEGER)
    .offset(offset)
    .execute();
  return { results: results as Row[], total: Number(total) };
}

function toMetadata({ dataset_title_key: _, organisation_key: __, ...row }: Selectable<HxlMetadata>): Metadata {
  return { ...row, private: row.private === 1 };
}
