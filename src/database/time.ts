/** Timestamps as they are stored and returned. */

/** A point in time as RFC 3339 in UTC, with its offset written out: `2026-03-01T09:30:00.000+00:00`. */
export function timestamp(date = new Date()): string {
  return date.toISOString().replace('Z', '+00:00');
}

/** The timestamp of now, or `earlier` when the clock was set back since then. */
export function timestampAfter(earlier: string): string {
  const now = timestamp();
  return now < earlier ? earlier : now;
}
