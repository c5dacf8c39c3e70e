/**
 * The normalised store on PostgreSQL, as an expert writes it by hand with `pg`: statements prepared by name, those that do not
 * need each other's results in one round trip, many records in one statement.
 */
import { Pool, type PoolClient } from 'pg';
import {
  type Caller,
  callerOf,
  choose,
  type Field,
  type Listing,
  merged,
  privileges,
  type Row,
  type Schema,
  type StoredToken,
  type Survey,
  type Task,
  tokenHash,
} from './records.ts';
import { names } from './tables.ts';
import { insert, update } from './tables-pg.ts';

const pool = new Pool({ connectionString: process.env.DATABASE!, max: 10, pipeline: true });

const statements = new Map<string, string>();

/** Runs a statement, which is prepared when a connection has it for the first time. */
async function run(on: Pool | PoolClient, text: string, ...values: unknown[]): Promise<Row[]> {
  let name = statements.get(text);
  if (name === undefined) statements.set(text, (name = `s${statements.size}`));
  return (await on.query<Row>({ name, text, values })).rows;
}

const tokenByHash =
  'SELECT t.hash, t.expires, u.role FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1 AND t.revoked IS NULL';
const lockedSurvey = `SELECT ${names('surveys')} FROM surveys WHERE id = $1 FOR UPDATE`;
const tasksOf = `SELECT survey_id AS form_id, ${names('tasks')} FROM tasks WHERE survey_id = ANY($1) ORDER BY priority, id`;
const fieldsOf = `SELECT task_id, ${names('fields')} FROM fields WHERE survey_id = ANY($1) ORDER BY priority, id`;
const insertSurveys = insert('surveys');
const insertTasks = insert('tasks', 'survey_id');
const insertFields = insert('fields', 'survey_id', 'task_id');
const updateSurveys = update('surveys', 'id');
const updateTasks = update('tasks', 'survey_id');
const updateFields = update('fields', 'survey_id', 'task_id');
const deleteTasks = 'DELETE FROM tasks WHERE id = ANY($1)';
const deleteFields = 'DELETE FROM fields WHERE id = ANY($1)';

/** Who sent this Authorization header, or undefined. */
export async function findCaller(authorization: string | undefined): Promise<Caller | undefined> {
  const hash = tokenHash(authorization);
  if (hash === undefined) return undefined;
  const [found] = await run(pool, tokenByHash, hash);
  return callerOf(hash, found as StoredToken | undefined);
}

export async function getSurvey(id: number, query: Listing): Promise<{ results: object[] } | undefined> {
  const { columns, withTasks, withPrivileges } = view(query);
  return connected(async (client) => {
    const [[row], tasks] = await Promise.all([
      run(client, `SELECT ${columns} FROM surveys WHERE id = $1`, id),
      withTasks && readTasks(client, [id]),
    ]);
    if (row === undefined) return undefined;
    if (tasks) row.tasks = tasks;
    if (withPrivileges) row.allowed_privileges = privileges;
    return { results: [row] };
  });
}

export async function listSurveys(query: Listing): Promise<{ results: object[] }> {
  const { limit = 0, offset = 0, orderby = 'id', order = 'ASC' } = query;
  const { columns, withTasks, withPrivileges } = view(query);
  return connected(async (client) => {
    const rows = await run(
      client,
      `SELECT ${columns} FROM surveys ORDER BY ${orderby} ${order}, id LIMIT $1 OFFSET $2`,
      Number(limit) || null,
      Number(offset),
    );
    if (withTasks) {
      const ids = rows.map(({ id }) => id);
      const tasks = Map.groupBy(await readTasks(client, ids), ({ form_id }) => form_id);
      for (const row of rows) row.tasks = tasks.get(row.id) ?? [];
    }
    if (withPrivileges) for (const row of rows) row.allowed_privileges = privileges;
    return { results: rows };
  });
}

export async function createSurvey(sent: Schema<'SurveyInput'>): Promise<Survey> {
  const survey = merged(sent, undefined);
  survey.created = new Date().toISOString();
  return inTransaction(async (client) => {
    const [created] = await run(client, insertSurveys, surveyJson(survey));
    survey.id = created!.id;
    await storeTasks(client, survey, []);
    return survey;
  });
}

