/** All SQL about HXL reference data: licences and tags, which only migrations write. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { fold } from '../database/fold.ts';
import { type PagedRows, pages } from '../database/page.ts';
import { prepared } from '../database/prepared.ts';
import type { HxlLicenses, HxlTags } from '../database/tables.ts';
import { type PageQuery, sorted } from './page.ts';

export type License = Selectable<HxlLicenses>;
/** Its attributes and types are JSON text, as a response holds them. */
export type Tag = Selectable<HxlTags>;

/** The names of all tags, in their order. */
export async function tagNames(db: Db): Promise<string[]> {
  const rows = await db.rows(selectTagNames, {});
  return rows.map((row) => row.tag_name);
}

const selectTagNames = prepared((query) => query.selectFrom('hxl_tags').select('tag_name').orderBy('id'));

/** The licences with this name and this code, whatever the case of the letters. */
export async function listLicenses(
  db: Db,
  query: PageQuery,
  { name, code }: { name?: string; code?: string },
): Promise<PagedRows<License>> {
  return licensePage(db, sorted(query), { name: fold(name), code: fold(code) });
}

const licensePage = pages((query, value: { name: string; code: string }, has) =>
  query
    .selectFrom('hxl_licenses')
    .selectAll()
    .$if(has('name'), (licenses) => licenses.where(sql`lower(name)`, '=', value.name))
    .$if(has('code'), (licenses) => licenses.where(sql`lower(code)`, '=', value.code)),
);

/** The licence with this id, or undefined. */
export async function findLicense(db: Db, id: number): Promise<License | undefined> {
  const [row] = await db.rows(licenseById, { id });
  return row;
}

const licenseById = prepared((query, value: { id: number }) =>
  query.selectFrom('hxl_licenses').selectAll().where('id', '=', value.id),
);

export interface TagFilters {
  tag_name?: string;
  /** A type of form fields that the tag fits. */
  form_attribute_type?: string;
  /** An attribute that the tag takes. */
  hxl_attribute?: string;
}

/** The tags that have all of these, whatever the case of the letters. There are 44, so none of it needs an index. */
export async function listTags(
  db: Db,
  query: PageQuery,
  { tag_name, form_attribute_type, hxl_attribute }: TagFilters,
): Promise<PagedRows<Tag>> {
  return tagPage(db, sorted(query), {
    tag_name: fold(tag_name),
    form_attribute_type: having('form_attribute_type', form_attribute_type),
    hxl_attribute: having('attribute', hxl_attribute),
  });
}

const tagPage = pages((query, value: Required<TagFilters>, has) =>
  query
    .selectFrom('hxl_tags')
    .selectAll()
    .$if(has('tag_name'), (tags) => tags.where(sql`lower(tag_name)`, '=', value.tag_name))
    .$if(has('form_attribute_type'), (tags) => tags.where(holds('form_attribute_types', value.form_attribute_type)))
    .$if(has('hxl_attribute'), (tags) => tags.where(holds('hxl_attributes', value.hxl_attribute))),
);

/** Whether the JSON text of a column has a member; its pattern is in lower case. */
function holds(column: string, pattern: string) {
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** The pattern of JSON texts that have a member of this name with this text as its value. */
function having(name: string, value: string | undefined): string | undefined {
  return value && `%${`"${name}":${JSON.stringify(fold(value))}`.replaceAll(/[%_\\]/g, '\\$&')}%`;
}

/** The tag with this id, or undefined. */
export async function findTag(db: Db, id: number): Promise<Tag | undefined> {
  const [row] = await db.rows(tagById, { id });
  return row;
}

const tagById = prepared((query, value: { id: number }) =>
  query.selectFrom('hxl_tags').selectAll().where('id', '=', value.id),
);
