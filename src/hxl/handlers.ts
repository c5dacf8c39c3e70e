/** What the HXL operations do. One export per operation, named by its operationId. */
import { type Context, type Handler, type Problem, refuse, type Schema } from '../api/handler.ts';
import { Json } from '../contract/json-body.ts';
import { httpDate } from '../contract/preconditions.ts';
import type { Listing } from './chunks.ts';
import { type Filters, longPageText, type Page, type PageQuery, page, pageHeaders, pageText } from './page.ts';
import * as hxl from './store.ts';
import * as reference from './store-reference.ts';

const path = '/api/v3/hxl';

export const listHxlTagNames: Handler<'listHxlTagNames'> = async (_, { db }) => ({
  status: 200,
  body: { hxl: await reference.tagNames(db) },
});

export const listHxlLicenses: Handler<'listHxlLicenses'> = async ({ query }, { db, url }) => {
  const address = url(`${path}/licenses`);
  const { results, total } = await reference.listLicenses(db, query, query);
  const licenses = results.map((license) => toLicense(license, address));
  const headers = pageHeaders(licenses.length, total, query, address);
  return { status: 200, headers, body: page(licenses, total, query, address) };
};

export const getHxlLicense: Handler<'getHxlLicense'> = async ({ path: { id } }, { db, url }) => {
  const license = await reference.findLicense(db, id);
  return license
    ? { status: 200, body: toLicense(license, url(`${path}/licenses`)) }
    : refuse(404, `HXL license ${id} does not exist.`);
};

export const listHxlTags: Handler<'listHxlTags'> = async ({ query }, { db, url }) => {
  const address = url(`${path}/tags`);
  const { results, total } = await reference.listTags(db, query, query);
  const tags = results.map((tag) => tagText(tag, address));
  const headers = pageHeaders(tags.length, total, query, address);
  return { status: 200, headers, body: new Json(pageText(page(tags, total, query, address))) };
};

export const getHxlTag: Handler<'getHxlTag'> = async ({ path: { id } }, { db, url }) => {
  const tag = await reference.findTag(db, id);
  return tag
    ? { status: 200, body: new Json(tagText(tag, url(`${path}/tags`))) }
    : refuse(404, `HXL tag ${id} does not exist.`);
};

export const listHxlMetadata: Handler<'listHxlMetadata'> = async ({ query }, context) => {
  const listing = await hxl.listMetadata(context.db, query, query, context.caller);
  const address = context.url(`${path}/metadata`);
  const headers = pageHeaders(listing.count, listing.total, query, address);
  return { status: 200, headers, body: longPage(listing, (record) => toMetadata(record, context), query, address) };
};

export const createHxlMetadata: Handler<'createHxlMetadata'> = async ({ body }, context) => {
  const { db, caller } = context;
  const user_id = body.user_id ?? caller.id;
  if (user_id !== caller.id && !caller.may('users:manage')) {
    return refuse(403, 'Only administrators may create metadata for another user. Leave user_id out.');
  }
  const problems = [
    ...((await reference.findLicense(db, body.license_id))
      ? []
      : [unknown('license_id', `HXL license ${body.license_id} does not exist.`)]),
    ...((await hxl.userExists(db, user_id)) ? [] : [unknown('user_id', `User ${user_id} does not exist.`)]),
  ];
  if (problems.length > 0) return refuse(422, problems);
  const record = toMetadata(await hxl.createMetadata(db, { ...body, user_id }), context);
  return { status: 201, headers: { Location: record.url, ...lastModified(record) }, body: record };
};

export const getHxlMetadata: Handler<'getHxlMetadata'> = async ({ path: { id } }, context) => {
  const record = await hxl.findMetadata(context.db, id, context.caller);
  return record
    ? { status: 200, headers: lastModified(record), body: toMetadata(record, context) }
    : refuse(404, `HXL metadata ${id} does not exist.`);
};

export const listHxlOrganisations: Handler<'listHxlOrganisations'> = async ({ query }, { db, url, caller }) => {
  const listing = await hxl.listOrganisations(db, query, caller);
  const metadata = url(`${path}/metadata`);
  const toRecord = (organisation: hxl.Organisation) => toOrganisation(organisation, metadata);
  const address = url(`${path}/organisations`);
  const headers = pageHeaders(listing.count, listing.total, query, address);
  return { status: 200, headers, body: longPage(listing, toRecord, query, address) };
};

/** One page of a listing; when it is long, its text is made while it is being sent. */
function longPage<Row, T>(
  { count, results, total }: Listing<Row>,
  toRecord: (row: Row) => T,
  query: PageQuery & Filters,
  url: string,
): Page<T> | Json<Page<T>> {
  if (Array.isArray(results)) return page(results.map(toRecord), total, query, url);
  async function* texts(chunks: AsyncIterable<Row[]>): AsyncGenerator<string[]> {
    for await (const rows of chunks) yield rows.map((row) => JSON.stringify(toRecord(row)));
  }
  return new Json(longPageText(count, texts(results), total, query, url));
}

const reading = ['read', 'search'];

// Each takes the absolute URL of the listing that its URL is a part of.

function toLicense(license: reference.License, licenses: string): Schema<'HxlLicense'> {
  const { id, code, name, link } = license;
  return { id, url: `${licenses}/${id}`, code, name, link, allowed_privileges: reading };
}

/** The JSON text of an HxlTag. Most of it is stored as JSON text; parsing that would take longer than all the rest. */
function tagText({ id, tag_name, hxl_attributes, form_attribute_types }: reference.Tag, tags: string): string {
  const url = `${tags}/${id}`;
  const [head, tail] = [JSON.stringify({ id, url, tag_name }), JSON.stringify({ allowed_privileges: reading })];
  const stored = `"hxl_attributes":${hxl_attributes},"form_attribute_types":${form_attribute_types}`;
  return `${head.slice(0, -1)},${stored},${tail.slice(1)}`;
}

// Members are sent in the order in which they stand here.

function toOrganisation({ id, name, metadata_count }: hxl.Organisation, metadata: string): Schema<'HxlOrganisation'> {
  const url = `${metadata}?${new URLSearchParams({ organisation_id: id })}`;
  return { id, name, metadata_count, url, allowed_privileges: reading };
}

function toMetadata(record: hxl.Metadata, { url, caller }: Context): Schema<'HxlMetadata'> {
  return {
    id: record.id,
    url: url(`${path}/metadata/${record.id}`),
    user: { id: record.user_id, url: url(`/api/v3/users/${record.user_id}`) },
    private: record.private,
    dataset_title: record.dataset_title,
    license_id: record.license_id,
    organisation_id: record.organisation_id,
    organisation_name: record.organisation_name,
    source: record.source,
    created: record.created,
    updated: record.updated,
    allowed_privileges: caller.may('hxl:write') ? ['read', 'create', 'search'] : reading,
  };
}

function lastModified({ created, updated }: Pick<hxl.Metadata, 'created' | 'updated'>) {
  return { 'Last-Modified': httpDate(updated ?? created) };
}

function unknown(member: string, message: string): Problem {
  return { code: 'unknown_reference', message, source: { pointer: `/${member}` } };
}
