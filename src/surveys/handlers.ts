/** What the survey operations do. One export per operation, named by its operationId. */
import { type Handler, type Problem, type Request, refuse } from '../api/handler.ts';
import { address, linkHeader, type PageLinks } from '../api/links.ts';
import { preconditionFailed } from '../contract/preconditions.ts';
import { decodeCursor, encodeCursor, listName } from './cursor.ts';
import { filtersIn } from './filters.ts';
import { type Listed, list } from './list.ts';
import { results } from './results.ts';
import { conditionOf } from './revision.ts';
import { selectMembers } from './selection.ts';
import * as surveys from './store.ts';

const missing = (id: number) => refuse(404, `Survey ${id} does not exist.`);

export const listSurveys: Handler<'listSurveys'> = async ({ query }, { db, caller, url }) => {
  const { limit = 0, offset, orderby, order } = query;
  const descending = order.toLowerCase() === 'desc';
  const filters = filtersIn(query);
  const name = listName({ orderby, descending, filters });
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor, name);
  if (query.cursor !== undefined && (cursor === undefined || offset > 0)) return refuse(400, [wrongCursor]);
  const listing = { limit, offset, orderby, descending, filters, cursor };
  const listed = await list(db, listing, selectMembers(query), caller);
  const { total } = listed;
  const headers = {
    ...(total !== undefined && { 'X-Total-Count': String(total) }),
    ...(limit > 0 && { Link: linkHeader(pageLinks(listed, query, name, url('/api/v5/surveys'))) }),
  };
  return { status: 200, headers, body: results(listed.surveys) };
};

/** The links to the pages around this one: by cursors where the list has them, which stay right while others write. */
function pageLinks({ hasMore, next, previous }: Listed, query: ListQuery, name: string, url: string): PageLinks {
  const { cursor: _, offset, limit = 0, ...rest } = query;
  const at = (place: { cursor?: string; offset?: number }) => address(url, { ...rest, limit, ...place });
  return {
    first: at({}),
    ...(previous && { prev: at({ cursor: encodeCursor(previous, name) }) }),
    ...(offset > 0 && { prev: at({ offset: Math.max(0, offset - limit) }) }),
    ...(hasMore && { next: at(next ? { cursor: encodeCursor(next, name) } : { offset: offset + limit }) }),
  };
}

type ListQuery = Request<'listSurveys'>['query'];

const wrongCursor: Problem = {
  code: 'invalid_parameter',
  message:
    'cursor must be one that this list gave in a link, with the same order and filters and without offset. ' +
    'Follow the links, or leave it out to begin anew.',
  source: { parameter: 'cursor' },
};

export const createSurvey: Handler<'createSurvey'> = async ({ body }, { db, caller, url, surveySizeLimit }) => {
  const stored = await surveys.create(db, body, caller, surveySizeLimit);
  if ('problems' in stored) return refuse(422, stored.problems);
  const Location = url(`/api/v5/surveys/${stored.id}`);
  return { status: 201, headers: { Location, ...stored.validators }, body: results([stored.survey]) };
};

export const getSurvey: Handler<'getSurvey'> = async ({ path, query }, { db, caller }) => {
  const found = await surveys.find(db, path.id, selectMembers(query), caller);
  if (found === undefined) return missing(path.id);
  return { status: 200, headers: found.validators, body: results([found.survey]) };
};

export const updateSurvey: Handler<'updateSurvey'> = async ({ path, headers, body }, context) => {
  const { db, caller, surveySizeLimit, ifMatchRequired } = context;
  if (ifMatchRequired && headers['if-match'] === undefined) return refuse(428, [preconditionRequired]);
  const stored = await surveys.update(db, path.id, body, caller, surveySizeLimit, conditionOf(headers));
  if (stored === undefined) return missing(path.id);
  if ('current' in stored) return hasChanged(stored);
  if ('problems' in stored) return refuse(422, stored.problems);
  return { status: 200, headers: stored.validators, body: results([stored.survey]) };
};

export const deleteSurvey: Handler<'deleteSurvey'> = async ({ path, headers }, { db, caller, ifMatchRequired }) => {
  if (ifMatchRequired && headers['if-match'] === undefined) return refuse(428, [preconditionRequired]);
  const removed = await surveys.remove(db, path.id, caller, conditionOf(headers));
  if (typeof removed === 'object') return hasChanged(removed);
  return removed ? { status: 200, body: { result: { deleted: path.id } } } : missing(path.id);
};

/** The response to a change whose condition does not hold; it says what the survey's entity tag is now. */
const hasChanged = ({ current: { ETag } }: surveys.Refused) => ({
  ...refuse(412, [preconditionFailed]),
  headers: { ETag },
});

const preconditionRequired: Problem = {
  code: 'precondition_required',
  message: 'Send the ETag of the survey as it was read in the header If-Match, so that no change of others is lost.',
  source: { header: 'if-match' },
};
