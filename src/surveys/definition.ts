/** What a survey becomes when a client sends one: defaults, merging with what there was, and the rules. No SQL. */
import { randomUUID } from 'node:crypto';
import type { Schema } from '../api/handler.ts';
import type { Problem } from '../contract/problem.ts';
import { keptTranslations, translatedLanguages } from './translation.ts';

type Task = Schema<'Task'>;
type Field = Schema<'Field'>;
type SurveyInput = Schema<'SurveyInput'>;
type TaskInput = Schema<'TaskInput'>;
type FieldInput = Schema<'FieldInput'>;

/** A task or field that has no identifier yet, or still has the one it had. */
type Draft<T> = Omit<T, 'id'> & { id: number | undefined };
export type FieldDraft = Draft<Field>;
export type TaskDraft = Draft<Omit<Task, 'form_id' | 'fields'>> & { fields: FieldDraft[] };

/** All of a survey that its clients decide. */
export interface Definition {
  name: string;
  description: string | null;
  base_language: string;
  color: string | null;
  type: string;
  require_approval: boolean;
  everyone_can_create: boolean;
  disabled: boolean;
  hide_author: boolean;
  hide_time: boolean;
  hide_location: boolean;
  targeted_survey: boolean;
  can_create: string[];
  translations: Schema<'SurveyTranslations'>;
  /** The languages a client listed, translated or not. */
  listed_languages: string[];
  tasks: TaskDraft[];
}

/** A task or field that the client says exists, though not in this survey. */
export interface Stranger {
  part: 'tasks' | 'fields';
  id: number;
  pointer: string;
}

export interface Defined {
  definition: Definition;
  /** The rules that what was sent breaks. */
  problems: Problem[];
  /** Identifiers that are not of this survey: whoever has the database knows whether they are of another. */
  strangers: Stranger[];
}

/**
 * The definition that results from sending `sent`: what is left out is as it was in `before`, or gets its
 * default when there is no `before`. All identifiers count as unknown to a survey that does not exist yet.
 */
export function define(sent: SurveyInput, before?: Definition): Defined {
  const listed = sent.enabled_languages;
  const { tasks, ...rest } =
    sent.tasks === undefined
      ? { tasks: before?.tasks ?? [], problems: [], strangers: [] }
      : mergeTasks(before ? sent.tasks : sent.tasks.map(withoutIds), before?.tasks ?? []);
  const definition: Definition = {
    name: sent.name ?? before?.name ?? 'Untitled survey',
    description: latest(sent.description, before?.description, null),
    base_language: sent.base_language ?? listed?.default ?? before?.base_language ?? 'en-US',
    color: sent.color ? `#${sent.color.replace('#', '')}` : latest(sent.color, before?.color, null),
    type: sent.type ?? before?.type ?? 'report',
    require_approval: sent.require_approval ?? before?.require_approval ?? true,
    everyone_can_create: sent.everyone_can_create ?? before?.everyone_can_create ?? true,
    disabled: sent.disabled ?? before?.disabled ?? false,
    hide_author: sent.hide_author ?? before?.hide_author ?? false,
    hide_time: sent.hide_time ?? before?.hide_time ?? false,
    hide_location: sent.hide_location ?? before?.hide_location ?? false,
    targeted_survey: sent.targeted_survey ?? before?.targeted_survey ?? false,
    can_create: sent.can_create ?? before?.can_create ?? [],
    translations: sent.translations
      ? keptTranslations(sent.translations, ['name', 'description'])
      : (before?.translations ?? {}),
    listed_languages: listed?.available ?? before?.listed_languages ?? [],
    tasks,
  };
  return { definition, ...rest };
}

/** The languages of a survey: those a client listed, then those of any translation in it. */
export function enabledLanguages({
  base_language,
  listed_languages,
  translations,
  tasks,
}: Definition): Schema<'EnabledLanguages'> {
  const translated = [
    translations,
    ...tasks.flatMap((task) => [task.translations, ...task.fields.map((field) => field.translations)]),
  ];
  return {
    default: base_language,
    available: [...new Set([...listed_languages, ...translated.flatMap(translatedLanguages)])],
  };
}

/** Whether those who only read surveys see this task. */
export function isPublished(task: { task_is_internal_only: boolean; show_when_published: boolean }): boolean {
  return task.show_when_published && !task.task_is_internal_only;
}

/** What was sent if anything was, null included; else what there was; else the default. */
function latest<T>(sent: T | undefined, before: T | undefined, initial: T): T {
  return sent !== undefined ? sent : before !== undefined ? before : initial;
}

