/** Reads and writes surveys: the SQL about the table `surveys`, but for what queries.ts has. */
import type { Caller } from '../api/caller.ts';
import type { Problem, Schema } from '../api/handler.ts';
import { turnAfterLong, turnForLarge } from '../contract/turns.ts';
import type { Database, Db } from '../database/database.ts';
import { pick, prepared } from '../database/prepared.ts';
import type { StoredSurvey, SurveyRow } from '../database/tables.ts';
import { timestamp, timestampAfter } from '../database/time.ts';
import { define } from './definition.ts';
import { digestChecker, digestsOf } from './digests.ts';
import { assignIds, deleteRemoved, foreignIds, insertIdentifiers, missingIds } from './identifiers.ts';
import { surveyReader } from './queries.ts';
import { columnNames, type DefinitionRow, excessiveSize, fromRow, type SurveyText, toRow } from './record.ts';
import { unmatchedReferences } from './references.ts';
import { allMembers, type Member } from './selection.ts';

/** The survey with this id as this caller sees it, or undefined when there is none that they see. */
export async function find(
  db: Db,
  id: number,
  members: readonly Member[],
  caller: Caller,
): Promise<SurveyText | undefined> {
  const { byId, toText } = surveyReader(members, caller);
  const [row] = await db.rows(byId, { id });
  return row && toText(row);
}

/** What came of an attempt to store a survey. */
export type Stored = { survey: SurveyText; id: number } | { problems: Problem[] };

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
    const row = { id, ...toRow(definition, tasks), created: timestamp(), updated: null };
    const tooLarge = excessiveSize(row, sizeLimit);
    if (tooLarge.length > 0) return { problems: tooLarge };
    await turnForLarge(row.tasks.length);
    await trx.rows(insertSurvey, stored(row));
    await insertIdentifiers(trx, id, added);
    await turnForLarge(row.tasks.length);
    return { id, survey: surveyReader(allMembers, caller).write(row) };
  });
}

/**
 * Changes a survey, all or nothing; undefined when there is none. What changes nothing leaves `updated` as it was.
 * A survey does not grow beyond `sizeLimit` bytes.
 */
export async function update(
  db: Database,
  id: number,
  sent: Schema<'SurveyInput'>,
  caller: Caller,
  sizeLimit: number,
): Promise<Stored | undefined> {
  return db.transaction(async (trx) => {
    const [row] = await trx.rows(selectById, { id });
    if (row === undefined) return undefined;
    // What is damaged must not get digests that are right.
    checkAll(row);
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
    const updated = changes.some((column) => column !== 'listed_languages') ? timestampAfter(row.created) : row.updated;
    const changed = { ...row, ...next, updated };
    const tooLarge = excessiveSize(changed, sizeLimit, row);
    if (tooLarge.length > 0) return { problems: tooLarge };

    await turnForLarge(changed.tasks.length);
    // A transaction that ends with problems is committed too: up to here nothing was written.
    await deleteRemoved(trx, previous.tasks, definition.tasks);
    await insertIdentifiers(trx, id, added);
    await turnForLarge(changed.tasks.length);
    if (changes.length > 0) await trx.rows(updateSurvey, stored(changed));
    await turnForLarge(changed.tasks.length);
    return { id, survey: surveyReader(allMembers, caller).write(changed) };
  });
}

/** Removes a survey with all that belongs to it; false when there is none. */
export async function remove(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.query.deleteFrom('surveys').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const selectById = prepared((query, value: { id: number }) =>
  query.selectFrom('surveys').selectAll().where('id', '=', value.id),
);

const insertSurvey = prepared((query, value: StoredSurvey) =>
  query.insertInto('surveys').values(pick(value, storedColumns)),
);

const updateSurvey = prepared((query, value: StoredSurvey) =>
  query.updateTable('surveys').set(pick(value, changeableColumns)).where('id', '=', value.id),
);

const storedColumns = [...columnNames, 'digests' as const];

const changeableColumns = storedColumns.filter((name) => name !== 'id' && name !== 'created');

const checkAll = digestChecker(columnNames);

/** The row with its digests. */
function stored(row: SurveyRow): StoredSurvey {
  return { ...row, digests: digestsOf(row) };
}
