/** Queries that are compiled once: Kysely writes the SQL at the first call, and later calls only send other values. */
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Stands in a compiled query where a value goes. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A slot for each value that is asked for, whatever its name. */
const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/** A query compiled for one database. */
export interface Statement {
  query: CompiledQuery<unknown>;
  /** Whether it changes nothing. */
  readsOnly: boolean;
  /** What is sent with the SQL when the query is run with these values. */
  parameters(values: object): unknown[];
}

/** A compiled query whose result nobody needs, so that a database need not be waited for. */
export interface UnawaitedQuery extends CompiledQuery {
  isUnawaited: true;
}

export function unawaited(query: CompiledQuery): UnawaitedQuery {
  return { ...query, isUnawaited: true };
}

export function isUnawaited(query: CompiledQuery): query is UnawaitedQuery {
  return 'isUnawaited' in query;
}

/** A query with places for `Values` that gives rows of the type `Row`. `Db.rows` runs it. */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: (query: Kysely<Tables>, value: Values) => Compilable<Row>;

  constructor(build: (query: Kysely<Tables>, value: Values) => Compilable<Row>) {
    this.#build = build;
  }

  /** Compiles the query for the database of this query builder. `Db.rows` does that at the first call. */
  compile(builder: Kysely<Tables>): Statement {
    const query = this.#build(builder, slots as Values).compile();
    return {
      query,
      readsOnly: query.query.kind === 'SelectQueryNode',
      parameters: (values) =>
        query.parameters.map((value) => (value instanceof Slot ? values[value.name as keyof object] : value)),
    };
  }
}

/**
 * A query that is compiled once for each database. `build` gets a stand-in for each value in `Values`; it may use them
 * wherever a query takes a value, but not look at them.
 *
 *     const byId = prepared((query, value: { id: number }) =>
 *       query.selectFrom('users').selectAll().where('id', '=', value.id),
 *     );
 *     const [user] = await db.rows(byId, { id: 7 });
 */
export function prepared<Values extends object, Row>(
  build: (query: Kysely<Tables>, value: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  return new PreparedQuery(build);
}

/** These members of a value, one by one: a stand-in for a value cannot be spread, because it has every name. */
export function pick<T, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}
