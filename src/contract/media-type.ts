/** Media types and media ranges: what they are, which one fits, which one a client would like (RFC 9110, sections 8.3 and 12.5.1). */
import { parse } from 'content-type';
import Negotiator from 'negotiator';

/** A media type such as `text/csv`, or a media range such as `text/*`, in lower case. */
export interface MediaType {
  type: string;
  parameters: Readonly<Record<string, string>>;
}

const token = "[!#$%&'+.^_`|~0-9a-z-]+";
const typeForm = new RegExp(`^${token}/${token}$`);
const rangeForm = new RegExp(`^(?:\\*/\\*|${token}/\\*|${token}/${token})$`);

/** The media type in a header, or undefined when it is none. */
export function parseMediaType(text: string): MediaType | undefined {
  const parsed = parse(text);
  return typeForm.test(parsed.type) ? parsed : undefined;
}

/** A media type or media range, as the contract has them for keys, or undefined when it is none. */
export function parseMediaRange(text: string): MediaType | undefined {
  const parsed = parse(text);
  return rangeForm.test(parsed.type) ? parsed : undefined;
}

/** Whether this is a range, which leaves open what the type is. */
export function isRange({ type }: MediaType): boolean {
  return type.endsWith('/*');
}

/** Of these, the one that describes a media type most specifically; undefined when none does. */
export function mostSpecific<T extends { range: MediaType }>(sent: MediaType, declared: readonly T[]): T | undefined {
  let best: T | undefined;
  for (const one of declared) {
    const specific = specificity(sent, one.range);
    if (specific >= 0 && (best === undefined || specific > specificity(sent, best.range))) best = one;
  }
  return best;
}

/** How specifically a range describes a media type; -1 when it does not. */
function specificity(sent: MediaType, { type, parameters }: MediaType): number {
  const wanted = Object.entries(parameters).filter(([name]) => name !== 'charset');
  if (wanted.some(([name, value]) => sent.parameters[name]?.toLowerCase() !== value.toLowerCase())) return -1;
  if (type === sent.type) return 2 + wanted.length;
  if (type === '*/*') return 0;
  return type.endsWith('/*') && sent.type.startsWith(type.slice(0, -1)) ? 1 : -1;
}

/** Whether text is in UTF-8, as far as its media type says. */
export function isUtf8Type({ parameters: { charset = 'utf-8' } }: MediaType): boolean {
  return /^utf-?8$/i.test(charset);
}

/**
 * Which of these a client prefers by its header `Accept`, by quality and then by their order here; undefined when it takes
 * none of them.
 */
export function preferred<T extends { contentType: string }>(
  accept: string | undefined,
  available: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return available[0];
  const types = available.map(({ contentType }) => contentType);
  const chosen = new Negotiator({ headers: { accept } }).mediaType(types);
  return chosen === undefined ? undefined : available[types.indexOf(chosen)];
}
