/** The version of all data, as a query sees it: nothing that was read in one version is used in another. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './migrations/kind.ts';

/**
 * The version of all data that a query sees: equal only where no transaction has ended in between, in any process.
 * It is null where it cannot tell: on SQLite, where `Database.version` does, and on a replica.
 *
 * A snapshot of PostgreSQL says which transactions a query sees: https://www.postgresql.org/docs/current/functions-info.html
 * Another server that takes over counts them on, so the start of the server belongs to it. A replica does not list those
 * that are under way.
 */
export function dataVersion(db: Kysely<any>): RawBuilder<string | null> {
  return isPostgres(db) ? snapshot : sql`null`;
}

const snapshot = sql<string | null>`case when not pg_is_in_recovery()
  then concat_ws(' ', pg_postmaster_start_time(), pg_current_snapshot()) end`;
