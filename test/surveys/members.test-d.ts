/** What must not compile in the tables of members. `tsc` fails when one of these lines compiles. */
import type { operations } from '../../src/api/handler.ts';
import { flag, text } from '../../src/surveys/column.ts';
import {
  type Field,
  type FieldInput,
  fieldMembers,
  type PartMembers,
  type SortableMember,
  type SurveyMembers,
  surveyMembers,
  type Task,
  type TaskInput,
  taskMembers,
} from '../../src/surveys/members.ts';
import type { Listing } from '../../src/surveys/pages.ts';

const { description: _, ...withoutDescription } = surveyMembers;
// @ts-expect-error Property 'description' is missing: every member of the contract has a line.
withoutDescription satisfies SurveyMembers;

const { published_tasks: __, ...withoutColumn } = surveyMembers;
// @ts-expect-error Property 'published_tasks' is missing: every column has a line.
withoutColumn satisfies SurveyMembers;

// @ts-expect-error Nothing in the contract or the tables has this name.
({ ...surveyMembers, motto: { kind: 'scalar', column: text, by: 'client', initial: '' } }) satisfies SurveyMembers;

// @ts-expect-error The column of a text does not hold a boolean.
({ ...surveyMembers, name: { kind: 'scalar', column: flag, by: 'client', initial: true } }) satisfies SurveyMembers;

// @ts-expect-error A name is never null.
({ ...surveyMembers, name: { kind: 'scalar', column: text, by: 'client', initial: null } }) satisfies SurveyMembers;

// @ts-expect-error A client may leave the name out, so it has an initial value.
({ ...surveyMembers, name: { kind: 'scalar', column: text, by: 'client' } }) satisfies SurveyMembers;

// @ts-expect-error A member that has a column names it.
({ ...surveyMembers, name: { kind: 'scalar', by: 'client', initial: '' } }) satisfies SurveyMembers;

const { is_public: ___, ...withoutIsPublic } = taskMembers;
// @ts-expect-error Property 'is_public' is missing: every member of a task has a line.
withoutIsPublic satisfies PartMembers<Task, TaskInput>;

const { cardinality: ____, ...withoutCardinality } = fieldMembers;
// @ts-expect-error Property 'cardinality' is missing: every member of a field has a line.
withoutCardinality satisfies PartMembers<Field, FieldInput>;

// @ts-expect-error A client may leave the description of a field out, so it has an initial value.
({ ...fieldMembers, description: { by: 'client' } }) satisfies PartMembers<Field, FieldInput>;

// @ts-expect-error Lists are not sorted by relations.
({ orderby: 'tasks' }) satisfies Partial<Listing>;

// The contract offers to sort by every scalar member that has a column, and by no other.
type Offered = operations['listSurveys']['parameters']['query']['orderby'];
export const sortable: Record<SortableMember, true> = {} as Record<Offered, true>;
export const offered: Record<Offered, true> = {} as Record<SortableMember, true>;
