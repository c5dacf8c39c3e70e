/** Makes the peers' database from what the service returns, so that both hold the same. */
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { columns, flags, json } from './tables.ts';

type Record = { [name: string]: any };

export interface Seed {
  /** A token of an administrator. */
  token: string;
  /** Responses of the service: surveys with their tasks, licences, tags. */
  surveys: Record[];
  licenses: Record[];
  tags: Record[];
}

export function seed(path: string, { token, surveys, licenses, tags }: Seed): void {
  const sqlite = new Database(path);
  sqlite.exec(`
    CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL);
    CREATE TABLE tokens (
      id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id),
      hash TEXT NOT NULL UNIQUE, expires TEXT, revoked TEXT);
    ${table('surveys')}
    ${table('tasks', 'survey_id INTEGER NOT NULL REFERENCES surveys(id) ON DELETE CASCADE')}
    ${table('fields', 'survey_id INTEGER NOT NULL REFERENCES surveys(id) ON DELETE CASCADE', 'task_id INTEGER NOT NULL REFERENCES tasks(id) ON DELETE CASCADE')}
    CREATE INDEX tasks_survey_id ON tasks(survey_id);
    CREATE INDEX fields_survey_id ON fields(survey_id);
    CREATE INDEX fields_task_id ON fields(task_id);
    ${table('hxl_licenses')}
    ${table('hxl_tags')}
  `);
  const insert = (name: keyof typeof columns, record: Record, more: Record = {}) => {
    const row: Record = {
      ...Object.fromEntries(columns[name].map((column) => [column, stored(column, record[column])])),
      ...more,
    };
    const all = Object.keys(row);
    sqlite
      .prepare(
        `INSERT INTO ${name} (${all.map((column) => `"${column}"`).join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(row));
  };
  sqlite.transaction(() => {
    sqlite.prepare("INSERT INTO users VALUES (1, 'admin', 'admin')").run();
    sqlite
      .prepare('INSERT INTO tokens (user_id, hash) VALUES (1, ?)')
      .run(createHash('sha256').update(token).digest('hex'));
    for (const survey of surveys) {
      insert('surveys', survey);
      for (const task of survey.tasks) {
        insert('tasks', task, { survey_id: survey.id });
        for (const field of task.fields) insert('fields', field, { survey_id: survey.id, task_id: task.id });
      }
    }
    for (const license of licenses) insert('hxl_licenses', license);
    for (const tag of tags) insert('hxl_tags', tag);
  })();
  sqlite.close();
}

function table(name: keyof typeof columns, ...more: string[]): string {
  const own = columns[name].filter((column) => column !== 'id').map((column) => `"${column}"`);
  return `CREATE TABLE ${name} (${['id INTEGER PRIMARY KEY AUTOINCREMENT', ...own, ...more].join(', ')});`;
}

function stored(column: string, value: unknown): unknown {
  if (flags.has(column)) return value ? 1 : 0;
  return json.has(column) || (typeof value === 'object' && value !== null) ? JSON.stringify(value) : value;
}
