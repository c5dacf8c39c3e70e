/** What tells the state of a survey without reading all of it. */
import type { ValidatorReaders } from '../api/handler.ts';
import { selectMembers } from './selection.ts';
import { findValidators } from './store.ts';

/** By operation: the validators of what it would return. */
export const validators = {
  getSurvey: ({ path, query }, { db, caller }) => findValidators(db, path.id, selectMembers(query), caller),
} satisfies ValidatorReaders;
