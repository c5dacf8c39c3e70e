/** All SQL about HXL metadata and the organisations that it names. store-reference.ts has the rest. */
import { type Selectable, sql } from 'kysely';
import type { Caller } from '../api/caller.ts';
import type { Schema } from '../api/handler.ts';
import { type IdValues, idPlaces, idValues, pause } from '../database/chunks.ts';
import type { Db } from '../database/database.ts';
import { fold } from '../database/fold.ts';
import { type PageRequest, pages } from '../database/page.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import type { HxlMetadata } from '../database/tables.ts';
import { timestamp } from '../database/time.ts';
import { chunkSize, type Listing, listing, readInChunks } from './chunks.ts';
import { type PageQuery, sorted } from './page.ts';

export type Metadata = Omit<Selectable<HxlMetadata>, 'private' | 'dataset_title_key' | 'organisation_key'> & {
  private: boolean;
};
export type Organisation = Pick<Schema<'HxlOrganisation'>, 'id' | 'name' | 'metadata_count'>;

export interface MetadataFilters {
  /** Title of the dataset. */
  name?: string;
  /** Code of the licence. */
  code?: string;
  organisation_id?: string;
  /** The same as `name`. */
  dataset_title?: string;
  private?: boolean;
  license_id?: number;
}

/** The metadata that this caller sees and that has all of these, whatever the case of the letters. */
export async function listMetadata(
  db: Db,
  query: PageQuery,
  { name, code, organisation_id, dataset_title, private: secret, license_id }: MetadataFilters,
  caller: Caller,
): Promise<Listing<Metadata>> {
  const page = { ...sorted(query), apart: await isReadApart(db) };
  const filters = {
    name: fold(name),
    code: fold(code),
    organisation_id: fold(organisation_id),
    dataset_title: fold(dataset_title),
    private: secret === undefined ? undefined : Number(secret),
    license_id,
    viewer: viewerOf(caller),
  };
  if (isShort(query)) {
    const { results, total } = await metadataPage(db, page, filters);
    return { count: results.length, results: results.map(toMetadata), total };
  }
  if (page.orderby === 'id') return metadataInOrder(db, page, filters);
  const { results, total } = await metadataIds(db, page, filters);
  const ids = results.map(({ id }) => id);
  const read = async (chunk: readonly number[]) => {
    const found = await metadataByIds(db, chunk);
    return chunk.flatMap((id) => found.get(id) ?? []);
  };
  return listing(ids.length, total, readInChunks(ids, read));
}

type MetadataValues = Required<Omit<MetadataFilters, 'private'>> & { private: number; viewer: number };
type UsedFilters = { [Name in keyof MetadataValues]: MetadataValues[Name] | undefined };

function foundMetadata(query: Db['query'], value: MetadataValues, has: (filter: keyof MetadataValues) => boolean) {
  return visibleMetadata(query, value, has('viewer'))
    .$if(has('name'), (metadata) => metadata.where('dataset_title_key', '=', value.name))
    .$if(has('dataset_title'), (metadata) => metadata.where('dataset_title_key', '=', value.dataset_title))
    .$if(has('private'), (metadata) => metadata.where('private', '=', value.private as 0 | 1))
    .$if(has('license_id'), (metadata) => metadata.where('license_id', '=', value.license_id))
    .$if(has('organisation_id'), (metadata) => metadata.where('organisation_key', '=', value.organisation_id))
    .$if(has('code'), (metadata) =>
      metadata.where(
        'license_id',
        'in',
        query.selectFrom('hxl_licenses').select('id').where(sql`lower(code)`, '=', value.code),
      ),
    );
}

const metadataPage = pages((query, value: MetadataValues, has) => foundMetadata(query, value, has).selectAll());
const metadataIds = pages((query, value: MetadataValues, has) => foundMetadata(query, value, has).select('id'));

/**
 * Metadata sorted by `id`: only how many there are is read at the beginning. Records are only ever added, so those up
 * to the last one of that moment are as many when they are sent.
 */
