/**
 * The identifiers of tasks and fields: the SQL about the tables `tasks` and `fields`. The tasks and fields themselves
 * are in the row of their survey; these tables give out identifiers, and say which survey has them.
 */
import type { Db } from '../database/database.ts';
import { type PreparedQuery, prepared } from '../database/prepared.ts';
import type { Task } from './members.ts';
import { Memo } from './memo.ts';
import { type Part, parts, type UnmatchedReference } from './references.ts';
import type { TaskDraft } from './tasks.ts';

/** Those of the unmatched references that belong to other surveys than this one. */
export async function foreignIds(
  trx: Db,
  survey: number,
  unmatched: readonly UnmatchedReference[],
): Promise<Record<Part, ReadonlySet<number>>> {
  const foreign = { tasks: new Set<number>(), fields: new Set<number>() };
  for (const part of parts) {
    for (const ids of chunks(unmatched.filter((reference) => reference.part === part).map(({ id }) => id))) {
      const rows = await trx.query
        .selectFrom(part)
        .select('id')
        .where('id', 'in', ids)
        .where('survey_id', '!=', survey)
        .execute();
      for (const { id } of rows) foreign[part].add(id);
    }
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

/** Stores that these tasks and fields belong to this survey, which must exist or be inserted by the statement before. */
export async function insertIdentifiers(trx: Db, survey: number, added: Record<Part, number[]>): Promise<void> {
  const inserted = parts.flatMap((part) =>
    batches(added[part]).map((ids) => trx.rows(insertMany(part, ids.length), { ...ids, survey })),
  );
  await Promise.all(inserted);
}

/** Deletes the identifiers of the tasks and fields that are no longer in the survey. */
export async function deleteRemoved(
  trx: Db,
  previous: readonly TaskDraft[],
  current: readonly TaskDraft[],
): Promise<void> {
  const [old, remaining] = [identifiersIn(previous), identifiersIn(current)];
  const deleted = parts.flatMap((part) =>
    chunks([...old[part]].filter((id) => !remaining[part].has(id))).map((removed) =>
      trx.query.deleteFrom(part).where('id', 'in', removed).execute(),
    ),
  );
  await Promise.all(deleted);
}

function identifiersIn(tasks: readonly TaskDraft[]): Record<Part, Set<number>> {
  return {
    tasks: new Set(tasks.map(({ id }) => id!)),
    fields: new Set(tasks.flatMap((task) => task.fields).map(({ id }) => id!)),
  };
}

/** The survey, and at each place the identifier that it gets: `0`, `1`, … */
type Rows = Record<number, number> & { survey: number };

/**
 * Identifiers as they are inserted, by one statement each: all together when they are few, otherwise as many as a power of
 * two. A statement for each number of fields would take a hundred megabytes.
 */
function batches(ids: readonly number[]): number[][] {
  if (ids.length === 0) return [];
  const count = ids.length <= 32 ? ids.length : Math.min(2 ** Math.floor(Math.log2(ids.length)), 512);
  return [ids.slice(0, count), ...batches(ids.slice(count))];
}

/** The query that inserts so many tasks or fields. */
function insertMany(part: Part, count: number): PreparedQuery<Rows, unknown> {
  return insertQueries.get(`${part} ${count}`, () => {
    const places = Array.from({ length: count }, (_, at) => at);
    return prepared((query, value: Rows) =>
      query.insertInto(part).values(places.map((place) => ({ id: value[place]!, survey_id: value.survey }))),
    );
  });
}

/** There are fewer: see `batches`. */
const insertQueries = new Memo<PreparedQuery<Rows, unknown>>(100);

/** The items in lists that fit into one statement: SQLite takes 32766 values, and a survey may have more fields. */
function chunks<T>(items: readonly T[]): T[][] {
  const size = 1000;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
