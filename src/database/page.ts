/** One page of what a query finds, and how many rows there are on all pages. */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { order } from './order.ts';
import { type PreparedQuery, prepared } from './prepared.ts';

export interface PagedRows<Row> {
  results: Row[];
  /** How many rows there are on all pages. */
  total: number;
}

/** Which page, and of which order. */
export interface PageRequest {
  /** A column of the rows. Rows with the same value are sorted by `id`, which every row has. */
  orderby: string;
  descending: boolean;
  /** All rows when it is left out. */
  limit?: number;
  offset: number;
  /** Whether there are so many rows that others are to be served while they are read. */
  apart: boolean;
}

type Filter = string | number;

/** The query before it is cut into pages. `has` tells which filters are in use. */
type Find<Filters, DB, TB extends keyof DB, Row> = (
  query: Db['query'],
  value: Filters,
  has: (filter: keyof Filters) => boolean,
) => SelectQueryBuilder<DB, TB, Row>;

/**
 * Makes the function that reads one page of what `find` finds. A filter that is undefined is not in use. The queries
 * are compiled once for each set of filters in use and each order, so there must be few of both.
 */
export function pages<Filters extends Record<string, Filter>, DB, TB extends keyof DB, Row>(
  find: Find<Filters, DB, TB, Row>,
) {
  const compiled = new Map<string, PageQueries<Filters, Row>>();
  return async (
    db: Db,
    { orderby, descending, limit, offset, apart }: PageRequest,
    filters: { [Name in keyof Filters]: Filters[Name] | undefined },
  ): Promise<PagedRows<Row>> => {
    const used = Object.keys(filters).filter((name) => filters[name] !== undefined);
    const key = `${orderby} ${descending} ${used}`;
    const queries = compiled.get(key) ?? pageQueries(find, orderby, descending, used);
    compiled.set(key, queries);
    const values = filters as Filters;
    const read: Db['rows'] = (query, at) => (apart ? db.manyRows(query, at) : db.rows(query, at));
    // PostgreSQL takes an offset without a limit, SQLite does not.
    const results = await read(queries.page, { ...values, limit: limit ?? Number.MAX_SAFE_INTEGER, offset });
    // The last page shows how many rows there are, unless it is empty because the offset is too large.
    if (results.length < (limit ?? Infinity) && (results.length > 0 || offset === 0))
      return { results, total: offset + results.length };
    const [counted] = await read(queries.count, values);
    return { results, total: Number(counted!.total) };
  };
}

interface PageQueries<Filters extends object, Row> {
  page: PreparedQuery<Filters & { limit: number; offset: number }, Row>;
  count: PreparedQuery<Filters, { total: number | string }>;
}

function pageQueries<Filters extends object, DB, TB extends keyof DB, Row>(
  find: Find<Filters, DB, TB, Row>,
  orderby: string,
  descending: boolean,
  used: readonly (keyof Filters)[],
): PageQueries<Filters, Row> {
  const found = (query: Db['query'], value: Filters) => find(query, value, (filter) => used.includes(filter));
  return {
    page: prepared((query, value) =>
      found(query, value)
        .orderBy(sql.ref(orderby), order(descending, orderby !== 'id'))
        .$if(orderby !== 'id', (rows) => rows.orderBy(sql.ref('id')))
        .limit(value.limit)
        .offset(value.offset),
    ),
    count: prepared((query, value) =>
      query.selectFrom(found(query, value).as('found')).select((row) => row.fn.countAll<number | string>().as('total')),
    ),
  };
}