/** The survey after the change; undefined when there is none. */
export async function changeSurvey(id: number, sent: Schema<'SurveyInput'>): Promise<Survey | undefined> {
  return inTransaction(async (client) => {
    const [[row], tasks] = await Promise.all([run(client, lockedSurvey, id), readTasks(client, [id])]);
    if (row === undefined) {
      await run(client, 'COMMIT');
      return undefined;
    }
    const survey = merged(sent, { ...row, tasks } as Survey);
    survey.updated = new Date().toISOString();
    await Promise.all([run(client, updateSurveys, surveyJson(survey), id), storeTasks(client, survey, tasks)]);
    return survey;
  });
}

async function connected<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** Does this in a transaction that it commits itself, so that the commit shares a round trip too. */
async function inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  return connected(async (client) => {
    try {
      const [, result] = await Promise.all([run(client, 'BEGIN'), work(client)]);
      return result;
    } catch (error) {
      await run(client, 'ROLLBACK');
      throw error;
    }
  });
}

/** What of a survey is asked for. */
function view(query: Listing): { columns: string; withTasks: boolean; withPrivileges: boolean } {
  const chosen = choose(query);
  const has = (name: string) => chosen === undefined || chosen.members.includes(name);
  return {
    columns: chosen?.columns ?? names('surveys'),
    withTasks: has('tasks'),
    withPrivileges: has('allowed_privileges'),
  };
}

async function readTasks(client: PoolClient, surveys: number[]): Promise<Task[]> {
  const [tasks, fields] = await Promise.all([run(client, tasksOf, surveys), run(client, fieldsOf, surveys)]);
  const byId = new Map<number, Field[]>();
  for (const task of tasks) byId.set(task.id, (task.fields = []));
  for (const { task_id, ...field } of fields) byId.get(task_id)!.push(field as Field);
  return tasks as Task[];
}

const surveyJson = ({ tasks, ...survey }: Survey) => JSON.stringify([survey]);

/**
 * Writes tasks and fields that are new or were sent, gives identifiers to the new, removes the others, and commits. When
 * a statement fails, what comes after it fails too, and the commit undoes all.
 */
async function storeTasks(client: PoolClient, survey: Survey, before: Task[]): Promise<void> {
  const tasks = divided(survey.tasks, before);
  if (tasks.created.length > 0) {
    const sent = tasks.created.map(({ fields, ...task }) => ({ ...task, survey_id: survey.id }));
    assignIds(tasks.created, await run(client, insertTasks, JSON.stringify(sent)));
  }
  const owners = new Map<Field, Row>();
  for (const task of survey.tasks) {
    task.form_id = survey.id;
    for (const field of task.fields) owners.set(field, { survey_id: survey.id, task_id: task.id });
  }
  const fields = divided(
    [...owners.keys()],
    before.flatMap((task) => task.fields),
  );
  const fieldsJson = (some: Field[]) => JSON.stringify(some.map((field) => ({ ...field, ...owners.get(field) })));
  const tasksJson = (some: Task[]) => JSON.stringify(some.map(({ fields, ...task }) => task));
  const [created] = await Promise.all([
    fields.created.length > 0 ? run(client, insertFields, fieldsJson(fields.created)) : [],
    tasks.changed.length > 0 && run(client, updateTasks, tasksJson(tasks.changed), survey.id),
    fields.changed.length > 0 && run(client, updateFields, fieldsJson(fields.changed), survey.id),
    fields.lost.length > 0 && run(client, deleteFields, fields.lost),
    tasks.lost.length > 0 && run(client, deleteTasks, tasks.lost),
    run(client, 'COMMIT'),
  ]);
  assignIds(fields.created, created);
}

/** Which of these records are new, which are stored already, and the identifiers of those that are not there any more. */
function divided<T extends { id: number }>(records: T[], before: T[]): { created: T[]; changed: T[]; lost: number[] } {
  const lost = new Set(before.map(({ id }) => id));
  const { created = [], changed = [] } = Object.groupBy(records, ({ id }) => (lost.delete(id) ? 'changed' : 'created'));
  return { created, changed, lost: [...lost] };
}

function assignIds(records: { id: number }[], rows: Row[]): void {
  for (const [at, record] of records.entries()) record.id = rows[at]!.id;
}
