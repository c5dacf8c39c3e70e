/** Versions of the contract, and what the changelog says about them. */
import { existsSync, readFileSync } from 'node:fs';

/** How much clients notice, from nothing to programs that break. */
export const impacts = ['none', 'patch', 'minor', 'major'] as const;
export type Impact = (typeof impacts)[number];

export type Version = [major: number, minor: number, patch: number];

/** @throws when the text is no version. */
export function parseVersion(version: string): Version {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (numbers.length === 0) throw new Error(`info.version has to be three numbers such as 1.2.0, not ${version}.`);
  return numbers.map(Number) as Version;
}

/** The lowest version that may follow one with such changes. */
export function nextVersion([major, minor, patch]: Version, bump: Impact): Version {
  return {
    none: [major, minor, patch],
    patch: [major, minor, patch + 1],
    minor: [major, minor + 1, 0],
    major: [major + 1, 0, 0],
  }[bump] as Version;
}

export function isBelow(a: Version, b: Version): boolean {
  return (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) < 0;
}

/** Whether the changelog has an entry with at least one item for this version. */
export function isInChangelog(changelog: string, version: string): boolean {
  const entries = existsSync(changelog) ? readFileSync(changelog, 'utf8').split(/^## /m) : [];
  return entries.some((entry) => entry.startsWith(`[${version}]`) && /^- \S/m.test(entry));
}
