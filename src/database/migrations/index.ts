/** Every migration in order. One that is merged is never changed: databases remember it by its name. */
import type { Migration } from 'kysely/migration';
import * as access from './0001_access.ts';
import * as surveys from './0002_surveys.ts';
import * as hxl from './0003_hxl.ts';
import * as surveyDigests from './0004_survey_digests.ts';
import * as organisationIndex from './0005_organisation_index.ts';
import * as surveyLists from './0006_survey_lists.ts';
import * as surveySearch from './0007_survey_search.ts';

export const migrations: Record<string, Migration> = {
  '0001_access': access,
  '0002_surveys': surveys,
  '0003_hxl': hxl,
  '0004_survey_digests': surveyDigests,
  '0005_organisation_index': organisationIndex,
  '0006_survey_lists': surveyLists,
  '0007_survey_search': surveySearch,
};
