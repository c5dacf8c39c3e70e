/** Conditional requests: what the headers If-Match, If-None-Match and the two with times ask for (RFC 9110, section 13). */
import { codings } from './codings.ts';
import type { EngineProblem } from './problem.ts';

/** The headers that are conditions. */
export const conditions = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'] as const;

/** The conditions of a request, as they were sent. */
export type Preconditions = { [Name in (typeof conditions)[number]]?: string | undefined };

/** What tells one state of a record from another: an entity tag, and a time that HTTP can write. */
export interface Validators {
  ETag: string;
  'Last-Modified'?: string;
}

/** Whether a request goes on, has nothing new to tell (304), or must not be performed (412). */
export type Verdict = 'proceed' | 'not_modified' | 'failed';

/**
 * Evaluates the conditions in the order of RFC 9110, section 13.2.2, against the current state of a record that exists.
 *
 * @param reads whether the request only reads (GET, HEAD).
 * @param isSame whether two strong tags stand for the same state; the same text, unless an API knows better.
 */
export function evaluate(
  headers: Preconditions,
  { ETag: current, 'Last-Modified': modified }: Validators,
  reads: boolean,
  isSame: (one: string, other: string) => boolean = (one, other) => one === other,
): Verdict {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  const isSameIn = (tags: readonly string[], state: string) => tags.some((tag) => isSame(tag, state));
  // Weak tags never fit If-Match, and are as good as strong ones for If-None-Match: section 8.8.3.2.
  if (match !== undefined) {
    if (!holds(match, (tag) => !isWeak(tag) && !isWeak(current) && isSameIn(anyCoding(tag), current))) return 'failed';
  } else if (isLater(modified, headers['if-unmodified-since'])) return 'failed';

  if (noneMatch !== undefined) {
    const states = (tag: string) => (reads ? [opaque(tag)] : anyCoding(opaque(tag)));
    if (!holds(noneMatch, (tag) => isSameIn(states(tag), opaque(current)))) return 'proceed';
    return reads ? 'not_modified' : 'failed';
  }
  const since = headers['if-modified-since'];
  return reads && time(since) !== undefined && modified !== undefined && !isLater(modified, since)
    ? 'not_modified'
    : 'proceed';
}

/** The form of If-Match and If-None-Match: `*`, or entity tags with commas between them (RFC 9110, section 8.8.3). */
export function isEntityTags(text: string): boolean {
  if (text.trim() === '*') return true;
  const between = text.split(tagPattern);
  // Empty members are allowed: section 5.6.1.2.
  return (
    between.length > 1 &&
    between.every((part, at) => /^[ \t,]*$/.test(part) && (isEnd(at, between) || part.includes(',')))
  );
}

function isEnd(at: number, { length }: readonly unknown[]): boolean {
  return at === 0 || at === length - 1;
}

const tagPattern = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Whether a record that exists fulfils `*`, or one of these tags fits. */
function holds(list: string, fits: (tag: string) => boolean): boolean {
  return list.trim() === '*' || (list.match(tagPattern) ?? []).some(fits);
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/');
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag;
}

/** The entity tag of the same state in a content coding. A weak one stands for all codings. */
export function withCoding(tag: string, coding: string): string {
  return isWeak(tag) ? tag : `${tag.slice(0, -1)};${coding}"`;
}

/** A tag, and where it may be that of a content coding, the one of the same state without it. */
function anyCoding(tag: string): string[] {
  const end = codings.map((coding) => `;${coding}"`).find((suffix) => tag.endsWith(suffix));
  return end === undefined ? [tag] : [tag, `${tag.slice(0, -end.length)}"`];
}

/** Whether a time is later than another; not when one of them is missing, or no time, which is to be ignored. */
function isLater(one: string | undefined, other: string | undefined): boolean {
  const [first, second] = [time(one), time(other)];
  return first !== undefined && second !== undefined && first > second;
}

/** The time that an HTTP date stands for, in milliseconds since 1970 (RFC 9110, section 5.6.7). */
function time(date: string | undefined): number | undefined {
  if (date === undefined || !/^[A-Z][a-z]+, .* GMT$/.test(date)) return undefined;
  const value = Date.parse(date);
  return Number.isNaN(value) ? undefined : value;
}

/** A time of RFC 3339 as HTTP writes it, in whole seconds. */
export function httpDate(timestamp: string): string {
  return new Date(timestamp).toUTCString();
}

export const preconditionFailed: EngineProblem = {
  code: 'precondition_failed',
  message: 'The record has changed since it was read. Read it again, and apply the change to what it is now.',
};
