/** Whether a PostgreSQL server can tell the version of all data, and how. */
import { type Kysely, type RawBuilder, sql } from 'kysely';

/**
 * A snapshot says which transactions a query sees: https://www.postgresql.org/docs/current/functions-info.html
 * Another server that takes over counts them on, and after a crash numbers come again that were lost with the log. So the start
 * of the server belongs to it, and the last checkpoint: a recovery ends with one. A replica does not list transactions that
 * are under way.
 */
const snapshot = sql<string | null>`case when not pg_is_in_recovery() then concat_ws(' ', pg_current_snapshot(),
  pg_postmaster_start_time(), (select checkpoint_lsn from pg_control_checkpoint())) end`;

/** What PostgreSQL says when a role may not do something. */
export const missingRight = '42501';

/**
 * SQL for the version of all data; undefined where the server cannot tell. Other databases that speak the protocol say so behind
 * the number of the version, such as 15.2-YB-2.25; with Citus, transactions end elsewhere. Some servers let only
 * administrators look at checkpoints.
 */
export async function versionOf(db: Kysely<any>): Promise<RawBuilder<string | null> | undefined> {
  const { rows } = await sql<{ version: string; distributed: boolean }>`
    select version(), exists (select from pg_extension where extname = 'citus') as distributed`.execute(db);
  const { version, distributed } = rows[0]!;
  if (distributed || !/^PostgreSQL [\d.]+ /.test(version)) return undefined;
  try {
    await sql`select ${snapshot}`.execute(db);
    return snapshot;
  } catch (error) {
    if ((error as { code?: string }).code === missingRight) return undefined;
    throw error;
  }
}
