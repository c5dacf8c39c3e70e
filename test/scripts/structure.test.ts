/** `npm run structure`: each rule finds what it forbids, also when only a type is imported. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Each file as the files and packages of which it imports a type. */
type Imports = Record<string, string[]>;

/** The names of the rules that such a src/ breaks. */
function brokenRules(imports: Imports): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'structure-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(join(root, '.dependency-cruiser.mjs'), join(copy, '.dependency-cruiser.mjs'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  for (const [file, imported] of Object.entries(imports)) {
    mkdirSync(dirname(join(copy, 'src', file)), { recursive: true });
    const lines = imported.map((name, index) => `import type { T as T${index} } from '${name}';\n`);
    writeFileSync(join(copy, 'src', file), `${lines.join('')}export type T = unknown;\n`);
  }
  const command = [join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'), 'src', '-T', 'json'];
  return new Promise((resolve, reject) =>
    execFile(process.execPath, command, { cwd: copy, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => {
      if (!stdout.startsWith('{')) return reject(new Error(stderr));
      const { violations } = JSON.parse(stdout).summary as { violations: { rule: { name: string } }[] };
      resolve([...new Set(violations.map(({ rule }) => rule.name))]);
    }),
  );
}

const cases: [title: string, imports: Imports, rules: string[]][] = [
  [
    'what is allowed',
    {
      'app.ts': ['./users/store.ts', './contract/plugin.ts'],
      'users/store.ts': ['kysely', '../database/database.ts'],
      'users/store-tokens.ts': ['better-sqlite3'],
      'database/database.ts': ['kysely', './sqlite/dialect.ts'],
      'database/sqlite/dialect.ts': ['better-sqlite3', '../tables.ts'],
      'database/tables.ts': [],
      'contract/plugin.ts': ['fastify', 'node:fs', './types.ts'],
      'contract/types.ts': [],
    },
    [],
  ],
  ['two files that need each other', { 'users/a.ts': ['./b.ts'], 'users/b.ts': ['./a.ts'] }, ['no-circle-of-files']],
  [
    'three folders in a circle, without one of files',
    { 'hxl/a.ts': ['../users/b.ts'], 'users/c.ts': ['../surveys/d.ts'], 'surveys/e.ts': ['../hxl/f.ts'] },
    ['no-circle-of-folders'],
  ],
  [
    'an engine that knows its service',
    { 'contract/plugin.ts': ['../api/caller.ts'], 'api/caller.ts': [] },
    ['contract-stands-alone'],
  ],
  ['SQL in a handler', { 'users/handlers.ts': ['kysely'] }, ['sql-in-stores']],
  ['SQLite in the application', { 'app.ts': ['better-sqlite3'] }, ['sql-in-stores']],
  ['an import of nothing', { 'app.ts': ['./nothing.ts'] }, ['found']],
];

test.each(cases)('%s', async (_, imports, rules) => {
  // Files that are only imported have to be there.
  const others = Object.entries(imports)
    .flatMap(([file, names]) => names.map((name) => (name.startsWith('../') ? join(dirname(file), name) : file)))
    .filter((file) => !(file in imports));
  expect(await brokenRules({ ...imports, ...Object.fromEntries(others.map((file) => [file, []])) })).toEqual(rules);
});
