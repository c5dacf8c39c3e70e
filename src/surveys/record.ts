/** From a row to the JSON text of a survey. Columns that hold finished JSON go into it as they are. */
import { type Selectable, sql } from 'kysely';
import type { Caller } from '../api/caller.ts';
import type { Surveys } from '../database/tables.ts';
import type { Member } from './view.ts';

type Column = Exclude<Member, 'allowed_privileges'>;
type Row = Partial<Selectable<Surveys>>;

const plain = (value: unknown) => JSON.stringify(value);
const flag = (value: unknown) => (value ? 'true' : 'false');
const json = (value: unknown) => value as string;

/** How the value in a column becomes a member; the contract's members, or this does not compile. */
const encoders: Record<Column, (value: unknown) => string> = {
  id: plain,
  name: plain,
  description: plain,
  base_language: plain,
  color: plain,
  type: plain,
  require_approval: flag,
  everyone_can_create: flag,
  disabled: flag,
  hide_author: flag,
  hide_time: flag,
  hide_location: flag,
  targeted_survey: flag,
  can_create: json,
  created: plain,
  updated: plain,
  translations: json,
  enabled_languages: json,
  tasks: json,
};

/** The columns behind these members; those who do not edit surveys get only the published tasks. */
export function visibleColumns(members: readonly Member[], editor: boolean) {
  return members
    .filter((member) => member !== 'allowed_privileges')
    .map((member) =>
      member === 'tasks' && !editor
        ? sql<string>`coalesce(${sql.ref('published_tasks')}, ${sql.ref('tasks')})`.as('tasks')
        : member,
    );
}

/** A survey with these members as JSON text. */
export function surveyText(row: Row, members: readonly Member[], caller: Caller): string {
  const privileges = allowedPrivileges(caller);
  return `{${members
    .map((member) => `"${member}":${member === 'allowed_privileges' ? privileges : encoders[member](row[member])}`)
    .join(',')}}`;
}

function allowedPrivileges(caller: Caller): string {
  return JSON.stringify([
    'read',
    ...(caller.may('surveys:write') ? ['create', 'update'] : []),
    ...(caller.may('surveys:delete') ? ['delete'] : []),
    'search',
  ]);
}
