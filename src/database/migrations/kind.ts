/** Which kind of database a migration runs on. */
import { type Kysely, PostgresAdapter } from 'kysely';

/**
 * Whether this is PostgreSQL. Such a database is newer than the first migrations: where those do something that only
 * SQLite can do, or move what older versions have stored, they do without it here.
 */
export function isPostgres(db: Kysely<any>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
