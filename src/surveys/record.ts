/** From a survey to its row, and from the row to the survey and its JSON text. No SQL. */
import type { Caller } from '../api/caller.ts';
import type { Problem } from '../api/handler.ts';
import type { SurveyRow } from '../database/tables.ts';
import type { Column } from './column.ts';
import { type Definition, enabledLanguages } from './definition.ts';
import { type ClientMember, surveyMembers, type Task } from './members.ts';
import type { Member } from './selection.ts';
import { isPublished } from './tasks.ts';

type AnyColumn = Column<unknown, unknown>;
type Names = keyof typeof surveyMembers;

const columns = new Map(
  (Object.keys(surveyMembers) as Names[]).flatMap((name) => {
    const member = surveyMembers[name];
    return 'column' in member ? [[name as keyof SurveyRow, member.column as AnyColumn] as const] : [];
  }),
);

/** The columns of a survey, in the order of the members. */
export const columnNames = [...columns.keys()];

const clientColumns = [...columns].filter(([name]) => surveyMembers[name].by === 'client');

/** The part of a row that follows from the definition of a survey. */
export type DefinitionRow = Omit<SurveyRow, 'id' | 'created' | 'updated' | 'revision'>;

/** The row of a survey with this definition, whose tasks and fields all have identifiers in `tasks`. */
export function toRow(definition: Definition, tasks: Task[]): DefinitionRow {
  const decided: Record<string, unknown> = {};
  for (const [name, column] of clientColumns) decided[name] = column.store(definition[name as keyof Definition]);
  const published = tasks.filter(isPublished);
  return {
    ...(decided as Pick<SurveyRow, ClientMember<typeof surveyMembers>>),
    enabled_languages: JSON.stringify(enabledLanguages(definition)),
    tasks: JSON.stringify(tasks),
    published_tasks: published.length === tasks.length ? null : JSON.stringify(published),
  };
}

/**
 * A problem when the text of this row has more bytes than a survey may have. One that is larger already, because the
 * limit was higher, may stay as it is or shrink.
 */
export function excessiveSize(row: DefinitionRow, limit: number, previous?: DefinitionRow): Problem[] {
  const size = textSize(row);
  if (size <= limit || (previous !== undefined && size <= textSize(previous))) return [];
  const message =
    `The survey would take ${size} bytes; at most ${limit} are stored. ` +
    'Send fewer or shorter tasks, fields, options or translations, or divide the survey.';
  return [{ code: 'survey_too_large', message }];
}

/** Without what only counts changes: that alone does not make a survey larger. */
const sizedColumns = columnNames.filter(
  (name) => !['id', 'created', 'updated', 'revision'].includes(name),
) as (keyof DefinitionRow)[];

function textSize(row: DefinitionRow): number {
  let size = 0;
  for (const name of sizedColumns) {
    const value = row[name];
    if (typeof value === 'string') size += Buffer.byteLength(value);
  }
  return size;
}

/** The definition that a row holds. */
export function fromRow(row: SurveyRow): Definition {
  const definition: Record<string, unknown> = { tasks: JSON.parse(row.tasks) };
  for (const [name, column] of clientColumns) definition[name] = column.load(row[name]);
  return definition as unknown as Definition;
}

/** A survey as JSON text, ready to be sent. */
export type SurveyText = string;

/** Makes the function that turns a row into the JSON text of a survey with these members and these privileges. */
export function surveyWriter(members: readonly Member[], privileges: string): (row: Partial<SurveyRow>) => SurveyText {
  const constant = { name: 'id' as const, toJson: () => privileges };
  const parts = members.map((name, at) => ({
    start: `${at === 0 ? '{' : ','}"${name}":`,
    ...(name === 'allowed_privileges' ? constant : { name, toJson: columns.get(name)!.toJson }),
  }));
  return (row) => {
    let text = '';
    for (const { start, name, toJson } of parts) text += start + toJson(row[name]);
    return `${text}}`;
  };
}

/** What this caller may do with surveys, as JSON text. */
export function allowedPrivileges(caller: Caller): string {
  return JSON.stringify([
    'read',
    ...(caller.may('surveys:write') ? ['create', 'update'] : []),
    ...(caller.may('surveys:delete') ? ['delete'] : []),
    'search',
  ]);
}
