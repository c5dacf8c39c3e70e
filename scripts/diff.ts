/**
 * `npm run diff`: reports what the contract changes for clients since its last release, as Markdown for a review. It refuses
 * a contract whose version or changelog does not tell of the change. `npm run release` makes the contract the released one,
 * unless it is refused. Both look at openapi/, not at what was generated from it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './lib/command-line.ts';
import { report } from './lib/diff-report.ts';
import type { Json } from './lib/document.ts';
import { changesBetween } from './lib/rating.ts';
import { BrokenContract, bundle } from './lib/redocly.ts';
import { impacts, isBelow, isInChangelog, nextVersion, parseVersion } from './lib/version.ts';

const usage = `Usage: npm run diff
  Reports what the contract in openapi/ changes for clients since its last release, and ends with 1 when its version or
  CHANGELOG.md does not tell of that.

Usage: npm run release [-- --replace]
  Reports the same, and makes the contract the released one unless it is refused.

  --replace  replaces a release of the same version, which nobody may have used yet`;

const generated = 'src/generated/openapi.json';
const released = 'openapi/released/openapi.json';
const changelog = 'CHANGELOG.md';

async function main({ release = false, replace = false }): Promise<void> {
  const text = await bundle('json');
  const after: Json = JSON.parse(text);
  const before: Json = existsSync(released) ? JSON.parse(readFileSync(released, 'utf8')) : undefined;
  const to: string = after.info.version;
  const from: string = before?.info.version ?? to;

  const rated = before ? await changesBetween(before, after) : [];
  const bump = impacts[Math.max(0, ...rated.map(({ impact }) => impacts.indexOf(impact)))]!;
  const lowest = nextVersion(parseVersion(from), bump);
  const isStale = !existsSync(generated) || readFileSync(generated, 'utf8') !== text;
  const refusals = [
    ...(before || release ? [] : [`${released} is missing, so there is nothing to compare with.`]),
    ...(isBelow(parseVersion(to), lowest) && !(replace && from === to)
      ? [`info.version is ${to} and has to be ${lowest.join('.')} or above.`]
      : []),
    ...(isInChangelog(changelog, to)
      ? []
      : [`${changelog} needs an entry \`## [${to}]\` that tells the users of the API what is new.`]),
    // The service serves what was generated.
    ...(release && isStale ? [`${generated} is stale: run npm run contract.`] : []),
  ];
  const title = from === to ? `Contract ${to}, against what is released` : `Contract ${to}, against ${from}`;
  console.log(report(title, rated, bump, refusals));
  if (refusals.length > 0) process.exitCode = 1;
  else if (release) {
    mkdirSync(dirname(released), { recursive: true });
    writeFileSync(released, text);
    console.error(`\n${to} is released with the commit of ${released}.`);
  }
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values } = commandLine(usage, { options: { release: { type: 'boolean' }, replace: { type: 'boolean' } } });
try {
  await main(values);
} catch (error) {
  if (!(error instanceof BrokenContract)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
