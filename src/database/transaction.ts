/** A transaction that has begun, as the stores use it. */
import type { Dialect, Kysely } from 'kysely';
import { type CompiledQueries, run } from './compiled-queries.ts';
import { type PreparedQuery, type PreparedWrites, unawaited } from './prepared.ts';
import { builderIn, type Session } from './session.ts';
import type { Tables } from './tables.ts';

/** So many new identifiers for each of these tables, ascending. */
export type ReserveIds = <Table extends keyof Tables>(
  counts: Record<Table, number>,
) => Promise<Record<Table, number[]>>;

/** A class, because an object with a getter, made anew each time, kept 15 KB of each request until a full collection. */
export class OpenTransaction {
  readonly readsApart = false;
  readonly reserveIds: ReserveIds;
  readonly #session: Session;
  readonly #dialect: Dialect;
  readonly #compiled: CompiledQueries;
  #query: Kysely<Tables> | undefined;

  constructor(session: Session, dialect: Dialect, compiled: CompiledQueries, reserveIds: ReserveIds) {
    this.#session = session;
    this.#dialect = dialect;
    this.#compiled = compiled;
    this.reserveIds = reserveIds;
  }

  /** Made when it is wanted: that takes as long as a query. */
  get query(): Kysely<Tables> {
    this.#query ??= builderIn(this.#session, this.#dialect);
    return this.#query;
  }

  rows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Promise<Row[]> {
    const statement = this.#compiled.one(query);
    return run(this.#session, statement, statement.parameters(values));
  }

  manyRows<Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values): Promise<Row[]> {
    return this.rows(query, values);
  }

  async send<Values extends object>(
    queries: PreparedQuery<Values, unknown> | PreparedWrites<Values>,
    values: Values,
  ): Promise<void> {
    for (const { query, parameters } of this.#compiled.all(queries))
      await this.#session.executeQuery(unawaited({ ...query, parameters: parameters(values) }));
  }
}
