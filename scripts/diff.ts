/**
 * `npm run diff`: reports what the contract changes for clients since its last release, as Markdown for a review. It refuses
 * a contract whose version or changelog does not tell of the change. `npm run release` makes the contract the released one,
 * unless it is refused. With `--replace` it may replace a release of the same version, which nobody may have used yet.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { redocly } from './lib/redocly.ts';

const current = 'src/generated/openapi.json';
const released = 'openapi/released/openapi.json';
const changelog = 'CHANGELOG.md';

/** How much clients notice, from nothing to programs that break. */
const impacts = ['none', 'patch', 'minor', 'major'] as const;
type Impact = (typeof impacts)[number];

/** One change in Redocly's report. `path` is the first place that is affected, the pointers are where the change is. */
interface Change {
  path: string;
  kind: 'added' | 'removed' | 'modified';
  impact: Impact;
  property?: string;
  verdicts: { message: string }[];
  base?: { pointer: string; value?: unknown };
  revision?: { pointer: string; value?: unknown };
}

/** A change as a reviewer reads it. */
interface Rated {
  impact: Impact;
  operations: string[];
  place: string;
  what: string;
}

// Documents are followed only along their references, so their types do not help.
type Json = any;

/** Every change but that of the version itself. */
async function changes(before: Json, after: Json): Promise<Rated[]> {
  const { stdout, stderr } = await redocly('diff', released, current, '--format=json', '--fail-on=none');
  // Without its rules (redocly.yaml, diff-recommended) Redocly counts nothing as breaking, and only warns.
  if (!stdout.startsWith('{') || stderr.includes('No diff rules'))
    throw new Error(`Redocly cannot compare the contracts:\n${stderr}`);
  const found: Change[] = JSON.parse(stdout).changes;
  return found
    .filter(({ path, property }) => path !== '#/info' || property !== 'version')
    .map((change) => {
      const { pointer } = change.revision ?? change.base!;
      const keys = keysOf(
        change.property && !pointer.endsWith(`/${change.property}`) ? `${pointer}/${change.property}` : pointer,
      );
      return {
        ...rate(change, before),
        operations: [...new Set([before, after].flatMap((document) => users(document, keys)))],
        place: placeOf(keys, [after, before]),
      };
    });
}

/** Redocly's rating, raised where its rules say `patch` although clients of this API notice the change. */
function rate(
  { path, kind, impact, property, verdicts, base, revision }: Change,
  before: Json,
): { impact: Impact; what: string } {
  const [from, to] = [base?.value, revision?.value];
  const what =
    verdicts.map(({ message }) => message).join(' ') ||
    (property ? difference(from, to) : kind === 'added' ? 'Added.' : 'Removed.');
  if (impact !== 'patch') return { impact, what };
  const breaking = (why: string) => ({ impact: 'major' as const, what: `${what} ${why}` });
  if (kind === 'removed' && /\/requestBody\/.*\/properties\/[^/]+$/.test(path))
    return breaking('What clients send there is ignored.');
  if (property === 'default') return breaking('Those who leave it out get another response.');
  const isNarrower = property === 'x-max-depth' && Number(to ?? Infinity) < Number(from ?? Infinity);
  if (isNarrower && isSent(before, keysOf(base!.pointer))) return breaking('What was accepted is refused.');
  const isText =
    /^(description|summary|title|examples?|value|externalValue|x-expected)$/.test(property ?? '') ||
    /^#\/(info|tags|x-tagGroups)\b|\/examples\//.test(path);
  return { impact: kind === 'modified' && !isText ? 'minor' : 'patch', what };
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

/** The operationIds that a place belongs to: it is in the operation, or in a component that the operation refers to. */
function users(document: Json, [root, key = '', member = '']: string[]): string[] {
  const paths = Object.entries<Json>(document.paths);
  const operations = paths.flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, { operationId }]) => operationId)
      .map(([method, operation]) => ({ path, method, operation, shared: item.parameters })),
  );
  const used = operations.filter(({ path, method, operation, shared }) =>
    root === 'components'
      ? references(document, [operation, shared]).has(`#/components/${key}/${member}`)
      : root === 'paths' && path === key && ['', 'parameters', method].includes(member),
  );
  return used.map(({ operation }) => operation.operationId);
}

/**
 * Whether clients send what is described here. A schema that is shared with responses is reported once, with the first place
 * that is affected, so the place does not tell.
 */
function isSent(document: Json, [root, key, member, ...rest]: string[]): boolean {
  if (root === 'paths') return !rest.includes('responses');
  const sent = Object.values<Json>(document.paths).flatMap((item) => [
    item.parameters ?? [],
    ...Object.values<Json>(item).map(({ parameters, requestBody }) => [parameters ?? [], requestBody ?? {}]),
  ]);
  return references(document, sent).has(`#/components/${key}/${member}`);
}