async function metadataInOrder(
  db: Db,
  { descending, limit = Infinity, offset, apart }: PageRequest,
  filters: UsedFilters,
): Promise<Listing<Metadata>> {
  const values = filters as MetadataValues;
  const { extent, chunk } = orderedQueries(filters, descending);
  const [first] = await (apart ? db.manyRows(extent, values) : db.rows(extent, values));
  const total = Number(first!.total);
  const last = first!.last ?? 0;
  const count = Math.max(0, Math.min(limit, total - offset));
  async function* chunks(): AsyncGenerator<Metadata[]> {
    let position = { after: descending ? last + 1 : 0, offset };
    for (let left = count; left > 0; left -= chunkSize) {
      const rows = await db.rows(chunk, { ...values, ...position, last, limit: Math.min(left, chunkSize) });
      if (rows.length === 0) return;
      position = { after: rows.at(-1)!.id, offset: 0 };
      yield rows.map(toMetadata);
      await pause();
    }
  }
  return listing(count, total, chunks());
}

interface OrderedQueries {
  extent: PreparedQuery<MetadataValues, { total: number | string; last: number | null }>;
  chunk: PreparedQuery<
    MetadataValues & { after: number; last: number; limit: number; offset: number },
    Selectable<HxlMetadata>
  >;
}

/** There are few: seven filters and two directions. */
const compiled = new Map<string, OrderedQueries>();

function orderedQueries(filters: UsedFilters, descending: boolean): OrderedQueries {
  const used = (Object.keys(filters) as (keyof UsedFilters)[]).filter((name) => filters[name] !== undefined);
  const key = `${descending} ${used}`;
  const has = (filter: keyof UsedFilters) => used.includes(filter);
  const queries = compiled.get(key) ?? {
    extent: prepared((query, value: MetadataValues) =>
      query
        .selectFrom(foundMetadata(query, value, has).select('id').as('found'))
        .select((row) => [row.fn.countAll<number | string>().as('total'), row.fn.max('id').as('last')]),
    ),
    chunk: prepared((query, value) =>
      foundMetadata(query, value, has)
        .selectAll()
        .where('id', '<=', value.last)
        .where('id', descending ? '<' : '>', value.after)
        .orderBy('id', descending ? 'desc' : 'asc')
        .limit(value.limit)
        .offset(value.offset),
    ),
  };
  compiled.set(key, queries);
  return queries;
}

/** The metadata records with these ids, at most as many as a chunk has. */
async function metadataByIds(db: Db, ids: readonly number[]): Promise<Map<number, Metadata>> {
  const rows = await db.rows(selectByIds, idValues(places, ids));
  return new Map(rows.map((row) => [row.id, toMetadata(row)]));
}

const places = idPlaces(chunkSize);
const selectByIds = prepared((query, value: IdValues) =>
  query
    .selectFrom('hxl_metadata')
    .selectAll()
    .where(
      'id',
      'in',
      places.map((place) => value[place]!),
    ),
);

/** The metadata record with this id, or undefined when there is none that this caller sees. */
export async function findMetadata(db: Db, id: number, caller: Caller): Promise<Metadata | undefined> {
  const viewer = viewerOf(caller);
  const [row] =
    viewer === undefined ? await db.rows(metadataById, { id }) : await db.rows(visibleMetadataById, { id, viewer });
  return row && toMetadata(row);
}

const metadataById = prepared((query, value: { id: number }) =>
  query.selectFrom('hxl_metadata').selectAll().where('id', '=', value.id),
);
const visibleMetadataById = prepared((query, value: { id: number; viewer: number }) =>
  visibleMetadata(query, value, true).selectAll().where('id', '=', value.id),
);

/** Whether a metadata record that this caller sees belongs to the user with this id. */
export async function showsUser(db: Db, user: number, caller: Caller): Promise<boolean> {
  const viewer = viewerOf(caller);
  const rows =
    viewer === undefined ? await db.rows(metadataOf, { user }) : await db.rows(visibleMetadataOf, { user, viewer });
  return rows.length > 0;
}

