/**
 * The identifiers of tasks and fields: the SQL about the tables `tasks` and `fields`. The tasks and fields themselves
 * are in the row of their survey; these tables give out identifiers, and say which survey has them.
 */
import type { Db, Transaction } from '../database/database.ts';
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

/** Stores that these tasks and fields belong to this survey, which must exist. */
export async function insertIdentifiers(
  trx: Transaction,
  survey: number,
  added: Record<Part, number[]>,
): Promise<void> {
  for (const part of parts) {
    for (let rest = added[part]; rest.length > 0; ) {
      const count = insertCount(rest.length);
      await trx.send(insertMany(part, count), { ...rest.slice(0, count), survey });
      rest = rest.slice(count);
    }
  }
}

/** Deletes the identifiers of the tasks and fields that are no longer in the survey. */
export async function deleteRemoved(
  trx: Db,
  previous: readonly TaskDraft[],
  current: readonly TaskDraft[],
): Promise<void> {
  const [old, remaining] = [identifiersIn(previous), identifiersIn(current)];
  for (const part of parts) {
    for (const removed of chunks([...old[part]].filter((id) => !remaining[part].has(id))))
      await trx.query.deleteFrom(part).where('id', 'in', removed).execute();
  }
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
 * How many of so many rows are inserted by one statement: all when they are few, otherwise a power of two. A statement
 * for each number of fields would take a hundred megabytes.
 */
function insertCount(rows: number): number {
  return rows <= 32 ? rows : Math.min(2 ** Math.floor(Math.log2(rows)), 512);
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

/** There are fewer: see `insertCount`. */
const insertQueries = new Memo<PreparedQuery<Rows, unknown>>(100);

/** The items in lists that fit into one statement: SQLite takes 32766 values, and a survey may have more fields. */
function chunks<T>(items: readonly T[]): T[][] {
  const size = 1000;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
