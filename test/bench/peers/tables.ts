/** The tables of the normalised store that all peers use. */

/** Every column that makes a member of a response, in order; what refers to other tables comes on top. */
export const columns = {
  surveys: [
    'id',
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
    'created',
    'updated',
    'translations',
    'enabled_languages',
  ],
  tasks: [
    'id',
    'label',
    'description',
    'type',
    'priority',
    'required',
    'show_when_published',
    'task_is_internal_only',
    'is_public',
    'translations',
  ],
  fields: [
    'id',
    'key',
    'label',
    'description',
    'instructions',
    'default',
    'type',
    'input',
    'priority',
    'required',
    'response_private',
    'cardinality',
    'config',
    'options',
    'translations',
  ],
  hxl_licenses: ['id', 'code', 'name', 'link'],
  hxl_tags: ['id', 'tag_name', 'hxl_attributes', 'form_attribute_types'],
};

export type TableName = keyof typeof columns;

export const quoted = (columns: readonly string[]) => columns.map((name) => `"${name}"`).join(', ');
/** The columns of a table as SQL. */
export const names = (table: TableName) => quoted(columns[table]);

/** The members of a survey that come unless `only` leaves them out. */
export const scalars = [
  ...columns.surveys.filter((name) => !['can_create', 'translations', 'enabled_languages'].includes(name)),
  'allowed_privileges',
];

/** Columns of 0 and 1 that stand for booleans, and columns that hold JSON; a name means the same in every table. */
export const flags = new Set([
  'require_approval',
  'everyone_can_create',
  'disabled',
  'hide_author',
  'hide_time',
  'hide_location',
  'targeted_survey',
  'required',
  'show_when_published',
  'task_is_internal_only',
  'is_public',
  'response_private',
]);
export const json = new Set(['can_create', 'translations', 'enabled_languages', 'config', 'options']);
