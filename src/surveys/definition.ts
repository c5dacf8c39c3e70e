/** What a survey becomes when a client sends one: initial values, and merging with the previous ones. No SQL. */
import type { Schema } from '../api/handler.ts';
import { type ClientMember, type Survey, surveyMembers } from './members.ts';
import { merger } from './merge.ts';
import { type MergedTasks, mergeTasks, type TaskDraft, withoutIds } from './tasks.ts';
import { translatedLanguages } from './translation.ts';

type SurveyInput = Schema<'SurveyInput'>;

/** All of a survey that its clients decide. */
export type Definition = Pick<Survey, ClientMember<typeof surveyMembers>> & { tasks: TaskDraft[] };

export interface Defined extends Omit<MergedTasks, 'tasks'> {
  definition: Definition;
}

const mergeSurvey = merger<Definition, SurveyInput, typeof surveyMembers>(surveyMembers);

/**
 * The definition that results from sending `sent`: what is left out is as it was in `previous`, or gets its initial
 * value when there is no `previous`. All identifiers count as unknown to a survey that does not exist yet.
 */
export function define(sent: SurveyInput, previous?: Definition): Defined {
  const { tasks, ...rest } =
    sent.tasks === undefined
      ? { tasks: previous?.tasks ?? [], problems: [], unmatched: [] }
      : mergeTasks(previous ? sent.tasks : sent.tasks.map(withoutIds), previous?.tasks ?? []);
  return { definition: mergeSurvey(sent, previous, { tasks }), ...rest };
}

/** The languages of a survey: those a client listed, then those of any translation in it. */
export function enabledLanguages(definition: Definition): Schema<'EnabledLanguages'> {
  const { base_language, listed_languages, translations, tasks } = definition;
  const translated = [
    translations,
    ...tasks.flatMap((task) => [task.translations, ...task.fields.map((field) => field.translations)]),
  ];
  return {
    default: base_language,
    available: [...new Set([...listed_languages, ...translated.flatMap(translatedLanguages)])],
  };
}
