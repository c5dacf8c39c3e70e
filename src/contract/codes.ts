/** The error codes of the engine and of HTTP itself. An API adds its own: see src/api/error-codes.ts. */

/** Codes keep their meaning for ever: programs depend on them. */
export const engineCodes = [
  // Before and around the body.
  'malformed_request',
  'malformed_url',
  'malformed_json',
  'invalid_parameter',
  'invalid_header',
  'repeated_parameter',
  'unauthorized',
  'insufficient_scope',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'url_too_long',
  'unsupported_media_type',
  'headers_too_large',
  'internal_error',
  'not_implemented',
  'service_unavailable',
  'storage_full',
  'content_corrupt',
  // In the body.
  'required',
  'invalid_type',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'too_few_items',
  'too_many_items',
  'duplicate_item',
  'too_few_members',
  'too_many_members',
  'unknown_member',
  'invalid_name',
  'invalid_format',
  'not_allowed',
  'no_match',
  'too_deep',
  'invalid_character',
  'invalid_body',
] as const;

export type EngineCode = (typeof engineCodes)[number];
