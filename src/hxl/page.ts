/** The paging envelope around every HXL listing. */
import type { Schema } from '../api/handler.ts';
import { linkHeader } from '../api/links.ts';
import { listText } from '../contract/json-list.ts';
import type { PageRequest } from '../database/page.ts';

/** How a page was asked for: the validated query of a listing. */
export interface PageQuery {
  orderby: string;
  order: string;
  limit?: number;
  offset: number;
}

/** The filters that listings have, in the order of the links that carry those in use. */
const filterNames = [
  'name',
  'code',
  'organisation_id',
  'dataset_title',
  'private',
  'license_id',
  'tag_name',
  'form_attribute_type',
  'hxl_attribute',
] as const;
export type Filters = { [Name in (typeof filterNames)[number]]?: string | number | boolean };

/** Records have a `url` that ends with their id, so both sort alike. */
export function sorted({ orderby, ...query }: PageQuery): PageRequest {
  const descending = query.order.toLowerCase() === 'desc';
  return { ...query, orderby: orderby === 'url' ? 'id' : orderby, descending, apart: false };
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
  const { curr, next, prev } = linksOf(query, url);
  return {
    count: results.length,
    limit: limit?.toString() ?? null,
    offset,
    order: query.order.toLowerCase(),
    orderby,
    curr,
    next,
    prev,
    total_count: total,
    results,
  };
}

/** The headers of a page: how many items all pages have, and links to the others, which end at the last one. */
export function pageHeaders(count: number, total: number, query: PageQuery & Filters, url: string) {
  const { limit, offset } = query;
  const { first, next, prev } = linksOf(query, url);
  const links = { first, ...(offset > 0 && { prev }), ...(offset + count < total && { next }) };
  return { 'X-Total-Count': String(total), ...(limit !== undefined && { Link: linkHeader(links) }) };
}

/** The addresses of a page and of those around it, whether these have items or not. */
function linksOf(query: PageQuery & Filters, url: string) {
  const { orderby, limit, offset } = query;
  const head = `${url}?orderby=${orderby}&order=${query.order.toLowerCase()}${limit ? `&limit=${limit}` : ''}`;
  const tail = filterQuery(query);
  const link = (start: number) => `${head}&offset=${start}${tail}`;
  const step = limit ?? 0;
  return {
    first: link(0),
    curr: link(offset),
    next: link(Math.min(offset + step, lastOffset)),
    prev: link(Math.max(0, offset - step)),
  };
}

/** The part of a link that carries the filters. */
function filterQuery(filters: Filters): string {
  const given = new URLSearchParams();
  for (const name of filterNames) if (filters[name] !== undefined) given.set(name, String(filters[name]));
  return given.size === 0 ? '' : `&${given}`;
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
  return listText(`${JSON.stringify(envelope).slice(0, -1)},"results":[`, results, ']}');
}
