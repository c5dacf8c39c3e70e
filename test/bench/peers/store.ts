/**
 * What all peers do behind their HTTP: a normalised store on prepared statements, as an expert writes it by hand.
 * One function for each operation that is measured; it gives the body of the response.
 */
import Database from 'better-sqlite3';
import {
  type Caller,
  callerOf,
  choose,
  type Field,
  type Listing,
  merged,
  privileges,
  type Row,
  type Schema,
  type StoredToken,
  type Survey,
  type Task,
  tokenHash,
} from './records.ts';
import { columns, flags, json, names, quoted, type TableName } from './tables.ts';

export interface Page {
  results: object[];
  total_count: number;
}

const sqlite = new Database(process.env.DATABASE!, { timeout: 5000 });
sqlite.pragma('journal_mode = WAL');
sqlite.pragma('synchronous = FULL');
sqlite.pragma('foreign_keys = ON');

const statements = new Map<string, Database.Statement>();

/** A statement whose text depends on the request, prepared when it is first needed. */
function prepared(sql: string): Database.Statement {
  let statement = statements.get(sql);
  if (statement === undefined) statements.set(sql, (statement = sqlite.prepare(sql)));
  return statement;
}

const insert = (table: TableName, ...more: string[]) => {
  const all = [...columns[table].filter((name) => name !== 'id'), ...more];
  return sqlite.prepare(`INSERT INTO ${table} (${quoted(all)}) VALUES (${all.map(() => '?').join(', ')})`);
};
const update = (table: TableName, ...more: string[]) => {
  const all = [...columns[table].filter((name) => name !== 'id'), ...more];
  return sqlite.prepare(`UPDATE ${table} SET ${all.map((name) => `"${name}" = ?`).join(', ')} WHERE id = ?`);
};

const tokenByHash = sqlite.prepare(
  'SELECT t.hash, t.expires, u.role FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = ? AND t.revoked IS NULL',
);
const surveyById = sqlite.prepare(`SELECT ${names('surveys')} FROM surveys WHERE id = ?`);
const tasksOf = sqlite.prepare(
  `SELECT survey_id AS form_id, ${names('tasks')} FROM tasks WHERE survey_id = ? ORDER BY priority, id`,
);
const fieldsOf = sqlite.prepare(
  `SELECT task_id, ${names('fields')} FROM fields WHERE survey_id = ? ORDER BY priority, id`,
);
const insertSurvey = insert('surveys');
const insertTask = insert('tasks', 'survey_id');
const insertField = insert('fields', 'survey_id', 'task_id');
const updateSurvey = update('surveys');
const updateTask = update('tasks');
const updateField = update('fields', 'task_id');
const deleteTask = sqlite.prepare('DELETE FROM tasks WHERE id = ?');
const deleteField = sqlite.prepare('DELETE FROM fields WHERE id = ?');

/** Who sent this Authorization header, or undefined. */
export function findCaller(authorization: string | undefined): Caller | undefined {
  const hash = tokenHash(authorization);
  return hash === undefined ? undefined : callerOf(hash, tokenByHash.get(hash) as StoredToken | undefined);
}

export function getSurvey(id: number, query: Listing = {}): { results: object[] } | undefined {
  const chosen = choose(query);
  if (chosen === undefined) {
    const survey = readSurvey(id);
    return survey && { results: [survey] };
  }
  const row = prepared(`SELECT ${chosen.columns} FROM surveys WHERE id = ?`).get(id) as Row | undefined;
  return row && { results: [selected(row, chosen.members)] };
}

export function listSurveys(query: Listing): { results: object[] } {
  const { limit = 0, offset = 0, orderby = 'id', order = 'ASC' } = query;
  const chosen = choose(query);
  const rows = prepared(
    `SELECT ${chosen?.columns ?? names('surveys')} FROM surveys ORDER BY ${orderby} ${order}, id LIMIT ? OFFSET ?`,
  ).all(Number(limit) || -1, Number(offset)) as Row[];
  return { results: rows.map((row) => (chosen ? selected(row, chosen.members) : whole(row))) };
}

export function createSurvey(sent: Schema<'SurveyInput'>): Survey {
  const survey = merged(sent, undefined);
  survey.created = new Date().toISOString();
  return inTransaction(() => {
    survey.id = Number(insertSurvey.run(...values('surveys', survey)).lastInsertRowid);
    storeTasks(survey, []);
    return survey;
  });
}

/** The survey after the change; undefined when there is none. */
export function changeSurvey(id: number, sent: Schema<'SurveyInput'>): Survey | undefined {
  return inTransaction(() => {
    const before = readSurvey(id);
    if (before === undefined) return undefined;
    const survey = merged(sent, before);
    survey.updated = new Date().toISOString();
    updateSurvey.run(...values('surveys', survey), id);
    storeTasks(survey, before.tasks);
    return survey;
  });
}

