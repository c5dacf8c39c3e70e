/** Queries that are compiled once: Kysely writes them, only the values change from call to call. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './connect.ts';

/** Stands in a compiled query where a value goes. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A slot wherever a value is asked for, whatever its name. */
const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/**
 * A query for which Kysely does its work only at the first call. `build` gets a stand-in for each value in
 * `Values`; it may use them wherever a query takes a value, not look at them.
 *
 *     const byId = prepared((db, value: { id: number }) => db.selectFrom('users').selectAll().where('id', '=', value.id));
 *     const [user] = await byId(db, { id: 7 });
 *
 * @returns a function that gives the rows; it works in transactions too.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, value: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  // What is compiled depends on the dialect, and each dialect has an adapter of its own.
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (query === undefined) {
      query = build(db, slots as Values).compile();
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Slot ? values[value.name as keyof Values] : value));
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** These columns of a value, one by one: a stand-in for a value cannot be spread, because it has every name. */
export function pick<T, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}
