/** Reads and writes surveys: the SQL about the table `surveys`, but for what queries.ts has. */
import type { Caller } from '../api/caller.ts';
import type { Problem, Schema } from '../api/handler.ts';
import { turnAfterLong, turnForLarge } from '../contract/turns.ts';
import type { Database, Db } from '../database/database.ts';
import { pick, prepared, preparedWrites } from '../database/prepared.ts';
import type { StoredSurvey, SurveyRow } from '../database/tables.ts';
import { timestamp, timestampAfter } from '../database/time.ts';
import { define } from './definition.ts';
import { digestChecker, digestsOf } from './digests.ts';
import {
  assignIds,
  deleteRemoved,
  foreignIds,
  insertIdentifiers,
  insertsOf,
  missingIds,
  type NewIds,
  newIds,
} from './identifiers.ts';
import { surveyReader } from './queries.ts';
import { columnNames, type DefinitionRow, excessiveSize, fromRow, type SurveyText, toRow } from './record.ts';
import { unmatchedReferences } from './references.ts';
import { type Condition, type SurveyValidators, validatorsOf } from './revision.ts';
import { searchText } from './search.ts';
import { allMembers, type Member } from './selection.ts';

/** The survey with this id as this caller sees it, or undefined when there is none that they see. */
export async function find(
  db: Db,
  id: number,
  members: readonly Member[],
  caller: Caller,
): Promise<{ survey: SurveyText; validators: SurveyValidators } | undefined> {
  const { byId, toText, variant } = surveyReader(members, caller);
  const [row] = await db.rows(byId, { id });
  return row && { survey: toText(row), validators: validatorsOf(row, variant) };
}

/** The validators alone of what `find` would find. */
export async function findValidators(
  db: Db,
  id: number,
  members: readonly Member[],
  caller: Caller,
): Promise<SurveyValidators | undefined> {
  const { revision, checkRevision, variant } = surveyReader(members, caller);
  const [row] = await db.rows(revision, { id });
  if (row === undefined) return undefined;
  checkRevision(row);
  return validatorsOf(row, variant);
}

/** What came of an attempt to store a survey. */
export type Stored = { survey: SurveyText; id: number; validators: SurveyValidators } | { problems: Problem[] };

/** The state that a survey is in, because the condition of a change does not allow it. */
export type Refused = { current: SurveyValidators };

/** Stores a new survey with its tasks and fields, all or nothing. It may take at most `sizeLimit` bytes. */
export async function create(
  db: Database,
  sent: Schema<'SurveyInput'>,
  caller: Caller,
  sizeLimit: number,
): Promise<Stored> {
  const { definition, problems } = await turnAfterLong(() => define(sent));
  if (problems.length > 0) return { problems };
  return db.transaction(async (trx) => {
    const added = await trx.reserveIds({ surveys: 1, ...missingIds(definition.tasks) });
    const id = added.surveys[0]!;
    const tasks = assignIds(id, definition.tasks, added);
    const row = { id, ...toRow(definition, tasks), created: timestamp(), updated: null, revision: 1 };
    const tooLarge = excessiveSize(row, sizeLimit);
    if (tooLarge.length > 0) return { problems: tooLarge };
    await turnForLarge(row.tasks.length);
    await trx.send(insertSurvey, { ...stored(row), ...newIds(id, added) });
    await turnForLarge(row.tasks.length);
    return written(row, caller);
  });
}

/**
 * Changes a survey that is in a state that the condition allows, all or nothing; undefined when there is none. What changes nothing leaves `updated` as it was.
 * A survey does not grow beyond `sizeLimit` bytes.
 */
