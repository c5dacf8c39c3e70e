/** Surveys as a web editor sends them. */

const kinds: readonly [type: string, input: string, label: string][] = [
  ['title', 'text', 'Name of the settlement'],
  ['description', 'textarea', 'What happened here?'],
  ['datetime', 'datetime', 'When was the water highest?'],
  ['point', 'location', 'Where are you?'],
  ['int', 'number', 'How many people had to leave their homes?'],
  ['varchar', 'select', 'What is the state of the main road?'],
  ['decimal', 'number', 'Depth of the water in metres'],
  ['varchar', 'checkboxes', 'What is needed most?'],
  ['media', 'image', 'Photo of the damage'],
  ['tags', 'tags', 'Sectors'],
  ['phone', 'text', 'Contact on site'],
  ['varchar', 'radio', 'Confirmed by a second source?'],
];

const translated = (texts: Record<string, string>) =>
  Object.fromEntries(
    ['es', 'fr'].map((language) => [
      language,
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, `${text} (${language})`])),
    ]),
  );

/** A survey with this many tasks of six fields; two tasks make 5 KB. */
export function surveyInput(name: string, tasks = 2) {
  const description = 'Situation in one settlement after the river rose. Fill it in on site, once a day.';
  return {
    name,
    description,
    base_language: 'en-US',
    color: '#0B74B8',
    type: 'report',
    require_approval: true,
    everyone_can_create: false,
    can_create: ['manager', 'field-team'],
    enabled_languages: { default: 'en-US', available: ['es', 'fr'] },
    translations: translated({ name: 'Flood report', description }),
    tasks: Array.from({ length: tasks }, (_, task) => ({
      id: `interim_id_${task}`,
      type: task === 0 ? 'post' : 'task',
      label: `Situation report, part ${task + 1}`,
      description: 'What you see and what people tell you.',
      priority: task,
      required: false,
      show_when_published: true,
      task_is_internal_only: false,
      is_public: task === 0,
      translations: translated({ label: 'Situation', description: 'What you see.' }),
      fields: Array.from({ length: 6 }, (__, field) => fieldInput(task, field)),
    })),
  };
}

function fieldInput(task: number, field: number) {
  const [type, input, label] = kinds[task * 6 + field] ?? kinds[2 + (field % 4)]!;
  return {
    form_stage_id: `interim_id_${task}`,
    type,
    input,
    label,
    instructions: 'An estimate is enough.',
    priority: field,
    required: field % 2 === 0,
    response_private: false,
    cardinality: 1,
    config: input === 'number' ? { min: 0, max: 100_000 } : {},
    options: ['select', 'checkboxes', 'radio'].includes(input) ? ['Open', 'Only for trucks', 'Closed'] : [],
    translations: translated({ label }),
  };
}
