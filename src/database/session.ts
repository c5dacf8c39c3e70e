/** Transactions without Kysely, whose own way takes longer than a statement, and Kysely in them for whoever wants it. */
import { type DatabaseConnection, type Dialect, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A connection that a transaction has for itself. */
export interface Session extends DatabaseConnection {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** Undoes the transaction, also one that has failed. */
  rollback(): void | Promise<void>;
}

/** A dialect of Kysely that gives out sessions too. */
export interface SessionDialect extends Dialect {
  session(): Session;
}

/**
 * Runs `work` in a transaction, which is committed when `work` resolves and undone when it rejects.
 *
 * @throws what `work` throws, and why the transaction cannot begin or be committed.
 */
export async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.begin();
  try {
    const result = await work();
    await session.commit();
    return result;
  } catch (error) {
    await session.rollback();
    throw error;
  }
}

/** Kysely's query builder in a transaction. */
export function builderIn(session: Session, dialect: Dialect): Kysely<Tables> {
  const unsupported = async () => {
    throw new Error('There are no transactions in a transaction.');
  };
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => session,
        releaseConnection: async () => {},
        beginTransaction: unsupported,
        commitTransaction: unsupported,
        rollbackTransaction: unsupported,
        destroy: async () => {},
      }),
      createAdapter: () => dialect.createAdapter(),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createIntrospector: (db) => dialect.createIntrospector(db),
    },
  });
}
