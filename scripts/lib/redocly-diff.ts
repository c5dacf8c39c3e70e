/** Compares two contracts with Redocly's diff, which knows what most changes of OpenAPI mean for clients. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from './document.ts';
import { redocly } from './redocly.ts';
import type { Impact } from './version.ts';

/** One change in Redocly's report. `path` is the first place that is affected, the pointers are where the change is. */
export interface Change {
  path: string;
  /** What is changed, such as `Parameter`. */
  typeName: string;
  kind: 'added' | 'removed' | 'modified';
  impact: Impact;
  property?: string;
  verdicts: { ruleId: string; message: string }[];
  base?: { pointer: string; value?: Json };
  revision?: { pointer: string; value?: Json };
}

/** @throws when Redocly cannot compare them, or its rules are off. */
export async function compare(before: Json, after: Json): Promise<Change[]> {
  const folder = mkdtempSync(join(tmpdir(), 'diff-'));
  try {
    const [base, revision] = [join(folder, 'before.json'), join(folder, 'after.json')];
    writeFileSync(base, JSON.stringify(before));
    writeFileSync(revision, JSON.stringify(after));
    const { stdout, stderr } = await redocly('diff', base, revision, '--format=json', '--fail-on=none');
    // Without its rules (redocly.yaml, diff-recommended) Redocly counts nothing as breaking, and only warns.
    if (!stdout.startsWith('{') || stderr.includes('No diff rules'))
      throw new Error(`Redocly cannot compare the contracts:\n${stderr}`);
    return JSON.parse(stdout).changes;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
