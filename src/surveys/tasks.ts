/** What the tasks and fields of a survey become when a client sends some: merging, order, and their rules. No SQL. */
import { randomUUID } from 'node:crypto';
import type { Problem, Schema } from '../api/handler.ts';
import { type Field, type FieldInput, fieldMembers, type Task, type TaskInput, taskMembers } from './members.ts';
import { merger } from './merge.ts';
import { duplicateReferences, referencesIn, type UnmatchedReference } from './references.ts';

/** A task or field that has no identifier yet, or still has the one it had. */
type Draft<T> = Omit<T, 'id'> & { id: number | undefined };
export type FieldDraft = Draft<Field>;
export type TaskDraft = Draft<Omit<Task, 'form_id' | 'fields'>> & { fields: FieldDraft[] };

export interface MergedTasks {
  tasks: TaskDraft[];
  /** The rules that what was sent breaks. */
  problems: Problem[];
  /** Identifiers that are not of this survey: only the database knows whether they are of another. */
  unmatched: UnmatchedReference[];
}

const mergeTask = merger<TaskDraft, TaskInput, typeof taskMembers>(taskMembers);
const mergeField = merger<FieldDraft, FieldInput, typeof fieldMembers>(fieldMembers);

/** The tasks that result from sending `sent` to a survey that has the tasks `previous`. */
export function mergeTasks(sent: readonly Schema<'TaskInput'>[], previous: readonly TaskDraft[]): MergedTasks {
  const prioritized = withPriorities(sent);
  const stored = {
    tasks: new Map(previous.map((task) => [task.id, task])),
    fields: new Map(previous.flatMap((task) => task.fields).map((field) => [field.id, field])),
  };
  const references = referencesIn(prioritized);
  const sentFields = new Set(references.filter(({ part }) => part === 'fields').map(({ id }) => id));
  const parts = prioritized.map((task, at) => {
    const known = stored.tasks.get(task.id as number);
    // A field that is sent in another task has moved there.
    const kept = task.fields ? [] : (known?.fields ?? []).filter(({ id }) => !sentFields.has(id!));
    return { task, at, known, kept, count: task.fields?.length ?? kept.length };
  });
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  // Before any work is done for so many.
  const tooMany = tooManyFields(count, stored.fields.size);
  if (tooMany.length > 0) return { tasks: [], problems: tooMany, unmatched: [] };

  const placed: PlacedField[] = [];
  const tasks = parts.map(({ task, at, known, kept }): TaskDraft => {
    const fields = task.fields
      ? withPriorities(task.fields).map((field) => fieldDraft(field, stored.fields.get(field.id as number)))
      : kept;
    placed.push(
      ...fields.map((field, place) => ({ field, pointer: `/tasks/${at}${task.fields ? `/fields/${place}` : ''}` })),
    );
    return mergeTask(task, known, { id: known?.id, fields: fields.toSorted(byPriority) });
  });
  return {
    tasks: tasks.toSorted(byPriority),
    problems: [...duplicateReferences(references), ...duplicateTypes(placed), ...privateTags(placed)],
    unmatched: references.filter(({ part, id }) => !stored[part].has(id)),
  };
}

/** To a new survey every task and field is new, whatever its client calls it. */
export function withoutIds({ id: _, fields, ...task }: Schema<'TaskInput'>): Schema<'TaskInput'> {
  return fields ? { ...task, fields: fields.map(({ id: __, ...field }) => field) } : task;
}

/** Whether those who only read surveys see this task. */
export function isPublished(task: { task_is_internal_only: boolean; show_when_published: boolean }): boolean {
  return task.show_when_published && !task.task_is_internal_only;
}

function fieldDraft(sent: FieldInput, previous: FieldDraft | undefined): FieldDraft {
  return mergeField(sent, previous, { id: previous?.id, key: previous?.key ?? randomUUID() });
}

/** An item without a priority comes right after the one before it. */
function withPriorities<T extends { priority?: number }>(items: readonly T[]): (T & { priority: number })[] {
  let last = -1;
  return items.map((item) => {
    last = item.priority ?? Math.min(last + 1, 2 ** 31 - 1);
    return { ...item, priority: last };
  });
}

function byPriority(one: { priority: number }, other: { priority: number }): number {
  return one.priority - other.priority;
}

interface PlacedField {
  field: FieldDraft;
  /** Where the field is in what was sent, or else the task that keeps it. */
  pointer: string;
}

/** The contract bounds the tasks, and the fields of each; together they could be ten times as many. */
const maxFields = 10_000;

/** A survey that has more already may keep them. */
function tooManyFields(count: number, previous: number): Problem[] {
  if (count <= maxFields || count <= previous) return [];
  const message =
    `A survey has at most ${maxFields} fields, and with these tasks it would have ${count}. ` +
    'Those of tasks that are sent without fields count as well.';
  return [{ code: 'too_many_items', message, source: { pointer: '/tasks' } }];
}

function duplicateTypes(placed: PlacedField[]): Problem[] {
  return ['title', 'description'].flatMap((type) =>
    placed
      .filter(({ field }) => field.type === type)
      .slice(1)
      .map(({ pointer }) => ({
        code: 'duplicate_field_type',
        message: `A survey has at most one field of type ${type}.`,
        source: { pointer },
      })),
  );
}

function privateTags(placed: PlacedField[]): Problem[] {
  return placed
    .filter(({ field }) => field.type === 'tags' && field.response_private)
    .map(({ pointer }) => ({
      code: 'private_tags',
      message: 'A field of type tags cannot be private. Set response_private to false.',
      source: { pointer: `${pointer}/response_private` },
    }));
}
