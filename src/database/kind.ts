/** Which kind of database this is, for queries that have to differ. */
import { type Kysely, PostgresAdapter } from 'kysely';

/**
 * Whether this is PostgreSQL. Such a database is newer than the first migrations: where those do something that only
 * SQLite can do, or move what older versions have stored, they do without it there.
 */
export function isPostgres(db: Kysely<any>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
