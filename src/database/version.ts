/** The version of all data, as a query sees it: nothing that was read in one version is used in another. */
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** An adapter whose database can tell versions with a query. */
export interface VersionedAdapter {
  /** SQL for the version of all data that a query sees; undefined where there is none. */
  readonly dataVersion: RawBuilder<string | null> | undefined;
}

/**
 * The version of all data that a query sees: equal only where no transaction has ended in between, in any process. It is null
 * where a query cannot tell it: on SQLite `Database.version` does.
 */
export function dataVersion(db: Kysely<any>): RawBuilder<string | null> {
  return (db.getExecutor().adapter as Partial<VersionedAdapter>).dataVersion ?? sql`null`;
}
