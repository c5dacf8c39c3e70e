/** Queries that are compiled once: Kysely writes the SQL at the first call, and later calls only send other values. */
import type { Compilable, CompiledQuery, InsertQueryBuilder, Kysely, QueryCreator } from 'kysely';
import { isPostgres } from './kind.ts';
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

/** A compiled query that no rollback undoes, such as taking numbers from a sequence: it needs no transaction. */
interface IndependentQuery extends CompiledQuery {
  isIndependent: true;
}

export function independent(query: CompiledQuery): IndependentQuery {
  return { ...query, isIndependent: true };
}

export function isIndependent(query: CompiledQuery): query is IndependentQuery {
  return 'isIndependent' in query;
}

/** Whether a query changes nothing. One with writes in its `with` does. */
export function onlyReads({ query }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' && query.with === undefined;
}

/** A query with places for `Values` that gives rows of the type `Row`. `Db.rows` runs it. */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: (query: Kysely<Tables>, value: Values) => Compilable<Row>;

  constructor(build: (query: Kysely<Tables>, value: Values) => Compilable<Row>) {
    this.#build = build;
  }

  /** Compiles the query for the database of this query builder. `Db.rows` does that at the first call. */
  compile(builder: Kysely<Tables>): Statement[] {
    return [statementOf(this.#build(builder, slots as Values))];
  }
}

function statementOf(compilable: Compilable): Statement {
  const query = compilable.compile();
  return {
    query,
    readsOnly: onlyReads(query),
    parameters: (values) =>
      query.parameters.map((value) => (value instanceof Slot ? values[value.name as keyof object] : value)),
  };
}

/** Several writes with places for the same `Values`. `Transaction.send` runs them. */
export class PreparedWrites<Values extends object> {
  readonly #build: BuildWrites<Values>;

  constructor(build: BuildWrites<Values>) {
    this.#build = build;
  }

  /** Compiles the writes: as one statement where the database can do that. */
  compile(builder: Kysely<Tables>): Statement[] {
    const writes = this.#build(builder, slots as Values);
    return (isPostgres(builder) ? [together(builder, writes)] : writes).map(statementOf);
  }
}

type BuildWrites<Values> = (query: Kysely<Tables>, value: Values) => InsertQueryBuilder<Tables, any, any>[];

/** One query that does all of these: https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-MODIFYING */
function together(builder: Kysely<Tables>, writes: readonly InsertQueryBuilder<Tables, any, any>[]): Compilable {
  return writes
    .reduce<QueryCreator<any>>((query, write, at) => query.with(`write${at}`, () => write), builder)
    .selectNoFrom((value) => value.lit(1).as('done'));
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

/** Writes that are compiled once for each database, as `prepared` does with a query. None sees what another one writes. */
export function preparedWrites<Values extends object>(build: BuildWrites<Values>): PreparedWrites<Values> {
  return new PreparedWrites(build);
}

/** These members of a value, one by one: a stand-in for a value cannot be spread, because it has every name. */
export function pick<T, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}