const metadataOf = prepared((query, value: { user: number }) =>
  query.selectFrom('hxl_metadata').select('id').where('user_id', '=', value.user).limit(1),
);
const visibleMetadataOf = prepared((query, value: { user: number; viewer: number }) =>
  visibleMetadata(query, value, true).select('id').where('user_id', '=', value.user).limit(1),
);

/** Whether there is a user with this id. */
export async function userExists(db: Db, id: number): Promise<boolean> {
  const rows = await db.rows(userById, { id });
  return rows.length > 0;
}

const userById = prepared((query, value: { id: number }) =>
  query.selectFrom('users').select('id').where('id', '=', value.id),
);

/** Stores a metadata record. Its user and its licence must exist. */
export async function createMetadata(
  db: Db,
  { user_id, ...sent }: Schema<'HxlMetadataInput'> & { user_id: number },
): Promise<Metadata> {
  const row = await db.query
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

function toMetadata({ dataset_title_key: _, organisation_key: __, ...row }: Selectable<HxlMetadata>): Metadata {
  return { ...row, private: row.private === 1 };
}

/** The organisations that the metadata visible to this caller names, spelled as in its latest record. */
export async function listOrganisations(db: Db, query: PageQuery, caller: Caller): Promise<Listing<Organisation>> {
  const filters = { viewer: viewerOf(caller) };
  const request = { ...sorted(query), apart: await isReadApart(db) };
  if (isShort(query)) {
    const { results, total } = await organisationPage(db, request, filters);
    return { count: results.length, results, total };
  }
  const { results, total } = await organisationIndex(db, request, filters);
  const read = async (chunk: readonly (typeof results)[number][]) => {
    const found = await metadataByIds(
      db,
      chunk.map(({ latest }) => latest),
    );
    return chunk.flatMap(({ latest, metadata_count }): Organisation[] => {
      const record = found.get(latest);
      return record ? [{ id: record.organisation_id, name: record.organisation_name, metadata_count }] : [];
    });
  };
  return listing(results.length, total, readInChunks(results, read));
}

const organisationPage = pages((query, value: { viewer: number }, has) =>
  organisations(query, value, has('viewer')).select(['id', 'name', 'metadata_count']),
);
/** The identifier of the latest record stands for the texts: of many organisations these would take much memory. */
const organisationIndex = pages((query, value: { viewer: number }, has) =>
  organisations(query, value, has('viewer')).select(['latest', 'metadata_count']),
);

function organisations(query: Db['query'], value: { viewer: number }, limited: boolean) {
  const groups = visibleMetadata(query, value, limited)
    .select((metadata) => [
      metadata.fn.max('id').$notNull().as('latest'),
      metadata.fn.countAll<number>().as('metadata_count'),
    ])
    .groupBy('organisation_key');
  const named = query
    .selectFrom(groups.as('groups'))
    .innerJoin('hxl_metadata', 'hxl_metadata.id', 'groups.latest')
    .select([
      'hxl_metadata.organisation_id as id',
      'hxl_metadata.organisation_name as name',
      'groups.metadata_count',
      'groups.latest',
    ]);
  return query.selectFrom(named.as('organisations'));
}

/** The user who sees only their own private records; undefined for administrators, who see all. */
function viewerOf({ role, id }: Caller): number | undefined {
  return role === 'admin' ? undefined : id;
}

/** The metadata; when it is `limited`, the private records of other users are left out. */
function visibleMetadata(query: Db['query'], { viewer }: { viewer: number }, limited: boolean) {
  return query
    .selectFrom('hxl_metadata')
    .$if(limited, (metadata) =>
      metadata.where((column) => column.or([column('private', '=', 0), column('user_id', '=', viewer)])),
    );
}

function isShort({ limit }: PageQuery): boolean {
  return limit !== undefined && limit <= chunkSize;
}

/** Whether metadata are better read apart: so many records that to look at all of them takes more than some milliseconds. */
async function isReadApart(db: Db): Promise<boolean> {
  if (!db.readsApart) return false;
  const [record] = await db.rows(lastRecord, {});
  return record !== undefined && record.id > 10_000;
}

const lastRecord = prepared((query) => query.selectFrom('hxl_metadata').select('id').orderBy('id', 'desc').limit(1));
