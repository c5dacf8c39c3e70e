/** Large databases, quickly: what a client stored once is multiplied in SQL. */
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { SurveyRow } from '../../src/database/tables.ts';
import { digestsOf } from '../../src/surveys/digests.ts';
import { columnNames } from '../../src/surveys/record.ts';
import { countedName } from './operations.ts';
import { ask, firstToken, startService } from './server.ts';
import { surveyInput } from './survey.ts';

export interface Filled {
  /** A copy with this many surveys and as many metadata records. */
  copy(count: number): string;
  /** Tokens of an administrator, and of a user who sees only what is public. */
  admin: string;
  user: string;
}

/** How many surveys and metadata records are stored through the service. */
const templates = 10;

/** A database of the service in this folder, with the few records that are multiplied. */
export async function fill(work: string, folder: string): Promise<Filled> {
  const database = join(work, 'template.db');
  const service = await startService('service', `file:${database}`, folder);
  const admin = await firstToken(service);
  for (let at = 0; at < templates; at += 1) {
    // Small ones, so that a million are no more than the page cache holds.
    const survey = surveyInput(countedName, 1);
    survey.tasks[0]!.fields.length = 2;
    const metadata = {
      private: at % 3 === 0,
      dataset_title: `People displaced, round ${at}`,
      license_id: 1 + (at % 8),
      organisation_id: `red-cross-${at % 4}`,
      organisation_name: `Red Cross ${at % 4}`,
      source: 'Field teams',
    };
    for (const [path, body] of [
      ['/api/v5/surveys', survey],
      ['/api/v3/hxl/metadata', metadata],
    ] as const) {
      const response = await ask(service, { method: 'POST', path, token: admin, body });
      if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`);
    }
  }
  await service.stop();
  const output = execFileSync(process.execPath, ['scripts/token.ts', 'create', '--user', 'reader', '--role', 'user'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: `file:${database}` },
    encoding: 'utf8',
  });
  const copy = (count: number) => {
    const path = join(work, `${count}.db`);
    copyFileSync(database, path);
    multiply(path, count / templates);
    return path;
  };
  return { copy, admin, user: /shx_[\w-]+/.exec(output)![0] };
}

/** Multiplies the surveys with all that refers to them, and the metadata, by counting up what identifies them. */
function multiply(path: string, times: number): void {
  const sqlite = new Database(path);
  sqlite.function('digests_for', { deterministic: true, varargs: true }, digestsFor);
  sqlite.pragma('foreign_keys = OFF');
  sqlite.pragma('journal_mode = OFF');
  sqlite.pragma('synchronous = OFF');
  const names = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  sqlite.exec('BEGIN');
  for (const name of names) {
    const columns = sqlite.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name) as string[];
    if (!['surveys', 'hxl_metadata'].includes(name) && !columns.includes('survey_id')) continue;
    // Each survey gets a name of its own, so that a search can find one of them.
    const surveyName = "name || ' ' || copy";
    const changed: Record<string, string> = {
      survey_id: `survey_id + copy * ${templates}`,
      id: 'id + copy * (SELECT max(id) FROM template)',
      ...(name === 'surveys' && { name: surveyName, search_text: `lower(${surveyName}) || char(10) || search_text` }),
    };
    const expression = (column: string) => changed[column] ?? `"${column}"`;
    const next = columns.map((column) =>
      column === 'digests' ? `digests_for(${columnNames.map(expression).join(', ')})` : expression(column),
    );
    sqlite.exec(`
      CREATE TEMP TABLE template AS SELECT * FROM ${name};
      WITH RECURSIVE copies(copy) AS (SELECT 1 UNION ALL SELECT copy + 1 FROM copies LIMIT ${times - 1})
      INSERT INTO ${name} (${columns.map((column) => `"${column}"`).join(', ')}) SELECT ${next.join(', ')} FROM copies CROSS JOIN template;
      DROP TABLE template;
    `);
  }
  sqlite.exec('COMMIT');
  sqlite.close();
}

/** The digests of a survey with these values in its columns. */
function digestsFor(...values: unknown[]): string {
  return digestsOf(Object.fromEntries(columnNames.map((column, at) => [column, values[at]])) as unknown as SurveyRow);
}
