/** All error codes of this API; the table in openapi/openapi.yaml says what each means. */
import { engineCodes } from '../contract/codes.ts';

/** Codes keep their meaning for ever: programs depend on them. */
export const errorCodes = [
  ...engineCodes,
  'forbidden',
  'precondition_required',
  'unknown_reference',
  'foreign_reference',
  'duplicate_reference',
  'duplicate_field_type',
  'private_tags',
  'survey_too_large',
] as const;

export type ErrorCode = (typeof errorCodes)[number];
