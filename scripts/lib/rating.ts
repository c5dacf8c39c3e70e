/** Says of each change of the contract how much clients notice, who is hurt by it, and what they have to do. */
import { isDeepStrictEqual } from 'node:util';
import { consequence } from './consequences.ts';
import type { Rated } from './diff-report.ts';
import { at, directionsOf, type Json, keysOf, resolve, usersOf } from './document.ts';
import { normalize } from './normalize.ts';
import { type Change, compare } from './redocly-diff.ts';
import { rateSecurity } from './security-rating.ts';
import type { Impact } from './version.ts';

/** Every change from one contract to another, but that of the version itself. What says the same is no change. */
export async function changesBetween(before: Json, after: Json): Promise<Rated[]> {
  const [base, revision] = [normalize(before), normalize(after)];
  const found = await compare(base, revision);
  const rated = found
    .filter(({ path, property }) => path !== '#/info' || property !== 'version')
    // Redocly compares requirements one by one. What counts is what all of them take together.
    .filter(({ path }) => !/^#\/paths\/[^/]+\/[^/]+\/security(\/|$)/.test(path))
    .filter((change) => !isOtherHalf(change, found))
    .map((change) => {
      const { pointer } = change.revision ?? change.base!;
      const keys = keysOf(
        change.property && !pointer.endsWith(`/${change.property}`) ? `${pointer}/${change.property}` : pointer,
      );
      return rate(change, keys, base, revision);
    });
  return [...rated, ...rateSecurity(base, revision)];
}

/** A parameter or header has either a schema or a content. Of both changes the second is not told. */
function isOtherHalf({ path, kind }: Change, changes: Change[]): boolean {
  const holder = /^(.*\/(?:parameters|headers)\/[^/]+)\/schema$/.exec(path)?.[1];
  return kind !== 'modified' && holder !== undefined && changes.some(({ path }) => path === `${holder}/content`);
}

function rate(change: Change, keys: string[], before: Json, after: Json): Rated {
  const { kind, property, verdicts, base, revision } = change;
  const directions = [before, after].map((document) => directionsOf(document, keys));
  const sent = directions.some((direction) => direction.sent);
  const read = directions.some((direction) => direction.read);
  const impact = impactOf(change, keys, sent, before);
  const place = placeOf(keys, [after, before]);
  return {
    impact,
    operations: [...new Set([before, after].flatMap((document) => usersOf(document, keys)))],
    place: place.join(' › '),
    what:
      verdicts.map(({ message }) => message).join(' ') ||
      (property ? difference(base?.value, revision?.value) : kind === 'added' ? 'Added.' : 'Removed.'),
    who: consequence({ change, impact, sent, read, name: headerOf(change) ?? nameOf(keys, place) }),
  };
}

/** Redocly's rating, raised where its rules say less although clients notice the change. */
function impactOf(change: Change, keys: string[], sent: boolean, before: Json): Impact {
  const { path, typeName, kind, impact, property, base, revision } = change;
  const [from, to] = [base?.value, revision?.value];
  if (impact === 'major') return impact;
  const isPattern = typeName === 'PatternProperties' || keys.at(-2) === 'patternProperties';
  if (isPattern && kind === 'removed') return 'major';
  // Where nothing else was allowed, a pattern allows more.
  const holder = keys.slice(0, typeName === 'PatternProperties' ? -1 : -2);
  if (isPattern && kind === 'added' && sent && at(before, holder)?.additionalProperties !== false) return 'major';
  if (typeName === 'RequestBody' && kind === 'added' && to.required === true) return 'major';
  if (typeName === 'Header' && property === 'required' && from === true) return 'major';
  if (/\/(parameters|headers)\/[^/]+\/(content|schema)$/.test(path) && kind !== 'modified') return 'major';
  if (impact !== 'patch') return impact;
  if (kind === 'removed' && /\/requestBody\/.*\/properties\/[^/]+$/.test(path)) return 'major';
  if (property === 'default') return 'major';
  if (property === 'x-max-depth' && Number(to ?? Infinity) < Number(from ?? Infinity))
    return directionsOf(before, keysOf(base!.pointer)).sent ? 'major' : 'minor';
  const isText =
    /^(description|summary|title|examples?|value|externalValue|x-expected)$/.test(property ?? '') ||
    /^#\/(info|tags|x-tagGroups)\b|\/examples\//.test(path);
  return kind === 'modified' && !isText ? 'minor' : 'patch';
}

function difference(from: unknown, to: unknown): string {
  if (Array.isArray(from) && Array.isArray(to)) {
    const missing = (list: unknown[], other: unknown[]) =>
      list.filter((item) => !other.some((one) => isDeepStrictEqual(one, item)));
    const [added, removed] = [missing(to, from), missing(from, to)];
    return (
      `${added.length > 0 ? `${short(added)} added. ` : ''}${removed.length > 0 ? `${short(removed)} removed. ` : ''}`.trim() ||
      'Another order.'
    );
  }
  return from === undefined
    ? `Now ${short(to)}.`
    : to === undefined
      ? `Was ${short(from)}.`
      : `${short(from)} → ${short(to)}.`;
}

/** A value, shortened so that it fits into one line of a table. */
function short(value: unknown): string {
  const text = JSON.stringify(value);
  return `\`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\``;
}

/** A pointer as people read it: parameters by name, without the words `components` and `properties`. */
function placeOf(keys: string[], documents: Json[]): string[] {
  const names = keys.map((key, index) => {
    const [parameter] =
      keys[index - 1] === 'parameters'
        ? documents.flatMap((document) => resolve(document, at(document, keys.slice(0, index + 1))) ?? [])
        : [];
    return parameter?.name ?? key;
  });
  const [root, path, method, ...rest] = names;
  const place =
    root === 'paths'
      ? [method ? `${method.toUpperCase()} ${path}` : path!, ...rest]
      : names.filter((name) => name !== 'components');
  return place.filter((name) => name !== 'properties');
}

/** Words of the specification. They name no member, parameter or header. */
const keywords =
  /^(responses|headers|parameters|requestBody|required|enum|type|format|pattern|patternProperties|items|schema|content|default|deprecated|key|in|name|style|explode|additionalProperties|(exclusive)?(min|max).*|multipleOf|uniqueItems|x-.*|allOf|anyOf|oneOf|not|if|then|else|propertyNames|dependentRequired|description|summary|title|examples?|\d+)$/i;

/** A header has the name of its component only in the contract. */
function headerOf({ path }: Change): string | undefined {
  return /\/headers\/([^/]+)/.exec(path)?.[1];
}

/** What the change is about, in the words of clients: a member, or the last name that is not one of the specification's. */
function nameOf(keys: string[], place: string[]): string {
  const member = keys[keys.lastIndexOf('properties') + 1];
  if (keys.includes('properties') && member !== undefined) return member;
  return place.findLast((name) => !keywords.test(name)) ?? place.at(-1) ?? '';
}
