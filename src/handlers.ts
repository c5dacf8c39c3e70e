/** Every operation in the contract, the function that performs it, and who shares its responses. */
import type { Handlers, Sharing } from './api/handler.ts';
import * as hxl from './hxl/handlers.ts';
import * as surveys from './surveys/handlers.ts';
import * as users from './users/handlers.ts';

export const handlers = { ...surveys, ...hxl, ...users } satisfies Handlers;

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
