/** Prepared queries as one database runs them. */
import type { CompiledQuery, Kysely } from 'kysely';
import type { PreparedQuery, PreparedWrites, Statement } from './prepared.ts';
import type { Session } from './session.ts';
import type { Tables } from './tables.ts';

/** Compiles each prepared query once for a database. The entry is dropped together with the query. */
export class CompiledQueries {
  readonly #builder: Kysely<Tables>;
  readonly #statements = new WeakMap<object, readonly Statement[]>();

  constructor(builder: Kysely<Tables>) {
    this.#builder = builder;
  }

  all(query: PreparedQuery<any, any> | PreparedWrites<any>): readonly Statement[] {
    let statements = this.#statements.get(query);
    if (statements === undefined) {
      statements = query.compile(this.#builder);
      this.#statements.set(query, statements);
    }
    return statements;
  }

  one(query: PreparedQuery<any, any>): Statement {
    return this.all(query)[0]!;
  }
}

/** The rows of a query with these values. */
export async function run<Row>(
  db: Kysely<Tables> | Session,
  { query }: Statement,
  parameters: unknown[],
): Promise<Row[]> {
  const { rows } = await db.executeQuery({ ...query, parameters } as CompiledQuery<Row>);
  return rows;
}
