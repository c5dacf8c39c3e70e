/** Every operation in the contract, the function that performs it, and what the engine knows about its requests. */
import type { Handlers, Normalizers, Sharing, ValidatorReaders } from './api/handler.ts';
import * as hxl from './hxl/handlers.ts';
import * as surveys from './surveys/handlers.ts';
import { canonicalSelection } from './surveys/selection.ts';
import { validators as surveyValidators } from './surveys/validators.ts';
import * as users from './users/handlers.ts';

export const handlers = { ...surveys, ...hxl, ...users } satisfies Handlers;

/**
 * What tells the state of a record, where that costs less than reading it: for requests that ask whether it has changed.
 * Of other responses whose contract declares 304, the engine makes an entity tag of the content.
 */
export const validators = { ...surveyValidators } satisfies ValidatorReaders;

/**
 * Responses are cached for each caller alone, unless this says that all callers of a role, or everyone, get
 * the same. Of the reference data everyone gets the same until a migration changes it.
 */
export const sharing = {
  listSurveys: 'role',
  getSurvey: 'role',
  listHxlTagNames: 'reference',
  listHxlLicenses: 'reference',
  getHxlLicense: 'reference',
  listHxlTags: 'reference',
  getHxlTag: 'reference',
} satisfies Sharing;

/**
 * Makes requests that mean the same the same, before their response is looked for in memory and before the handler
 * gets them: however often a client spells its wish in another way, it is kept once.
 */
export const normalized = {
  listSurveys: ({ query, ...request }) => {
    const { limit, order, only: _, hydrate: __, ...rest } = query;
    const part = { ...rest, ...(limit ? { limit } : {}), order: order.toLowerCase() };
    return { ...request, query: { ...canonicalSelection(query), ...part } };
  },
  getSurvey: ({ query, ...request }) => ({ ...request, query: canonicalSelection(query) }),
  listHxlMetadata: withoutZeroLimit,
  listHxlLicenses: withoutZeroLimit,
  listHxlTags: withoutZeroLimit,
  listHxlOrganisations: withoutZeroLimit,
} satisfies Normalizers;

/** A limit of 0 is none. */
function withoutZeroLimit<Asked extends { query: { limit?: number } }>(request: Asked): Asked {
  const { limit, ...query } = request.query;
  return limit === 0 ? { ...request, query } : request;
}
