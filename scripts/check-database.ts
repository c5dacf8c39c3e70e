/** `npm run check-database`: looks for damage in the database, also while the service runs, and changes nothing. */
import Database from 'better-sqlite3';
import { ConfigError, readConfig } from '../src/config.ts';
import type { StoredSurvey } from '../src/database/tables.ts';
import { damagedColumns } from '../src/surveys/digests.ts';
import { commandLine } from './lib/command-line.ts';

const usage = `Usage: npm run check-database
  Looks for damage in the database at DATABASE_URL, and says in one line each what is damaged. The service may run
  meanwhile. Ends with 0 when the database is intact, with 1 when it is not, or when it cannot be checked.`;

/** Columns that hold JSON. */
const jsonColumns = ['can_create', 'translations', 'listed_languages', 'enabled_languages', 'tasks', 'published_tasks'];

/** Why the database cannot be checked, for the person at the command line. */
class CheckError extends Error {}

commandLine(usage, {});
try {
  const { databaseUrl } = readConfig(process.env);
  if (!databaseUrl.startsWith('file:'))
    throw new CheckError('Only a SQLite file can be checked. For PostgreSQL there is pg_amcheck.');
  check(databaseUrl.replace(/^file:/, ''));
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof CheckError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Prints what is damaged, or that nothing is. */
function check(path: string): void {
  const sqlite = open(path);
  let damages = 0;
  const report = (damage: string) => {
    damages += 1;
    console.log(damage);
  };
  let surveys = 0;
  checkPages(sqlite, report);
  checkReferences(sqlite, report);
  for (const id of surveyIds(sqlite, report)) surveys += checkSurvey(sqlite, id, report);
  checkTags(sqlite, report);
  sqlite.close();
  if (damages === 0) console.log(`The database ${path} is intact: ${surveys} surveys.`);
  else process.exitCode = 1;
}

function open(path: string): Database.Database {
  const problem = (error: unknown) => new CheckError(`The database ${path} cannot be checked: ${messageOf(error)}`);
  let sqlite: Database.Database;
  let migrations: unknown[];
  try {
    sqlite = new Database(path, { readonly: true, fileMustExist: true });
    migrations = sqlite.prepare('select name from kysely_migration').pluck().all();
  } catch (error) {
    throw problem(error);
  }
  if (!migrations.includes('0004_survey_digests'))
    throw problem('an older version of the service wrote it. Start this version once.');
  return sqlite;
}

type Report = (damage: string) => void;

/** Whether the pages of the file fit together, and the indexes to their tables. */
function checkPages(sqlite: Database.Database, report: Report): void {
  for (const text of attempt('database', report, () => sqlite.pragma('integrity_check(1000)') as object[]) ?? []) {
    const [result] = Object.values(text) as string[];
    if (result !== 'ok') for (const line of result!.split('\n')) report(`database: ${line}`);
  }
}

/** Whether what a row refers to exists. */
function checkReferences(sqlite: Database.Database, report: Report): void {
  type Violation = { table: string; rowid: number; parent: string };
  const violations = attempt('references', report, () => sqlite.pragma('foreign_key_check') as Violation[]) ?? [];
  for (const { table, rowid, parent } of violations)
    report(`${table} ${rowid}: refers to a row of ${parent} that does not exist`);
}

/** The surveys that there are; when damage hides some, all identifiers that were ever given. */
function surveyIds(sqlite: Database.Database, report: Report): Iterable<number> {
  const query = 'select id from surveys union select survey_id from tasks union select survey_id from fields';
  const ids = attempt('surveys', report, () => sqlite.prepare(query).pluck().all() as number[]);
  if (ids !== undefined) return ids;
  const last = sqlite.prepare("select seq from sqlite_sequence where name = 'surveys'").pluck();
  const count = attempt('surveys', report, () => (last.get() as number | undefined) ?? 0) ?? 0;
  return Array.from({ length: count }, (_, at) => at + 1);
}

/** Checks one survey, and what belongs to it, as of one moment. Returns how many surveys that are: 1, or 0. */
function checkSurvey(sqlite: Database.Database, id: number, report: Report): number {
  const idsIn = (table: string) =>
    sqlite.prepare(`select id from ${table} where survey_id = ? order by id`).pluck().all(id) as number[];
  const read = sqlite.transaction(() => ({
    row: sqlite.prepare('select * from surveys where id = ?').get(id) as StoredSurvey | undefined,
    tasks: idsIn('tasks'),
    fields: idsIn('fields'),
  }));
  const survey = attempt(`survey ${id}`, report, read);
  // It was deleted, or what belongs to it is among the references that lead nowhere.
  if (survey?.row === undefined) return 0;
  const { row, tasks, fields } = survey;
  const damaged = damagedColumns(row);
  const broken = jsonColumns.filter((column) => !isJson(row[column as 'tasks']));
  const problems = [
    ...(damaged.length > 0 ? [`${damaged.join(', ')} not as stored`] : []),
    ...(broken.length > 0 ? [`${broken.join(', ')} not JSON`] : []),
    ...(broken.includes('tasks') ? [] : strayIds(row.tasks, tasks, fields)),
  ];
  if (problems.length > 0) report(`survey ${id}: ${problems.join('; ')}`);
  return 1;
}

/** Which tables of identifiers differ from the tasks of a survey. */
function strayIds(json: string, taskIds: number[], fieldIds: number[]): string[] {
  type Item = { id: number; fields?: Item[] };
  const tasks = JSON.parse(json) as Item[];
  const same = (items: Item[], ids: number[]) =>
    String(items.map(({ id }) => id).toSorted((a, b) => a - b)) === String(ids);
  return [
    ...(same(tasks, taskIds) ? [] : ['the table tasks has others than the survey']),
    ...(same(
      tasks.flatMap((task) => task.fields ?? []),
      fieldIds,
    )
      ? []
      : ['the table fields has others than the survey']),
  ];
}

/** The tags of HXL are sent as they are stored, too. */
function checkTags(sqlite: Database.Database, report: Report): void {
  type Tag = { id: number; hxl_attributes: string; form_attribute_types: string };
  for (const tag of attempt('HXL tags', report, () => sqlite.prepare('select * from hxl_tags').all() as Tag[]) ?? []) {
    if (!isJson(tag.hxl_attributes) || !isJson(tag.form_attribute_types)) report(`HXL tag ${tag.id}: not JSON`);
  }
}

function isJson(text: string | null): boolean {
  try {
    if (text !== null) JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What `read` returns; undefined, after a report, when damage prevents that. */
function attempt<T>(what: string, report: Report, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    report(`${what}: cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
