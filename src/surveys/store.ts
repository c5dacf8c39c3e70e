/** All SQL about surveys. */
import { setImmediate } from 'node:timers/promises';
import type { Insertable, Selectable } from 'kysely';
import type { Caller } from '../api/caller.ts';
import type { Schema } from '../api/handler.ts';
import { Json } from '../contract/json-body.ts';
import type { Problem } from '../contract/problem.ts';
import type { Db } from '../database/database.ts';
import { type Prepared, pick, prepared } from '../database/prepared.ts';
import type { Surveys } from '../database/tables.ts';
import { timestamp, timestampAfter } from '../database/time.ts';
import { type Definition, define, enabledLanguages, isPublished, type Stranger, type TaskDraft } from './definition.ts';
import { surveyText, visibleColumns } from './record.ts';
import { allMembers, type Member } from './view.ts';

/** A survey as JSON text, ready to be sent. */
export type SurveyText = string;

export interface Listing {
  /** How many surveys at most; 0 for all. */
  limit: number;
  offset: number;
  orderby: Exclude<
    keyof Surveys,
    'can_create' | 'translations' | 'listed_languages' | 'enabled_languages' | 'tasks' | 'published_tasks'
  >;
  descending: boolean;
}

/** The survey with this id as this caller sees it, or undefined when there is none that they see. */
export async function find(
  db: Db,
  id: number,
  members: readonly Member[],
  caller: Caller,
): Promise<SurveyText | undefined> {
  const [row] = await queries(members, caller).byId(db, { id });
  return row && surveyText(row, members, caller);
}

/** One page of the surveys that this caller sees, or, when they are many, all of them piece by piece. */
export async function list(
  db: Db,
  listing: Listing,
  members: readonly Member[],
  caller: Caller,
): Promise<SurveyText[] | AsyncIterable<SurveyText[]>> {
  const ids = visibleIds(db, listing, caller);
  const { value: first } = await ids.next();
  const few = first === undefined || first.length <= pageSize;
  return few ? readPage(db, first ?? [], members, caller) : inPages(db, first, ids, members, caller);
}

/** What came of an attempt to store a survey. */
export type Stored = { survey: SurveyText; id: number } | { problems: Problem[] };

/** Stores a new survey with its tasks and fields, all or nothing. */
export async function create(db: Db, sent: Schema<'SurveyInput'>, caller: Caller): Promise<Stored> {
  const { definition, problems } = define(sent);
  if (problems.length > 0) return { problems };
  return db.transaction().execute(async (trx) => {
    const created = timestamp();
    const draft = { ...toRow(definition, []), created, updated: null };
    const [inserted] = await insert(trx, draft);
    const { id } = inserted!;
    const tasks = taskColumns(await numbered(trx, id, definition.tasks));
    if (definition.tasks.length > 0) await setTasks(trx, { id, ...tasks });
    return { id, survey: surveyText({ ...draft, ...tasks, id }, allMembers, caller) };
  });
}

/** Changes a survey, all or nothing; undefined when there is none. What changes nothing leaves `updated` as it was. */
export async function update(
  db: Db,
  id: number,
  sent: Schema<'SurveyInput'>,
  caller: Caller,
): Promise<Stored | undefined> {
  return db.transaction().execute(async (trx) => {
    const [row] = await whole(trx, { id });
    if (row === undefined) return undefined;
    const before = fromRow(row);
    const { definition, problems, strangers } = define(sent, before);
    const found = [...problems, ...(await explain(trx, id, strangers))];
    if (found.length > 0) return { problems: found };

    await removeLost(trx, before.tasks, definition.tasks);
    const next = toRow(definition, await numbered(trx, id, definition.tasks));
    const changes = (Object.keys(next) as (keyof DefinitionRow)[]).filter((column) => row[column] !== next[column]);
    // A client that sends back the languages it read lists those that were only translated: nobody sees that change.
    const updated = changes.some((column) => column !== 'listed_languages') ? timestampAfter(row.created) : row.updated;
    if (changes.length > 0) await replace(trx, { ...next, updated, id });
    return { id, survey: surveyText({ ...row, ...next, updated }, allMembers, caller) };
  });
}