/** The components that a part of the document refers to, directly or through others. Security schemes are among them. */
function references(document: Json, part: Json, found = new Set<string>()): Set<string> {
  JSON.stringify(part, (name, value) => {
    if (name === 'security')
      for (const scheme of value.flatMap(Object.keys)) found.add(`#/components/securitySchemes/${scheme}`);
    if (name === '$ref' && !found.has(value)) references(document, at(document, keysOf(value)), found.add(value));
    return value;
  });
  return found;
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function at(document: Json, keys: string[]): Json {
  return keys.reduce((node, key) => node?.[key], document);
}

/** A pointer as people read it: parameters by name, without the words `components` and `properties`. */
function placeOf(keys: string[], documents: Json[]): string {
  const names = keys.map((key, index) => {
    const [parameter] =
      keys[index - 1] === 'parameters'
        ? documents.flatMap((document) => at(document, keys.slice(0, index + 1)) ?? [])
        : [];
    return parameter?.name ?? parameter?.$ref?.split('/').at(-1) ?? key;
  });
  const [root, path, method, ...rest] = names;
  const place =
    root === 'paths'
      ? [method ? `${method.toUpperCase()} ${path}` : path!, ...rest]
      : names.filter((name) => name !== 'components');
  return place.filter((name) => name !== 'properties').join(' › ');
}

type Version = [major: number, minor: number, patch: number];

function parse(version: string): Version {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (numbers.length === 0) throw new Error(`info.version has to be three numbers such as 1.2.0, not ${version}.`);
  return numbers.map(Number) as Version;
}

/** The lowest version that may follow one with such changes. */
function next([major, minor, patch]: Version, bump: Impact): Version {
  return {
    none: [major, minor, patch],
    patch: [major, minor, patch + 1],
    minor: [major, minor + 1, 0],
    major: [major + 1, 0, 0],
  }[bump] as Version;
}

function isBelow(a: Version, b: Version): boolean {
  return (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) < 0;
}

/** Whether the changelog has an entry with at least one item for this version. */
function isInChangelog(version: string): boolean {
  const entries = existsSync(changelog) ? readFileSync(changelog, 'utf8').split(/^## /m) : [];
  return entries.some((entry) => entry.startsWith(`[${version}]`) && /^- \S/m.test(entry));
}

const sections: [impact: Impact, one: string, more: string][] = [
  ['major', 'breaking change', 'breaking changes'],
  ['minor', 'addition', 'additions'],
  ['patch', 'text', 'texts'],
];

function report(title: string, rated: Rated[], bump: Impact, refusals: string[]): string {
  const groups = sections.map(([impact, one, more]) => ({
    one,
    more,
    changes: rated.filter((change) => change.impact === impact),
  }));
  const counts = groups
    .map(({ one, more, changes: { length } }) => `${length} ${length === 1 ? one : more}`)
    .join(', ');
  const verdict = `${bump === 'none' ? 'Nothing changes for clients' : `Needs a ${bump} step`}${refusals.length > 0 ? '; refused' : ''}`;
  return [
    `# ${title}`,
    `**${verdict}.** ${counts}.`,
    refusals.map((refusal) => `- ${refusal}`).join('\n'),
    ...groups.flatMap(({ more, changes }) =>
      changes.length > 0 ? [`## ${more[0]!.toUpperCase()}${more.slice(1)}`, table(changes)] : [],
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function table(changes: Rated[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const some = (names: string[]) =>
    names.length > 5 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ') || '–';
  return [
    '| Operations | Place | Change |',
    '|---|---|---|',
    ...changes.map(({ operations, place, what }) => `| ${some(operations)} | ${cell(place)} | ${cell(what)} |`),
  ].join('\n');
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const {
  values: { release = false, replace = false },
} = parseArgs({ options: { release: { type: 'boolean' }, replace: { type: 'boolean' } } });
const read = (file: string): Json => JSON.parse(readFileSync(file, 'utf8'));
const after = read(current);
const before = existsSync(released) ? read(released) : undefined;
const to: string = after.info.version;
const from: string = before?.info.version ?? to;

const rated = before ? await changes(before, after) : [];
const bump = impacts[Math.max(0, ...rated.map(({ impact }) => impacts.indexOf(impact)))]!;
const lowest = next(parse(from), bump);
const refusals = [
  ...(before || release ? [] : [`${released} is missing, so there is nothing to compare with.`]),
  ...(isBelow(parse(to), lowest) && !(replace && from === to)
    ? [`info.version is ${to} and has to be ${lowest.join('.')} or above.`]
    : []),
  ...(isInChangelog(to)
    ? []
    : [`${changelog} needs an entry \`## [${to}]\` that tells the users of the API what is new.`]),
];
console.log(
  report(
    from === to ? `Contract ${to}, against what is released` : `Contract ${to}, against ${from}`,
    rated,
    bump,
    refusals,
  ),
);
if (refusals.length > 0) process.exitCode = 1;
else if (release) {
  mkdirSync(dirname(released), { recursive: true });
  copyFileSync(current, released);
  console.error(`\n${to} is released with the commit of ${released}.`);
}
