/** The paging envelope around every HXL listing. */
import type { Schema } from '../api.ts';

/** How a page was asked for: the validated query of a listing. */
export interface PageQuery {
  orderby: string;
  order: string;
  limit?: number;
  offset: number;
}

/**
 * The envelope of one page.
 *
 * @param url the absolute URL of the listing, without a query.
 * @param filters the filters in use; the links carry them too.
 */
export function page<T>(
  { results, total }: { results: T[]; total: number },
  query: PageQuery,
  url: string,
  filters: Record<string, string | undefined> = {},
): Schema<'Page'> & { results: T[] } {
  const { orderby, limit, offset } = query;
  const order = query.order.toLowerCase();
  const link = (start: number) => {
    const sent = { orderby, order, limit: limit?.toString(), offset: String(start), ...filters };
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
    next: link(offset + step),
    prev: link(Math.max(0, offset - step)),
    total_count: total,
  };
}