/** To a new survey every task and field is new, whatever its client calls it. */
function withoutIds({ id: _, fields, ...task }: TaskInput): TaskInput {
  return fields ? { ...task, fields: fields.map(({ id: __, ...field }) => field) } : task;
}

interface PlacedField {
  field: FieldDraft;
  /** Where the field, or the task that keeps it, stands in what was sent. */
  pointer: string;
}

function mergeTasks(
  sent: TaskInput[],
  before: TaskDraft[],
): { tasks: TaskDraft[]; problems: Problem[]; strangers: Stranger[] } {
  const tasksBefore = new Map(before.map((task) => [task.id, task]));
  const fieldsBefore = new Map(before.flatMap((task) => task.fields).map((field) => [field.id, field]));
  const references = sent.flatMap((task, at) => [
    ...reference('tasks', task.id, `/tasks/${at}/id`),
    ...(task.fields ?? []).flatMap((field, place) => reference('fields', field.id, `/tasks/${at}/fields/${place}/id`)),
  ]);
  const moved = new Set(references.filter(({ part }) => part === 'fields').map(({ id }) => id));
  const placed: PlacedField[] = [];
  const tasks = withPriorities(sent).map((task, at): TaskDraft => {
    const known = tasksBefore.get(task.id as number);
    const fields = task.fields
      ? withPriorities(task.fields).map((field) => mergeField(field, fieldsBefore.get(field.id as number)))
      : (known?.fields ?? []).filter(({ id }) => !moved.has(id!));
    placed.push(
      ...fields.map((field, place) => ({ field, pointer: `/tasks/${at}${task.fields ? `/fields/${place}` : ''}` })),
    );
    return mergeTask(task, known, fields.toSorted(byPriority));
  });
  return {
    tasks: tasks.toSorted(byPriority),
    problems: [...duplicateReferences(references), ...duplicateTypes(placed), ...privateTags(placed)],
    strangers: references.filter(({ part, id }) => !(part === 'tasks' ? tasksBefore : fieldsBefore).has(id)),
  };
}

type Placed<T> = T & { priority: number };

function mergeTask(sent: Placed<TaskInput>, before: TaskDraft | undefined, fields: FieldDraft[]): TaskDraft {
  return {
    id: before?.id,
    label: sent.label,
    description: latest(sent.description, before?.description, null),
    type: sent.type ?? before?.type ?? 'task',
    priority: sent.priority,
    required: sent.required ?? before?.required ?? false,
    show_when_published: sent.show_when_published ?? before?.show_when_published ?? true,
    task_is_internal_only: sent.task_is_internal_only ?? before?.task_is_internal_only ?? false,
    is_public: sent.is_public ?? before?.is_public ?? false,
    translations: sent.translations
      ? keptTranslations(sent.translations, ['label', 'description'])
      : (before?.translations ?? {}),
    fields,
  };
}

function mergeField(sent: Placed<FieldInput>, before: FieldDraft | undefined): FieldDraft {
  return {
    id: before?.id,
    key: before?.key ?? randomUUID(),
    label: sent.label,
    description: latest(sent.description, before?.description, null),
    instructions: latest(sent.instructions, before?.instructions, null),
    default: latest(sent.default, before?.default, null),
    type: sent.type,
    input: sent.input,
    priority: sent.priority,
    required: sent.required ?? before?.required ?? false,
    response_private: sent.response_private ?? before?.response_private ?? false,
    cardinality: sent.cardinality ?? before?.cardinality ?? 1,
    config: sent.config ?? before?.config ?? {},
    options: sent.options ?? before?.options ?? [],
    translations: sent.translations
      ? keptTranslations(sent.translations, ['label', 'instructions', 'default', 'options'])
      : (before?.translations ?? {}),
  };
}

/** An item without a priority comes right after the one before it. */
function withPriorities<T extends { priority?: number | undefined }>(items: readonly T[]): Placed<T>[] {
  let last = -1;
  return items.map((item) => {
    last = item.priority ?? Math.min(last + 1, 2 ** 31 - 1);
    return { ...item, priority: last };
  });
}

function byPriority(one: { priority: number }, other: { priority: number }): number {
  return one.priority - other.priority;
}

function reference(part: Stranger['part'], id: unknown, pointer: string): Stranger[] {
  return typeof id === 'number' ? [{ part, id, pointer }] : [];
}

function duplicateReferences(references: Stranger[]): Problem[] {
  const seen = new Set<string>();
  return references.flatMap(({ part, id, pointer }) => {
    const name = `${part} ${id}`;
    const first = !seen.has(name);
    seen.add(name);
    if (first) return [];
    const message = `${part === 'tasks' ? 'Task' : 'Field'} ${id} is sent more than once.`;
    return [{ code: 'duplicate_reference', message, source: { pointer } }];
  });
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