/** Removes a survey with all that belongs to it; false when there is none. */
export async function remove(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('surveys').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

type DefinitionRow = Omit<Insertable<Surveys>, 'id' | 'created' | 'updated'>;

const definitionColumns = [
  'name',
  'description',
  'base_language',
  'color',
  'type',
  'require_approval',
  'everyone_can_create',
  'disabled',
  'hide_author',
  'hide_time',
  'hide_location',
  'targeted_survey',
  'can_create',
  'translations',
  'listed_languages',
  'enabled_languages',
  'tasks',
  'published_tasks',
] as const satisfies (keyof DefinitionRow)[];

const insert = prepared((db, value: DefinitionRow & { created: string; updated: null }) =>
  db
    .insertInto('surveys')
    .values(pick(value, [...definitionColumns, 'created', 'updated']))
    .returning('id'),
);

const replace = prepared((db, value: DefinitionRow & { id: number; updated: string | null }) =>
  db
    .updateTable('surveys')
    .set(pick(value, [...definitionColumns, 'updated']))
    .where('id', '=', value.id),
);

const setTasks = prepared((db, value: Pick<DefinitionRow, 'tasks' | 'published_tasks'> & { id: number }) =>
  db
    .updateTable('surveys')
    .set(pick(value, ['tasks', 'published_tasks']))
    .where('id', '=', value.id),
);

const whole = prepared((db, value: { id: number }) => db.selectFrom('surveys').selectAll().where('id', '=', value.id));

/** How many surveys are held in memory while a list of all is being sent. */
export const pageSize = 20;

/** The slots for the identifiers of one page: `id0`, `id1`, … */
const pageSlots = Array.from({ length: pageSize }, (_, at) => `id${at}`);

type Page = Record<string, number>;

/** The queries that read just these members, compiled when they are first needed. */
function queries(members: readonly Member[], caller: Caller) {
  const editor = caller.may('surveys:write');
  const key = `${editor}:${members}`;
  let known = compiled.get(key);
  if (known === undefined) {
    const columns = visibleColumns(members, editor);
    const visible = (db: Db) =>
      db
        .selectFrom('surveys')
        .select(columns)
        .$if(!editor, (query) => query.where('disabled', '=', 0));
    known = {
      byId: prepared((db, value: { id: number }) => visible(db).where('id', '=', value.id)),
      byIds: prepared((db, value: Page) =>
        visible(db).where(
          'id',
          'in',
          pageSlots.map((slot) => value[slot]!),
        ),
      ),
    };
    if (compiled.size === keptQueries) compiled.delete(compiled.keys().next().value!);
    compiled.set(key, known);
  }
  return known;
}

/** `only` can name more combinations than anyone uses; those used lately are kept. */
const keptQueries = 200;
type Row = Partial<Selectable<Surveys>>;
const compiled = new Map<
  string,
  {
    byId: Prepared<{ id: number }, Row>;
    byIds: Prepared<Page, Row>;
  }
>();

/** How many identifiers are looked up at once where that is possible. */
const idsAtOnce = 1000;

/** Which surveys a list holds. By identifier they are found while the list is being sent; by anything else all at the beginning. */
async function* visibleIds(
  db: Db,
  { limit, offset, ...order }: Listing,
  caller: Caller,
): AsyncGenerator<number[], undefined> {
  // PostgreSQL takes an offset without a limit, SQLite does not.
  let left = limit || Number.MAX_SAFE_INTEGER;
  let last: number | undefined;
  do {
    const count = order.orderby === 'id' ? Math.min(left, idsAtOnce) : left;
    const rows =
      last === undefined
        ? await idsQuery(order, caller, false)(db, { count, offset, last: 0 })
        : await idsQuery(order, caller, true)(db, { count, offset: 0, last });
    if (rows.length > 0) yield rows.map(({ id }) => id);
    left -= rows.length;
    last = rows.length === count ? rows.at(-1)!.id : undefined;
  } while (last !== undefined && left > 0);
  return undefined;
}

/** The query for identifiers in this order, from the beginning or after the `last` that is known. There are not many. */
function idsQuery(
  { orderby, descending }: Pick<Listing, 'orderby' | 'descending'>,
  caller: Caller,
  continued: boolean,
) {
  const editor = caller.may('surveys:write');
  const key = `${orderby} ${descending} ${editor} ${continued}`;
  const query =
    idsQueries.get(key) ??
    prepared((db, value: IdsValues) =>
      db
        .selectFrom('surveys')
        .select('id')
        .$if(!editor, (surveys) => surveys.where('disabled', '=', 0))
        .$if(continued, (surveys) => surveys.where('id', descending ? '<' : '>', value.last))
        .orderBy(orderby, (order) => (descending ? order.desc().nullsLast() : order.asc().nullsFirst()))
        .$if(orderby !== 'id', (surveys) => surveys.orderBy('id'))
        .limit(value.count)
        .offset(value.offset),
    );
  idsQueries.set(key, query);
  return query;
}

interface IdsValues {
  count: number;
  offset: number;
  last: number;
}

const idsQueries = new Map<string, Prepared<IdsValues, { id: number }>>();

async function* inPages(
  db: Db,
  first: number[],
  more: AsyncGenerator<number[], undefined>,
  members: readonly Member[],
  caller: Caller,
): AsyncGenerator<SurveyText[]> {
  for (let ids: number[] | undefined = first; ids !== undefined; ids = (await more.next()).value) {
    for (let start = 0; start < ids.length; start += pageSize) {
      yield readPage(db, ids.slice(start, start + pageSize), members, caller);
      // SQLite never waits, and a fast client takes all at once: without this nobody else would get a turn.
      await setImmediate();
    }
  }
}

/** The surveys with these identifiers, in this order; one that was deleted meanwhile is missing. */
async function readPage(db: Db, ids: number[], members: readonly Member[], caller: Caller): Promise<SurveyText[]> {
  const rows = await queries(members, caller).byIds(
    db,
    Object.fromEntries(pageSlots.map((slot, at) => [slot, ids[at] ?? 0])),
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => (found.has(id) ? [surveyText(found.get(id)!, members, caller)] : []));
}

/** Says of each identifier that is not this survey's whether it is another survey's or nobody's. */
async function explain(trx: Db, survey: number, strangers: Stranger[]): Promise<Problem[]> {
  const foreign = { tasks: new Set<number>(), fields: new Set<number>() };
  for (const part of ['tasks', 'fields'] as const) {
    for (const ids of portions(strangers.filter((stranger) => stranger.part === part).map(({ id }) => id))) {
      const rows = await trx
        .selectFrom(part)
        .select('id')
        .where('id', 'in', ids)
        .where('survey_id', '!=', survey)
        .execute();
      for (const { id } of rows) foreign[part].add(id);
    }
  }
  return strangers.map(({ part, id, pointer }) => {
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

/** Gives identifiers to the tasks and fields that have none yet. */
async function numbered(trx: Db, survey: number, drafts: TaskDraft[]): Promise<Schema<'Task'>[]> {
  const taskIds = await newIds(trx, 'tasks', survey, drafts.filter(({ id }) => id === undefined).length);
  const fields = drafts.flatMap((task) => task.fields);
  const fieldIds = await newIds(trx, 'fields', survey, fields.filter(({ id }) => id === undefined).length);
  return drafts.map(({ id, ...task }) => ({
    id: id ?? taskIds.next().value!,
    form_id: survey,
    ...task,
    fields: task.fields.map((field) => ({ ...field, id: field.id ?? fieldIds.next().value! })),
  }));
}

/** New identifiers in ascending order. */
async function newIds(
  trx: Db,
  part: 'tasks' | 'fields',
  survey: number,
  count: number,
): Promise<ArrayIterator<number>> {
  const ids: number[] = [];
  for (const rows of portions(Array.from({ length: count }, () => ({ survey_id: survey })))) {
    const inserted = await inserter(part, rows.length)(trx, { survey_id: survey });
    ids.push(...inserted.map(({ id }) => id));
  }
  return ids.sort((one, other) => one - other).values();
}

/** The query that inserts so many tasks or fields; there are not many lengths, and they come again. */
function inserter(part: 'tasks' | 'fields', count: number) {
  const key = `${part} ${count}`;
  const insertMany =
    inserters.get(key) ??
    prepared((db, { survey_id }: { survey_id: number }) =>
      db
        .insertInto(part)
        .values(Array.from({ length: count }, () => ({ survey_id })))
        .returning('id'),
    );
  inserters.set(key, insertMany);
  return insertMany;
}

const inserters = new Map<string, Prepared<{ survey_id: number }, { id: number }>>();

async function removeLost(trx: Db, before: TaskDraft[], after: TaskDraft[]): Promise<void> {
  const identifiers = (tasks: TaskDraft[]) => ({
    tasks: tasks.map(({ id }) => id!),
    fields: tasks.flatMap((task) => task.fields).map(({ id }) => id!),
  });
  const [old, kept] = [identifiers(before), identifiers(after)];
  for (const part of ['tasks', 'fields'] as const) {
    const keep = new Set(kept[part]);
    for (const lost of portions(old[part].filter((id) => !keep.has(id))))
      await trx.deleteFrom(part).where('id', 'in', lost).execute();
  }
}

/** The items in lists that fit into one statement: SQLite takes 32766 values, and a survey may have more fields. */
function portions<T>(items: T[]): T[][] {
  const size = 1000;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function toRow(definition: Definition, tasks: Schema<'Task'>[]): DefinitionRow {
  const flag = (value: boolean) => (value ? 1 : 0);
  return {
    ...definition,
    require_approval: flag(definition.require_approval),
    everyone_can_create: flag(definition.everyone_can_create),
    disabled: flag(definition.disabled),
    hide_author: flag(definition.hide_author),
    hide_time: flag(definition.hide_time),
    hide_location: flag(definition.hide_location),
    targeted_survey: flag(definition.targeted_survey),
    can_create: JSON.stringify(definition.can_create),
    translations: JSON.stringify(definition.translations),
    listed_languages: JSON.stringify(definition.listed_languages),
    enabled_languages: JSON.stringify(enabledLanguages(definition)),
    ...taskColumns(tasks),
  };
}

function taskColumns(tasks: Schema<'Task'>[]): { tasks: string; published_tasks: string | null } {
  const published = tasks.filter(isPublished);
  return {
    tasks: JSON.stringify(tasks),
    published_tasks: published.length === tasks.length ? null : JSON.stringify(published),
  };
}

function fromRow(row: Selectable<Surveys>): Definition {
  return {
    ...row,
    require_approval: row.require_approval === 1,
    everyone_can_create: row.everyone_can_create === 1,
    disabled: row.disabled === 1,
    hide_author: row.hide_author === 1,
    hide_time: row.hide_time === 1,
    hide_location: row.hide_location === 1,
    targeted_survey: row.targeted_survey === 1,
    can_create: JSON.parse(row.can_create),
    translations: JSON.parse(row.translations),
    listed_languages: JSON.parse(row.listed_languages),
    tasks: JSON.parse(row.tasks),
  };
}

/** The body of a reply with these surveys. */
export function results(surveys: SurveyText[] | AsyncIterable<SurveyText[]>): Json<Schema<'SurveyResults'>> {
  return new Json(Array.isArray(surveys) ? `{"results":[${surveys.join(',')}]}` : streamed(surveys));
}

async function* streamed(pages: AsyncIterable<SurveyText[]>): AsyncGenerator<string> {
  let separator = '{"results":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.join(',');
    separator = ',';
  }
  yield separator === ',' ? ']}' : '{"results":[]}';
}
