/** The paging envelope around every HXL listing. */
import type { Schema } from '../api/handler.ts';
import { listText } from '../contract/json-list.ts';

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

/** One page of a listing, as its operation returns it. */
export type Page<T> = Schema<'Page'> & { results: T[] };

/**
 * Puts the envelope around one page.
 *
 * @param url the absolute URL of the listing, without a query.
 */
export function page<T>(results: T[], total: number, query: PageQuery & Filters, url: string): Page<T> {
  const { orderby, limit, offset } = query;
  const order = query.order.toLowerCase();
  const [head, tail] = [
    `${url}?orderby=${orderby}&order=${order}${limit ? `&limit=${limit}` : ''}`,
    filterQuery(query),
  ];
  const link = (start: number) => `${head}&offset=${start}${tail}`;
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

/** The part of a link that carries the filters. */
function filterQuery({ name, code, organisation_id }: Filters): string {
  const given = Object.entries({ name, code, organisation_id }).filter((entry) => entry[1] !== undefined);
  return given.length === 0 ? '' : `&${new URLSearchParams(given as [string, string][])}`;
}

/** The JSON text of a page whose results are JSON text. */
export function pageText({ count, results, ...rest }: Page<string>): string {
  return `{"count":${count},"results":[${results.join(',')}],${JSON.stringify(rest).slice(1)}`;
}

/** The same for results that come chunk by chunk as JSON text: the text of the page, made while it is being sent. */
export function longPageText(
  count: number,
  results: AsyncIterable<string[]>,
  total: number,
  query: PageQuery & Filters,
  url: string,
): AsyncIterable<string> {
  const { results: _, ...envelope } = { ...page([], total, query, url), count };
  // In this order the contract serialises a page.
  return listText(`${JSON.stringify(envelope).slice(0, -1)},"results":[`, results, ']}');
}
