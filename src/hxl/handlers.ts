/** What the HXL operations do. One export per operation, named by its operationId. */
import { type Context, type Handler, refuse, type Schema } from '../api/handler.ts';
import { findUser } from '../users/store.ts';
import { type Filters, type PageQuery, page } from './page.ts';
import * as hxl from './store.ts';

const path = '/api/v3/hxl';

export const listHxlTagNames: Handler<'listHxlTagNames'> = async (_, { db }) => ({
  status: 200,
  body: { hxl: await hxl.tagNames(db) },
});

export const listHxlLicenses: Handler<'listHxlLicenses'> = async ({ query }, context) => ({
  status: 200,
  body: await keptPage(context, 'licenses', query, async () => {
    const { results, total } = await hxl.listLicenses(context.db, query, query);
    return { results: results.map((license) => toLicense(license, context)), total };
  }),
});

export const getHxlLicense: Handler<'getHxlLicense'> = async ({ path: { id } }, context) => {
  const license = await hxl.findLicense(context.db, id);
  return license
    ? { status: 200, body: toLicense(license, context) }
    : refuse(404, `HXL license ${id} does not exist.`);
};

export const listHxlTags: Handler<'listHxlTags'> = async ({ query }, context) => ({
  status: 200,
  body: await keptPage(context, 'tags', query, async () => {
    const { results, total } = await hxl.listTags(context.db, query);
    return { results: results.map((tag) => toTag(tag, context)), total };
  }),
});

export const getHxlTag: Handler<'getHxlTag'> = async ({ path: { id } }, context) => {
  const tag = await hxl.findTag(context.db, id);
  return tag ? { status: 200, body: toTag(tag, context) } : refuse(404, `HXL tag ${id} does not exist.`);
};

export const listHxlMetadata: Handler<'listHxlMetadata'> = async ({ query }, context) => ({
  status: 200,
  body: await keptPage(context, 'metadata', query, async () => {
    const { results, total } = await hxl.listMetadata(context.db, query, query, context.caller);
    return { results: results.map((record) => toMetadata(record, context)), total };
  }),
});

export const createHxlMetadata: Handler<'createHxlMetadata'> = async ({ body }, context) => {
  const { db, caller } = context;
  const user_id = body.user_id ?? caller.id;
  if (user_id !== caller.id && !caller.may('users:manage')) {
    return refuse(403, 'Only administrators may create metadata for another user. Leave user_id out.');
  }
  const problems = [
    ...((await hxl.findLicense(db, body.license_id))
      ? []
      : [unknown('license_id', `HXL license ${body.license_id} does not exist.`)]),
    ...((await findUser(db, user_id)) ? [] : [unknown('user_id', `User ${user_id} does not exist.`)]),
  ];
  if (problems.length > 0) return refuse(422, problems);
  const record = toMetadata(await hxl.createMetadata(db, { ...body, user_id }), context);
  return { status: 201, headers: { Location: record.url }, body: record };
};

export const getHxlMetadata: Handler<'getHxlMetadata'> = async ({ path: { id } }, context) => {
  const record = await hxl.findMetadata(context.db, id, context.caller);
  return record
    ? { status: 200, body: toMetadata(record, context) }
    : refuse(404, `HXL metadata ${id} does not exist.`);
};

export const listHxlOrganisations: Handler<'listHxlOrganisations'> = async ({ query }, context) => ({
  status: 200,
  body: await keptPage(context, 'organisations', query, async () => {
    const { results, total } = await hxl.listOrganisations(context.db, query, context.caller);
    return { results: results.map((organisation) => toOrganisation(organisation, context)), total };
  }),
});

/** The page of a listing that was made before, or a new one. Whoever the listing depends on has to be named. */
async function keptPage<T>(
  { url }: Context,
  listing: string,
  query: PageQuery & Filters,
  read: () => Promise<{ results: T[]; total: number }>,
) {
  const address = url(`${path}/${listing}`);
  const make = async () => page(await read(), query, address);
  // Long pages are rarely asked for twice and take much memory.
  return make();
}

const reading = ['read', 'search'];

function toLicense(license: hxl.License, { url }: Context): Schema<'HxlLicense'> {
  return { ...license, url: url(`${path}/licenses/${license.id}`), allowed_privileges: reading };
}

function toTag(tag: hxl.Tag, { url }: Context): Schema<'HxlTag'> {
  return { ...tag, url: url(`${path}/tags/${tag.id}`), allowed_privileges: reading };
}

function toOrganisation(organisation: hxl.Organisation, { url }: Context): Schema<'HxlOrganisation'> {
  const listing = url(`${path}/metadata?${new URLSearchParams({ organisation_id: organisation.id })}`);
  return { ...organisation, url: listing, allowed_privileges: reading };
}

function toMetadata({ user_id, ...record }: hxl.Metadata, { url, caller }: Context): Schema<'HxlMetadata'> {
  return {
    ...record,
    url: url(`${path}/metadata/${record.id}`),
    user: { id: user_id, url: url(`/api/v3/users/${user_id}`) },
    allowed_privileges: caller.may('hxl:write') ? ['read', 'create', 'search'] : reading,
  };
}

function unknown(member: string, message: string) {
  return { code: 'unknown_reference', message, source: { pointer: `/${member}` } };
}
