/** Queries that are compiled once: Kysely writes them, only the values change from call to call. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './database.ts';

/** Stands in a compiled query where a value goes. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A slot wherever a value is asked for, whatever its name. */
const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/** Gives the rows that a query has with these values. */
export type Prepared<Values, Row> = (db: Db, values: Values) => Row[] | Promise<Row[]>;

/** Runs a query that only reads. */
type Read = (sql: string, parameters: unknown[]) => unknown[];

// By adapter, because that is what a database and the transactions on it have in common.
const direct = new WeakMap<object, Read>();

/** Lets prepared queries go round Kysely's way to a connection, of which SQLite needs nothing. */
export function readDirectly(db: Db, read: Read): void {
  direct.set(db.getExecutor().adapter, read);
}

/**
 * A query for which Kysely does its work only at the first call. `build` gets a stand-in for each value in
 * `Values`; it may use them wherever a query takes a value, not look at them.
 *
 *     const byId = prepared((db, value: { id: number }) => db.selectFrom('users').selectAll().where('id', '=', value.id));
 *     const [user] = await byId(db, { id: 7 });
 *
 * @returns a function that gives the rows; it works in transactions too. Where the database answers at once, and
 * outside a transaction, so does the function.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, value: Values) => Compilable<Row>,
): Prepared<Values, Row> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return (db, values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (query === undefined) {
      query = build(db, slots as Values).compile();
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Slot ? values[value.name as keyof Values] : value,
    );
    const read = db.isTransaction ? undefined : direct.get(adapter);
    return read
      ? (read(query.sql, parameters) as Row[])
      : db.executeQuery<Row>({ ...query, parameters }).then(({ rows }) => rows);
  };
}

/** These columns of a value, one by one: a stand-in for a value cannot be spread, because it has every name. */
export function pick<T, Name extends keyof T>(value: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}
