/** Brings a database up to date. */
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';

/** Why a database is refused that has seen no migrations, where one must have. */
export const foreign = 'it has no tables of this service';

/**
 * Runs the migrations that the database has not seen, in order; resolves to whether there were any.
 *
 * @param schema where the tables are, in a database that has several schemas.
 * @throws when one fails, or when the database has seen one that this version does not know.
 */
export async function migrate(db: Kysely<any>, schema?: string): Promise<boolean> {
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return results!.length > 0;
  if (results === undefined && /previously executed migration/.test((error as Error).message)) {
    throw new Error('it was written by a newer version of this service. Start that version, or restore a backup.');
  }
  throw error;
}
