/** The paging envelope around every HXL listing. */
import type { Schema } from '../api/handler.ts';

/** How a page was asked for: the validated query of a listing. */
export interface PageQuery {
  orderby: string;
  order: string;
  limit?: number;
  offset: number;
}

/** The filters that listings have; the links of a page carry those in use. */
export interface Filters {
  name?: string;
  code?: string;
  organisation_id?: string;
}

/** The largest offset that the contract takes: no link goes beyond it. */
const lastOffset = 2 ** 31 - 1;

/**
 * The envelope of one page.
 *
 * @param url the absolute URL of the listing, without a query.
 */
export function page<T>(
  results: T[],
  total: number,
  query: PageQuery & Filters,
  url: string,
): Schema<'Page'> & { results: T[] } {
  const { orderby, limit, offset, name, code, organisation_id } = query;
  const order = query.order.toLowerCase();
  const link = (start: number) => {
    const sent = { orderby, order, limit: limit?.toString(), offset: String(start), name, code, organisation_id };
    const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${url}?${new URLSearchParams(given)}`;
  };
  const step = limit ?? 0;
  return {
    count: results.length,
    results,
    limit: limit?.toString() ?? null,
    offset,
    order,
    orderby,
    curr: link(offset),
    next: link(Math.min(offset + step, lastOffset)),
    prev: link(Math.max(0, offset - step)),
    total_count: total,
  };
}
