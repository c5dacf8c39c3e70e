/** The identifiers of tasks and fields in what a client sends: which there are, and what is wrong with them. No SQL. */
import type { Problem } from '../api/handler.ts';
import type { TaskInput } from './members.ts';

/** Where a survey's identifiers are from: each of these is also a table. */
export const parts = ['tasks', 'fields'] as const;
export type Part = (typeof parts)[number];

/** An identifier in a request body, which says that this task or field exists. */
export interface Reference {
  part: Part;
  id: number;
  pointer: string;
}

/** A reference to a task or field that is not in the survey. It may be in another one. */
export type UnmatchedReference = Reference;

/** Every identifier in these tasks. Temporary ones, which are text, are not among them. */
export function referencesIn(tasks: readonly TaskInput[]): Reference[] {
  return tasks.flatMap((task, at) => [
    ...reference('tasks', task.id, `/tasks/${at}/id`),
    ...(task.fields ?? []).flatMap((field, place) => reference('fields', field.id, `/tasks/${at}/fields/${place}/id`)),
  ]);
}

function reference(part: Part, id: unknown, pointer: string): Reference[] {
  return typeof id === 'number' ? [{ part, id, pointer }] : [];
}

/** A problem for each reference to something that was referred to before. */
export function duplicateReferences(references: readonly Reference[]): Problem[] {
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

/** A problem for each unmatched reference. `foreign` holds the identifiers that belong to other surveys. */
export function unmatchedReferences(
  references: readonly UnmatchedReference[],
  foreign: Record<Part, ReadonlySet<number>>,
): Problem[] {
  return references.map(({ part, id, pointer }) => {
    const kind = part === 'tasks' ? 'task' : 'field';
    const what = part === 'tasks' ? `Task ${id}` : `Field ${id}`;
    return foreign[part].has(id)
      ? { code: 'foreign_reference', message: `${what} belongs to another survey.`, source: { pointer } }
      : {
          code: 'unknown_reference',
          message: `${what} does not exist. Leave its id out to create a ${kind}.`,
          source: { pointer },
        };
  });
}
