/** What the stores of the peers do without a database: who a token belongs to, what is asked for, what a change results in. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { components } from '../../../src/generated/openapi.d.ts';
import { columns, scalars } from './tables.ts';

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type Survey = Required<Schema<'Survey'>>;
export type Task = Schema<'Task'>;
export type Field = Schema<'Field'>;
export type Row = Record<string, any>;

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

const scopes = new Map<string, ReadonlySet<string>>([
  ['admin', new Set(['surveys:read', 'surveys:write', 'surveys:delete', 'hxl:read', 'hxl:write', 'users:manage'])],
  ['user', new Set(['surveys:read', 'hxl:read'])],
]);

/** The hash under which the token of this Authorization header is stored; undefined when there is none in it. */
export function tokenHash(authorization: string | undefined): string | undefined {
  const token = /^bearer +([\w~+/.-]+=*)$/i.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : createHash('sha256').update(token).digest('hex');
}

/** A token as it is stored, and the role of its user. */
export interface StoredToken {
  hash: string;
  expires: string | null;
  role: string;
}

/** Who has the token of this hash, when this was found for it; undefined when it is of no use. */
export function callerOf(hash: string, found: StoredToken | undefined): Caller | undefined {
  if (found === undefined || !timingSafeEqual(Buffer.from(found.hash), Buffer.from(hash))) return undefined;
  if (found.expires !== null && found.expires <= new Date().toISOString()) return undefined;
  return { scopes: scopes.get(found.role) ?? new Set() };
}

export const privileges = ['read', 'create', 'update', 'delete', 'search'];
const relations = ['can_create', 'translations', 'enabled_languages', 'tasks'];

/** The members that `only` and `hydrate` ask for, or undefined for all. */
export function choose({ only, hydrate }: Listing): { members: string[]; columns: string } | undefined {
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

/** What results from sending this: what is left out is as it was before, or the default. */
export function merged(sent: Schema<'SurveyInput'>, before: Survey | undefined): Survey {
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
