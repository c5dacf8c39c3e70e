/** What the survey operations do. One export per operation, named by its operationId. */
import { type Handler, refuse } from '../api/handler.ts';
import { list } from './list.ts';
import { results } from './results.ts';
import { selectMembers } from './selection.ts';
import * as surveys from './store.ts';

const missing = (id: number) => refuse(404, `Survey ${id} does not exist.`);

export const listSurveys: Handler<'listSurveys'> = async ({ query }, { db, caller }) => {
  const { limit = 0, offset, orderby, order } = query;
  const listing = { limit, offset, orderby, descending: order.toLowerCase() === 'desc' };
  return { status: 200, body: results(await list(db, listing, selectMembers(query), caller)) };
};

export const createSurvey: Handler<'createSurvey'> = async ({ body }, { db, caller, url, surveySizeLimit }) => {
  const stored = await surveys.create(db, body, caller, surveySizeLimit);
  if ('problems' in stored) return refuse(422, stored.problems);
  const Location = url(`/api/v5/surveys/${stored.id}`);
  return { status: 201, headers: { Location }, body: results([stored.survey]) };
};

export const getSurvey: Handler<'getSurvey'> = async ({ path, query }, { db, caller }) => {
  const survey = await surveys.find(db, path.id, selectMembers(query), caller);
  return survey === undefined ? missing(path.id) : { status: 200, body: results([survey]) };
};

export const updateSurvey: Handler<'updateSurvey'> = async ({ path, body }, { db, caller, surveySizeLimit }) => {
  const stored = await surveys.update(db, path.id, body, caller, surveySizeLimit);
  if (stored === undefined) return missing(path.id);
  if ('problems' in stored) return refuse(422, stored.problems);
  return { status: 200, body: results([stored.survey]) };
};

export const deleteSurvey: Handler<'deleteSurvey'> = async ({ path }, { db }) => {
  if (!(await surveys.remove(db, path.id))) return missing(path.id);
  return { status: 200, body: { result: { deleted: path.id } } };
};
