/**
 * Every member of a survey, of its tasks and of their fields, one line each, in the order of a response. Columns,
 * stored values, defaults, updates, responses and the parameters `only`, `hydrate` and `orderby` follow from them.
 *
 * To add a member: declare it in the contract, add its column in a migration and in database/tables.ts (a member of a
 * task or field has none: the migration adds it to the stored JSON and raises the revisions), and add a line here. The compiler says what is
 * missing.
 */
import type { Schema } from '../api/handler.ts';
import type { SurveyRow } from '../database/tables.ts';
import { type Column, flag, integer, json, nullableText, text } from './column.ts';
import { pickTexts } from './translation.ts';

type SurveyInput = Schema<'SurveyInput'>;
export type Task = Schema<'Task'>;
export type Field = Schema<'Field'>;
/** Every task and field that is stored has a priority: tasks.ts gives one to those that are sent without. */
export type TaskInput = Schema<'TaskInput'> & { priority: number };
export type FieldInput = Schema<'FieldInput'> & { priority: number };

/** All values of a survey: the members of the contract, and those behind columns that no response shows. */
export type Survey = Required<Schema<'Survey'>> & {
  /** The languages that a client listed, translated or not. */
  listed_languages: string[];
  /** The tasks without those that only editors see; null when there is no such task. */
  published_tasks: Task[] | null;
  /** Counts what has changed in it that its readers see; 1 at first. */
  revision: number;
};

// `kind`: a relation comes only when `only` or `hydrate` asks for it, if a request has one of these parameters;
//         an internal column is shown in no response.
// `by`: who decides the value, the client or the service.
// `initial`: the value until a client sends one. Only a member that the contract requires has none.
// `sent`: what a request body says about the member, if that is not simply the member of the same name.
//         undefined means that it says nothing.

export const surveyMembers = {
  id: { kind: 'scalar', column: integer, by: 'service' },
  name: { kind: 'scalar', column: text, by: 'client', initial: 'Untitled survey' },
  description: { kind: 'scalar', column: nullableText, by: 'client', initial: null },
  base_language: { kind: 'scalar', column: text, by: 'client', initial: 'en-US', sent: baseLanguage },
  color: { kind: 'scalar', column: nullableText, by: 'client', initial: null, sent: colorWithHash },
  type: { kind: 'scalar', column: text, by: 'client', initial: 'report', sent: typeIfAny },
  require_approval: { kind: 'scalar', column: flag, by: 'client', initial: true },
  everyone_can_create: { kind: 'scalar', column: flag, by: 'client', initial: true },
  disabled: { kind: 'scalar', column: flag, by: 'client', initial: false },
  hide_author: { kind: 'scalar', column: flag, by: 'client', initial: false },
  hide_time: { kind: 'scalar', column: flag, by: 'client', initial: false },
  hide_location: { kind: 'scalar', column: flag, by: 'client', initial: false },
  targeted_survey: { kind: 'scalar', column: flag, by: 'client', initial: false },
  can_create: { kind: 'relation', column: json, by: 'client', initial: [] },
  created: { kind: 'scalar', column: text, by: 'service' },
  updated: { kind: 'scalar', column: nullableText, by: 'service' },
  translations: { kind: 'relation', column: json, by: 'client', initial: {}, sent: texts('name', 'description') },
  enabled_languages: { kind: 'relation', column: json, by: 'service' },
  tasks: { kind: 'relation', column: json, by: 'service' },
  allowed_privileges: { kind: 'scalar', by: 'service' },
  listed_languages: { kind: 'internal', column: json, by: 'client', initial: [], sent: listedLanguages },
  published_tasks: { kind: 'internal', column: json, by: 'service' },
  revision: { kind: 'internal', column: integer, by: 'service' },
} as const satisfies SurveyMembers;

export const taskMembers = {
  id: { by: 'service' },
  form_id: { by: 'service' },
  label: { by: 'client' },
  description: { by: 'client', initial: null },
  type: { by: 'client', initial: 'task' },
  priority: { by: 'client' },
  required: { by: 'client', initial: false },
  show_when_published: { by: 'client', initial: true },
  task_is_internal_only: { by: 'client', initial: false },
  is_public: { by: 'client', initial: false },
  translations: { by: 'client', initial: {}, sent: texts('label', 'description') },
  fields: { by: 'service' },
} as const satisfies PartMembers<Task, TaskInput>;

export const fieldMembers = {
  id: { by: 'service' },
  key: { by: 'service' },
  label: { by: 'client' },
  description: { by: 'client', initial: null },
  instructions: { by: 'client', initial: null },
  default: { by: 'client', initial: null },
  type: { by: 'client' },
  input: { by: 'client' },
  priority: { by: 'client' },
  required: { by: 'client', initial: false },
  response_private: { by: 'client', initial: false },
  cardinality: { by: 'client', initial: 1 },
  config: { by: 'client', initial: {} },
  options: { by: 'client', initial: [] },
  translations: { by: 'client', initial: {}, sent: texts('label', 'instructions', 'default', 'options') },
} as const satisfies PartMembers<Field, FieldInput>;

/** A color is accepted with and without the `#`, and is stored with it. */
function colorWithHash({ color }: SurveyInput): string | null | undefined {
  return color && `#${color.replace('#', '')}`;
}

/** Web editors send empty text for a type that nobody chose. */
function typeIfAny({ type }: SurveyInput): string | undefined {
  return type || undefined;
}

/** The default of the enabled languages is another name for the base language. */
function baseLanguage({ base_language, enabled_languages }: SurveyInput): string | undefined {
  return base_language ?? enabled_languages?.default;
}

function listedLanguages({ enabled_languages }: SurveyInput): string[] | undefined {
  return enabled_languages?.available;
}

function texts(...names: string[]) {
  return <T extends Record<string, object | string>>({ translations }: { translations?: T }): T | undefined =>
    translations && pickTexts(translations, names);
}

// The types: every member of the contract and every column has to be there, with a value and a column that fit.

/** Says who decides the value of the member `Name` of `Value`, which clients send as `Input`. */
type Decision<Value, Input, Name extends keyof Value> =
  | { by: 'service' }
  | ({ by: 'client'; sent?: (input: Input) => Value[Name] | undefined } & (Name extends RequiredKeys<Input>
      ? { initial?: never }
      : { initial: Value[Name] }));

type RequiredKeys<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? never : Name }[keyof T];

export type SurveyMembers = {
  [Name in keyof Survey]: Decision<Survey, SurveyInput, Name> & {
    kind: Name extends keyof Schema<'Survey'> ? 'scalar' | 'relation' : 'internal';
  } & (Name extends keyof SurveyRow ? { column: Column<Survey[Name], SurveyRow[Name]> } : { column?: never });
} & Record<keyof SurveyRow, unknown>;

export type PartMembers<Value, Input> = { [Name in keyof Required<Value>]: Decision<Value, Input, Name> };

/** The names of the members that clients decide. */
export type ClientMember<Table> = {
  [Name in keyof Table]: Table[Name] extends { by: 'client' } ? Name : never;
}[keyof Table];

/** The names of the members whose column can be sorted by. */
export type SortableMember = {
  [Name in keyof typeof surveyMembers]: (typeof surveyMembers)[Name] extends { kind: 'scalar'; column: unknown }
    ? Name
    : never;
}[keyof typeof surveyMembers];
