/** Surveys that show whether they are whole, and what is stored of them. */
import { cpSync, existsSync } from 'node:fs';
import DatabaseFile from 'better-sqlite3';
import { type Database, newDatabase, removeDatabase } from './service.ts';

/** A survey that carries this mark at every place, so that a half survey, or one of two writes, is seen. */
export function marked(mark: string, tasks: number, fieldsOfTask = 3, text = '') {
  return {
    name: mark,
    description: text,
    tasks: Array.from({ length: tasks }, () => ({
      label: mark,
      fields: Array.from({ length: fieldsOfTask }, () => ({ label: mark, type: 'varchar', input: 'text' })),
    })),
  };
}

interface StoredSurvey {
  id: number;
  name: string;
  tasks: { id: number; label: string; fields: { id: number; label: string }[] }[];
}

/** What is half or mixed in a survey that was made by `marked`. */
export function halves({ id, name, tasks }: StoredSurvey): string[] {
  const labels = new Set(tasks.flatMap((task) => [task.label, ...task.fields.map(({ label }) => label)]));
  labels.delete(name);
  return [...labels].map((label) => `survey ${id} of ${name} holds ${label}`);
}

/** Copies a database as a crash leaves it: the file and its log, without the index of the log. */
export function copyCrashed({ path, token }: Database): Database {
  const copy = { ...newDatabase(), token };
  for (const suffix of ['', '-wal']) if (existsSync(path + suffix)) cpSync(path + suffix, copy.path + suffix);
  return copy;
}

export interface Contents {
  /** The mark of each survey by its identifier. */
  marks: Map<number, string>;
  wrong: string[];
}

/** Looks into a copy of a database that no process has open: SQLite itself would repair the original. */
export function inspect(database: Database): Contents {
  const copy = copyCrashed(database);
  const file = new DatabaseFile(copy.path);
  try {
    const integrity = file.pragma('integrity_check', { simple: true }) as string;
    const dangling = file.pragma('foreign_key_check') as unknown[];
    const wrong = [
      ...(integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]),
      ...(dangling.length === 0 ? [] : [`${dangling.length} rows refer to nothing`]),
    ];
    const rows = file.prepare('select id, name, tasks from surveys').all() as {
      id: number;
      name: string;
      tasks: string;
    }[];
    const surveys = rows.map((row): StoredSurvey => ({ ...row, tasks: JSON.parse(row.tasks) }));
    const identifiers = { tasks: new Map<number, number[]>(), fields: new Map<number, number[]>() };
    for (const [part, of] of Object.entries(identifiers)) {
      const all = file.prepare(`select id, survey_id from ${part} order by id`).all() as {
        id: number;
        survey_id: number;
      }[];
      for (const { id, survey_id } of all) of.set(survey_id, [...(of.get(survey_id) ?? []), id]);
    }
    for (const survey of surveys) {
      const same = (part: 'tasks' | 'fields', ids: number[]) =>
        String(ids.toSorted((one, other) => one - other)) === String(identifiers[part].get(survey.id) ?? []);
      if (
        !same(
          'tasks',
          survey.tasks.map(({ id }) => id),
        )
      )
        wrong.push(`survey ${survey.id}: rows of tasks differ`);
      if (
        !same(
          'fields',
          survey.tasks.flatMap(({ fields }) => fields.map(({ id }) => id)),
        )
      )
        wrong.push(`survey ${survey.id}: rows of fields differ`);
      wrong.push(...halves(survey));
    }
    return { marks: new Map(surveys.map(({ id, name }) => [id, name])), wrong };
  } finally {
    file.close();
    removeDatabase(copy);
  }
}