export async function update(
  db: Database,
  id: number,
  sent: Schema<'SurveyInput'>,
  caller: Caller,
  sizeLimit: number,
  condition: Condition | undefined,
): Promise<Stored | Refused | undefined> {
  return db.transaction(async (trx) => {
    const [row] = await trx.rows(selectForUpdate, { id });
    if (row === undefined) return undefined;
    // What is damaged must not get digests that are right.
    checkAll(row);
    if (condition?.(row) === false) return { current: validatorsOf(row, surveyReader(allMembers, caller).variant) };
    await turnForLarge(row.tasks.length);
    const previous = fromRow(row);
    await turnForLarge(row.tasks.length);
    const { definition, problems, unmatched } = await turnAfterLong(() => define(sent, previous));
    const found = [...problems, ...unmatchedReferences(unmatched, await foreignIds(trx, id, unmatched))];
    if (found.length > 0) return { problems: found };

    const added = await trx.reserveIds(missingIds(definition.tasks));
    const next = toRow(definition, assignIds(id, definition.tasks, added));
    const changes = (Object.keys(next) as (keyof DefinitionRow)[]).filter((column) => row[column] !== next[column]);
    // A client that sends back the languages it read lists those that were only translated: nobody sees that change.
    const revised = changes.some((column) => column !== 'listed_languages');
    const state = revised ? { updated: timestampAfter(row.created), revision: row.revision + 1 } : {};
    const changed = { ...row, ...next, ...state };
    const tooLarge = excessiveSize(changed, sizeLimit, row);
    if (tooLarge.length > 0) return { problems: tooLarge };

    await turnForLarge(changed.tasks.length);
    // A transaction that ends with problems is committed too: up to here nothing was written.
    await deleteRemoved(trx, previous.tasks, definition.tasks);
    await insertIdentifiers(trx, id, added);
    await turnForLarge(changed.tasks.length);
    if (changes.length > 0) await trx.send(updateSurvey, stored(changed));
    await turnForLarge(changed.tasks.length);
    return written(changed, caller);
  });
}

/** What is told of a survey that was written. */
function written(row: SurveyRow, caller: Caller): Stored {
  const { write, variant } = surveyReader(allMembers, caller);
  return { id: row.id, survey: write(row), validators: validatorsOf(row, variant) };
}

/** Removes a survey that is in a state that the condition allows, with all that belongs to it; false when there is none. */
export async function remove(
  db: Database,
  id: number,
  caller: Caller,
  condition: Condition | undefined,
): Promise<boolean | Refused> {
  if (condition === undefined) {
    const { numDeletedRows } = await db.query.deleteFrom('surveys').where('id', '=', id).executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
  return db.transaction(async (trx) => {
    const { revision, checkRevision, variant } = surveyReader(allMembers, caller);
    // Where others may write meanwhile, it waits for them here, and reads what they have stored.
    await trx.send(lock, { id });
    const [row] = await trx.rows(revision, { id });
    if (row === undefined) return false;
    checkRevision(row);
    if (!condition(row)) return { current: validatorsOf(row, variant) };
    await trx.send(deleteById, { id, revision: row.revision });
    return true;
  });
}

/** Others that change the survey wait for the end of the transaction. */
const selectForUpdate = prepared((query, value: { id: number }) =>
  query.selectFrom('surveys').selectAll().where('id', '=', value.id).forUpdate(),
);

const lock = prepared((query, value: { id: number }) =>
  query.selectFrom('surveys').select('id').where('id', '=', value.id).forUpdate(),
);

const insertSurvey = preparedWrites((query, value: StoredSurvey & NewIds) => [
  query.insertInto('surveys').values(pick(value, storedColumns)),
  ...insertsOf(query, value),
]);

const updateSurvey = prepared((query, value: StoredSurvey) =>
  query.updateTable('surveys').set(pick(value, changeableColumns)).where('id', '=', value.id),
);

const deleteById = prepared((query, value: { id: number; revision: number }) =>
  query.deleteFrom('surveys').where('id', '=', value.id).where('revision', '=', value.revision),
);

const storedColumns = [...columnNames, 'digests', 'search_text'] as const;

const changeableColumns = storedColumns.filter((name) => name !== 'id' && name !== 'created');

const checkAll = digestChecker(columnNames);

/** The row with what follows from it. */
function stored(row: SurveyRow): StoredSurvey {
  return { ...row, digests: digestsOf(row), search_text: searchText(row) };
}
