/** The revision of a survey as HTTP knows it: entity tags and times, and the conditions that requests put on them. */
import { createHash } from 'node:crypto';
import { conditions, evaluate, httpDate, type Preconditions, type Validators } from '../contract/preconditions.ts';
import type { SurveyRow } from '../database/tables.ts';

/** What tells one state of a survey from another. */
export type Revised = Pick<SurveyRow, 'revision' | 'created' | 'updated'>;

export type SurveyValidators = Required<Validators>;

/**
 * The validators of a survey in this state. Its entity tag is strong, so it also says which variant was read: with which
 * members, and by whom.
 */
export function validatorsOf({ revision, created, updated }: Revised, variant: string): SurveyValidators {
  return { ETag: `"${revision}-${variant}"`, 'Last-Modified': httpDate(updated ?? created) };
}

/** A short name for a variant that is described by this text. */
export function variantName(description: string): string {
  return createHash('sha256').update(description).digest('base64url').slice(0, 6);
}

/** Whether a survey in this state may be changed or deleted. */
export type Condition = (survey: Revised) => boolean;

/**
 * The condition that these headers make for a change, if any: whichever variant was read, it is the revision that counts.
 */
export function conditionOf(headers: Preconditions): Condition | undefined {
  if (!conditions.some((name) => headers[name] !== undefined)) return undefined;
  return (survey) => evaluate(headers, validatorsOf(survey, ''), false, isSameRevision) === 'proceed';
}

function isSameRevision(one: string, other: string): boolean {
  return revisionIn(one) === revisionIn(other);
}

function revisionIn(tag: string): string {
  return tag.slice(0, tag.indexOf('-'));
}
