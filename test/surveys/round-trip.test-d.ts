/** What was read can be sent back: the types of a response fit those of a request. `tsc` fails when one of them does not. */
import type { Schema } from '../../src/api/handler.ts';

export function sendBack(survey: Schema<'Survey'>, task: Schema<'Task'>, field: Schema<'Field'>): void {
  survey satisfies Schema<'SurveyInput'>;
  task satisfies Schema<'TaskInput'>;
  field satisfies Schema<'FieldInput'>;
}
