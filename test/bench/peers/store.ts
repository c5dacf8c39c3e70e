/**
 * What all peers do behind their HTTP: a normalised store on prepared statements, as an expert writes it by hand.
 * One function for each operation that is measured; it gives the body of the response.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import Database from 'better-sqlite3';
import type { components } from '../../../src/generated/openapi.d.ts';
import { columns, flags, json, scalars } from './tables.ts';

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
type Survey = Required<Schema<'Survey'>>;
type Task = Schema<'Task'>;
type Field = Schema<'Field'>;
type Row = Record<string, any>;

export interface Caller {
  scopes: ReadonlySet<string>;
}

/** The query of a listing; frameworks differ in whether numbers and defaults are filled in. */
export interface Listing {
  limit?: number | string;
  offset?: number | string;
  orderby?: string;
  order?: string;
  only?: string;
  hydrate?: string;
  name?: string;
  code?: string;
}

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

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const names = (table: keyof typeof columns) => quoted(columns[table]);
const insert = (table: keyof typeof columns, ...more: string[]) => {
  const all = [...columns[table].filter((name) => name !== 'id'), ...more];
  return sqlite.prepare(`INSERT INTO ${table} (${quoted(all)}) VALUES (${all.map(() => '?').join(', ')})`);
};
const update = (table: keyof typeof columns, ...more: string[]) => {
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

const scopes = new Map<string, ReadonlySet<string>>([
  ['admin', new Set(['surveys:read', 'surveys:write', 'surveys:delete', 'hxl:read', 'hxl:write', 'users:manage'])],
  ['user', new Set(['surveys:read', 'hxl:read'])],
]);

/** Who sent this Authorization header, or undefined. */
export function findCaller(authorization: string | undefined): Caller | undefined {
  const token = /^bearer +([\w~+/.-]+=*)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return undefined;
  const hash = createHash('sha256').update(token).digest('hex');
  const found = tokenByHash.get(hash) as { hash: string; expires: string | null; role: string } | undefined;
  if (found === undefined || !timingSafeEqual(Buffer.from(found.hash), Buffer.from(hash))) return undefined;
  if (found.expires !== null && found.expires <= new Date().toISOString()) return undefined;
  return { scopes: scopes.get(found.role) ?? new Set() };
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

const privileges = ['read', 'create', 'update', 'delete', 'search'];
const relations = ['can_create', 'translations', 'enabled_languages', 'tasks'];

/** The members that `only` and `hydrate` ask for, or undefined for all. */
function choose({ only, hydrate }: Listing): { members: string[]; columns: string } | undefined {
  if (!only && hydrate === undefined) return undefined;
  const named = only ? new Set(only.split(',')) : undefined;
  const hydrated = hydrate === undefined ? undefined : new Set(hydrate.split(','));
  const members = [
    ...scalars.filter((name) => name === 'id' || (named ? named.has(name) : true)),
    ...relations.filter((name) => named?.has(name) || (hydrated ? hydrated.has(name) : !named)),
  ];
  const stored = members.filter((name) => columns.surveys.includes(name));
  return { members, columns: ['id', ...stored.filter((name) => name !== 'id')].join(', ') };
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

/** What results from sending this: what is left out is as it was before, or the default. */
function merged(sent: Schema<'SurveyInput'>, before: Survey | undefined): Survey {
  const survey = overlaid(newSurvey, before, sent, 'surveys') as Survey;
  survey.allowed_privileges = privileges;
  survey.updated = before?.updated ?? null;
  survey.created = before?.created ?? '';
  if (sent.color) survey.color = `#${sent.color.replace('#', '')}`;
  survey.tasks = sent.tasks ? mergeTasks(sent.tasks, before?.tasks ?? []) : (before?.tasks ?? []);
  const available = new Set(sent.enabled_languages?.available ?? before?.enabled_languages.available);
  const translations = [
    survey.translations,
    ...survey.tasks.flatMap((task) => [task.translations, ...task.fields.map((field) => field.translations)]),
  ];
  for (const texts of translations) {
    for (const name in texts) if (typeof texts[name] === 'object') available.add(name);
  }
  survey.enabled_languages = { default: survey.base_language, available: [...available] };
  return survey;
}

function mergeTasks(sent: Schema<'TaskInput'>[], before: Task[]): Task[] {
  const tasks = new Map(before.map((task) => [task.id, task]));
  const fields = new Map(before.flatMap((task) => task.fields).map((field) => [field.id, field]));
  return sent
    .map((task, at) => {
      const known = tasks.get(task.id as number);
      const next = overlaid(newTask, known, task, 'tasks') as Task;
      next.priority = task.priority ?? at;
      next.fields = (task.fields ?? [])
        .map((field, place) => {
          const knownField = fields.get(field.id as number);
          const nextField = overlaid(newField, knownField, field, 'fields') as Field;
          nextField.key = knownField?.key ?? randomUUID();
          nextField.priority = field.priority ?? place;
          return nextField;
        })
        .sort((one, other) => one.priority - other.priority);
      return next;
    })
    .sort((one, other) => one.priority - other.priority);
}

const newSurvey = {
  id: 0,
  name: 'Untitled survey',
  description: null,
  base_language: 'en-US',
  color: null,
  type: 'report',
  require_approval: true,
  everyone_can_create: true,
  disabled: false,
  hide_author: false,
  hide_time: false,
  hide_location: false,
  targeted_survey: false,
  can_create: [],
  created: '',
  updated: null,
  translations: {},
  enabled_languages: null,
  tasks: [],
};
const newTask = {
  id: 0,
  form_id: 0,
  label: '',
  description: null,
  type: 'task',
  priority: 0,
  required: false,
  show_when_published: true,
  task_is_internal_only: false,
  is_public: false,
  translations: {},
  fields: [],
};
const newField = {
  id: 0,
  key: '',
  label: '',
  description: null,
  instructions: null,
  default: null,
  type: '',
  input: '',
  priority: 0,
  required: false,
  response_private: false,
  cardinality: 1,
  config: {},
  options: [],
  translations: {},
};

function overlaid(initial: Row, before: Row | undefined, sent: Row, table: 'surveys' | 'tasks' | 'fields'): Row {
  const record = { ...initial, ...before };
  for (const name of columns[table]) if (name !== 'id' && sent[name] !== undefined) record[name] = sent[name];
  return record;
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
