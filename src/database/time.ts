/** Timestamps as they are stored and returned. */

/** A point in time as RFC 3339 in UTC, with its offset written out: `2026-03-01T09:30:00.000+00:00`. */
export function timestamp(date = new Date()): string {
  return date.toISOString().replace('Z', '+00:00');
}