/** The same for everyone: it cannot change while the process runs. */
const allTagNames = { hxl: sqlite.prepare('SELECT tag_name FROM hxl_tags ORDER BY id').pluck().all() as string[] };
export const tagNames = () => allTagNames;

export function listLicenses(query: Listing, url: string): Page {
  return page('hxl_licenses', query, url, (row) => row);
}

export function listTags(query: Listing, url: string): Page {
  return page('hxl_tags', query, url, (row) => {
    row.hxl_attributes = JSON.parse(row.hxl_attributes);
    row.form_attribute_types = JSON.parse(row.form_attribute_types);
    return row;
  });
}

function page(table: 'hxl_licenses' | 'hxl_tags', query: Listing, url: string, decode: (row: Row) => Row): Page {
  const { limit, offset = 0, orderby = 'id', name, code } = query;
  const order = (query.order ?? 'asc').toLowerCase();
  const filters = Object.entries({ name, code }).filter(([, value]) => value !== undefined) as [string, string][];
  const where = filters.length === 0 ? '' : `WHERE ${filters.map(([column]) => `lower(${column}) = ?`).join(' AND ')}`;
  const wanted = filters.map(([, value]) => value.toLowerCase());
  const rows = prepared(
    `SELECT ${names(table)} FROM ${table} ${where} ORDER BY ${orderby} ${order}, id LIMIT ? OFFSET ?`,
  ).all(...wanted, Number(limit ?? -1), Number(offset)) as Row[];
  const total = prepared(`SELECT count(*) AS total FROM ${table} ${where}`).get(...wanted) as { total: number };
  const link = (start: number) => {
    const sent = {
      orderby,
      order,
      ...(limit !== undefined && { limit: String(limit) }),
      offset: String(start),
      ...Object.fromEntries(filters),
    };
    return `${url}?${new URLSearchParams(sent)}`;
  };
  const [start, step] = [Number(offset), Number(limit ?? 0)];
  return {
    count: rows.length,
    results: rows.map((row) => {
      const record = decode(row);
      record.url = `${url}/${record.id}`;
      record.allowed_privileges = ['read', 'search'];
      return record;
    }),
    limit: limit === undefined ? null : String(limit),
    offset: start,
    order,
    orderby,
    curr: link(start),
    next: link(start + step),
    prev: link(Math.max(0, start - step)),
    total_count: total.total,
  } as Page;
}

function selected(row: Row, members: string[]): Row {
  const survey = decoded(row);
  if (members.includes('tasks')) survey.tasks = readTasks(survey.id);
  if (members.includes('allowed_privileges')) survey.allowed_privileges = privileges;
  return survey;
}

function readSurvey(id: number): Survey | undefined {
  const row = surveyById.get(id) as Row | undefined;
  return row && (whole(row) as Survey);
}

function whole(row: Row): Row {
  const survey = decoded(row);
  survey.tasks = readTasks(survey.id);
  survey.allowed_privileges = privileges;
  return survey;
}

function readTasks(survey: number): Task[] {
  const tasks = tasksOf.all(survey) as Row[];
  const byId = new Map<number, Field[]>();
  for (const task of tasks) byId.set(decoded(task).id, (task.fields = []));
  for (const { task_id, ...field } of fieldsOf.all(survey) as Row[]) byId.get(task_id)!.push(decoded(field) as Field);
  return tasks as Task[];
}

/** Turns a row into what it stands for, in place. */
function decoded(row: Row): Row {
  for (const name in row) {
    if (flags.has(name)) row[name] = row[name] === 1;
    else if (json.has(name)) row[name] = JSON.parse(row[name]);
  }
  return row;
}

function values(table: 'surveys' | 'tasks' | 'fields', record: Row): unknown[] {
  return columns[table]
    .filter((name) => name !== 'id')
    .map((name) =>
      flags.has(name) ? Number(record[name]) : json.has(name) ? JSON.stringify(record[name]) : record[name],
    );
}

/** Writes tasks and fields that are new or were sent, gives identifiers to the new, and removes the others. */
function storeTasks(survey: Survey, before: Task[]): void {
  const lostTasks = new Set(before.map(({ id }) => id));
  const lostFields = new Set(before.flatMap((task) => task.fields).map(({ id }) => id));
  for (const task of survey.tasks) {
    task.form_id = survey.id;
    if (lostTasks.delete(task.id)) updateTask.run(...values('tasks', task), task.id);
    else task.id = Number(insertTask.run(...values('tasks', task), survey.id).lastInsertRowid);
    for (const field of task.fields) {
      if (lostFields.delete(field.id)) updateField.run(...values('fields', field), task.id, field.id);
      else field.id = Number(insertField.run(...values('fields', field), survey.id, task.id).lastInsertRowid);
    }
  }
  for (const id of lostFields) deleteField.run(id);
  for (const id of lostTasks) deleteTask.run(id);
}

const transaction = sqlite.transaction((work: () => unknown) => work());

function inTransaction<T>(work: () => T): T {
  return transaction.immediate(work) as T;
}
