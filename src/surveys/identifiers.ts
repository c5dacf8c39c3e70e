/**
 * The identifiers of tasks and fields: the SQL about the tables `tasks` and `fields`. The tasks and fields themselves
 * are in the row of their survey; these tables give out identifiers, and say which survey has them.
 */
import type { Db, Transaction } from '../database/database.ts';
import { idsIn } from '../database/ids.ts';
import { prepared, preparedWrites } from '../database/prepared.ts';
import type { Task } from './members.ts';
import { type Part, parts, type UnmatchedReference } from './references.ts';
import type { TaskDraft } from './tasks.ts';

const queries = { tasks: queriesOf('tasks'), fields: queriesOf('fields') };

/** `ids` is the text of a JSON array. */
function queriesOf(part: Part) {
  return {
    foreign: prepared((query, { ids, survey }: { ids: string; survey: number }) =>
      query.selectFrom(part).select('id').where('id', 'in', idsIn(query, ids)).where('survey_id', '!=', survey),
    ),
    remove: prepared((query, { ids }: { ids: string }) => query.deleteFrom(part).where('id', 'in', idsIn(query, ids))),
  };
}

/** Those of the unmatched references that belong to other surveys than this one. */
export async function foreignIds(
  trx: Db,
  survey: number,
  unmatched: readonly UnmatchedReference[],
): Promise<Record<Part, ReadonlySet<number>>> {
  const foreign = { tasks: new Set<number>(), fields: new Set<number>() };
  for (const part of parts) {
    const ids = unmatched.filter((reference) => reference.part === part).map(({ id }) => id);
    if (ids.length === 0) continue;
    const rows = await trx.rows(queries[part].foreign, { ids: JSON.stringify(ids), survey });
    foreign[part] = new Set(rows.map(({ id }) => id));
  }
  return foreign;
}

/** How many of the tasks and fields have no identifier yet. */
export function missingIds(tasks: readonly TaskDraft[]): Record<Part, number> {
  const missing = (items: readonly { id: number | undefined }[]) => items.filter(({ id }) => id === undefined).length;
  return { tasks: missing(tasks), fields: missing(tasks.flatMap((task) => task.fields)) };
}

/** Gives these identifiers to the tasks and fields that have none yet. */
export function assignIds(survey: number, drafts: readonly TaskDraft[], added: Record<Part, number[]>): Task[] {
  const [taskIds, fieldIds] = [added.tasks.values(), added.fields.values()];
  return drafts.map((task) => ({
    ...task,
    id: task.id ?? taskIds.next().value!,
    form_id: survey,
    fields: task.fields.map((field) => ({ ...field, id: field.id ?? fieldIds.next().value! })),
  }));
}

/** New identifiers of the tasks and fields of a survey, as texts of JSON arrays. */
export interface NewIds {
  id: number;
  task_ids: string;
  field_ids: string;
}

export function newIds(survey: number, { tasks, fields }: Record<Part, number[]>): NewIds {
  return { id: survey, task_ids: JSON.stringify(tasks), field_ids: JSON.stringify(fields) };
}

/** The queries that store whose they are. */
export function insertsOf(query: Db['query'], { id, task_ids, field_ids }: NewIds) {
  const insert = (part: Part, ids: string) =>
    query
      .insertInto(part)
      .columns(['id', 'survey_id'])
      .expression(idsIn(query, ids).select((row) => row.cast<number>(row.val(id), 'bigint').as('survey_id')));
  return [insert('tasks', task_ids), insert('fields', field_ids)];
}

const insertNew = preparedWrites(insertsOf);

/** Stores that these tasks and fields belong to this survey, which must exist. */
export async function insertIdentifiers(
  trx: Transaction,
  survey: number,
  added: Record<Part, number[]>,
): Promise<void> {
  if (parts.some((part) => added[part].length > 0)) await trx.send(insertNew, newIds(survey, added));
}

/** Deletes the identifiers of the tasks and fields that are no longer in the survey. */
export async function deleteRemoved(
  trx: Transaction,
  previous: readonly TaskDraft[],
  current: readonly TaskDraft[],
): Promise<void> {
  const [old, remaining] = [identifiersIn(previous), identifiersIn(current)];
  for (const part of parts) {
    const removed = [...old[part]].filter((id) => !remaining[part].has(id));
    if (removed.length > 0) await trx.send(queries[part].remove, { ids: JSON.stringify(removed) });
  }
}

function identifiersIn(tasks: readonly TaskDraft[]): Record<Part, Set<number>> {
  return {
    tasks: new Set(tasks.map(({ id }) => id!)),
    fields: new Set(tasks.flatMap((task) => task.fields).map(({ id }) => id!)),
  };
}
