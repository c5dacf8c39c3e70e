/** Laws that hold for any survey, tried on many: fast-check prints the seed of a run in which one does not. */
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { problems, service } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const { db, send, close } = await service();
afterAll(close);

/** Many runs take long on a machine that has other work. */
const timeLimit = { timeout: 120_000 };

type Any = Record<string, any>;

// What clients may send.

/** Any character but NUL, the usual and the unusual ones more often. */
const character = fc.oneof(
  fc.constantFrom(...'aZ09 +-_"\\/%~<é'),
  fc.constantFrom('\u0301', '\u200f', '\u2028', '\u0007', '\u0085', 'ا', '界', '🌊', '\ufeff', '\uffff'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((unit) => unit !== '\0'),
);
const text = fc.string({ unit: character, maxLength: 40 });
const label = fc.string({ unit: character, minLength: 1, maxLength: 150 });
const name = fc.string({ unit: character.filter((unit) => !/\p{Cc}/u.test(unit)), minLength: 2, maxLength: 255 });
const nullable = fc.option(text);
const language = fc.oneof(
  fc.constantFrom('es', 'ar', 'fr-FR', 'qu', 'name'),
  fc.stringMatching(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,2}$/),
);
const flag = fc.boolean();
const places = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** As it is after a journey as JSON. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const json = fc.jsonValue({ stringUnit: character, maxDepth: 8, depthSize: 'medium' }).map(sent);
const nest = (depth: number, value: unknown): unknown => (depth === 0 ? value : { '': [nest(depth - 1, value)] });
const config = fc.oneof(
  fc.dictionary(text, json, { maxKeys: 4 }).map(sent),
  fc.tuple(fc.integer({ min: 1, max: 12 }), json).map(([depth, value]) => nest(depth, value)),
);
const options = fc.array(json, { maxLength: 4 });

/** Languages with some of these members and some that are nobody's business, and texts beside the languages. */
const translations = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.dictionary(language, fc.record({ ...members, $$hashKey: text, extra: json }, { requiredKeys: [] }), {
        maxKeys: 3,
      }),
      fc.record(
        { name: text, description: text, label: text, instructions: text, default: text, flavour: text },
        { requiredKeys: [] },
      ),
    )
    .map(([languages, beside]) => sent({ ...beside, ...languages }));

const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) =>
  fc.record(members, { requiredKeys: [] });

/** The members of a field, a task and a survey but for identifiers, priorities, fields and tasks. */
const fieldMembers = (type: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.record({ label, type, input: fc.constantFrom('text', 'select', 'number', 'location', 'tags') }),
      optional({
        description: nullable,
        instructions: nullable,
        default: nullable,
        required: flag,
        response_private: flag,
        cardinality: places,
        config,
        options,
        translations: translations({
          label: nullable,
          instructions: nullable,
          default: nullable,
          options: fc.oneof(options, config),
        }),
        key: text,
        form_stage_id: fc.constant('interim_id_1'),
        $$hashKey: text,
      }),
    )
    .map(([required, more]) => ({ ...required, ...more }));
const taskMembers = fc
  .tuple(
    fc.record({ label }),
    optional({
      description: nullable,
      type: fc.constantFrom('post', 'task'),
      required: flag,
      show_when_published: flag,
      task_is_internal_only: flag,
      is_public: flag,
      translations: translations({ label: nullable, description: nullable }),
      form_id: places,
      $$hashKey: text,
    }),
  )
  .map(([required, more]) => ({ ...required, ...more }));
const surveyMembers = optional({
  name,
  description: nullable,
  base_language: language,
  color: fc.option(fc.stringMatching(/^#?[0-9A-Fa-f]{6}$/)),
  type: fc.string({ unit: character, minLength: 1, maxLength: 50 }),
  require_approval: flag,
  everyone_can_create: flag,
  disabled: flag,
  hide_author: flag,
  hide_time: flag,
  hide_location: flag,
  targeted_survey: flag,
  can_create: fc.array(fc.string({ unit: character, minLength: 1, maxLength: 50 }), { maxLength: 3 }),
  translations: translations({ name: nullable, description: nullable }),
  enabled_languages: optional({ default: language, available: fc.array(language, { maxLength: 3 }) }),
  id: places,
  created: text,
  updated: text,
  allowed_privileges: json,
  status: places,
  message: text,
  $$hashKey: text,
});

const draftId = fc.constantFrom(undefined, null, 'interim_id_1', 'interim_id_23');

/**
 * Items of a list, as `make` completes them: with priorities all, with few values so that they tie, or none.
 * (What comes of a mixture has examples in surveys.test.ts.)
 */
const ordered = <T extends object>(
  item: fc.Arbitrary<T>,
  maxLength: number,
): fc.Arbitrary<(T & { priority?: number })[]> =>
  fc
    .tuple(fc.array(fc.tuple(item, fc.oneof(fc.nat(3), places)), { maxLength }), flag)
    .map(([items, withPriority]) => items.map(([value, priority]) => (withPriority ? { ...value, priority } : value)));

const anyType = fc.constantFrom('title', 'description', 'tags', 'varchar', 'int', 'point', 'media');

/** A whole survey that keeps the rules: one title, one description, no private tags. */
const survey = fc
  .record({
    members: surveyMembers,
    tasks: fc.option(
      ordered(
        fc
          .tuple(
            taskMembers,
            draftId,
            fc.option(
              ordered(
                fc.tuple(fieldMembers(anyType), draftId).map(([field, id]) => ({ ...field, id })),
                4,
              ),
              { nil: undefined },
            ),
          )
          .map(([task, id, fields]) => ({ ...task, id, ...(fields && { fields }) })),
        3,
      ),
      { nil: undefined },
    ),
  })
  .map(({ members, tasks }): Any => {
    const used = new Set<string>();
    for (const field of tasks?.flatMap((task: Any) => task.fields ?? []) ?? []) {
      if (used.has(field.type)) field.type = 'varchar';
      if (field.type === 'tags') field.response_private = false;
      else if (field.type === 'title' || field.type === 'description') used.add(field.type);
    }
    return sent({ ...members, ...(tasks && { tasks }) });
  });

// What the contract says comes of it, told again in the shortest way.

const defaults = {
  survey: {
    name: 'Untitled survey',
    description: null,
    base_language: 'en-US',
    color: null,
    type: 'report',
    require_approval: true,
    everyone_can_create: true,
    disabled: false,
    hide_author: false,
    hide_time: false,
    hide_location: false,
    targeted_survey: false,
    can_create: [],
    translations: {},
  },
  task: {
    label: undefined,
    description: null,
    type: 'task',
    priority: expect.any(Number),
    required: false,
    show_when_published: true,
    task_is_internal_only: false,
    is_public: false,
    translations: {},
  },
  field: {
    label: undefined,
    description: null,
    instructions: null,
    default: null,
    type: undefined,
    input: undefined,
    priority: expect.any(Number),
    required: false,
    response_private: false,
    cardinality: 1,
    config: {},
    options: [],
    translations: {},
  },
};
const texts = {
  survey: ['name', 'description'],
  task: ['label', 'description'],
  field: ['label', 'instructions', 'default', 'options'],
};
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const picked = (value: Any, names: string[]) =>
  Object.fromEntries(Object.entries(value).filter(([member]) => names.includes(member)));
const isLanguage = (value: unknown) => typeof value === 'object';
const sorted = (items: Any[], as: Any[]) =>
  items
    .map((item, at) => ({ item, priority: as[at]!.priority as number | undefined }))
    .toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0))
    .map(({ item }) => item);

/** Members in the order of importance: sent, before, default. */
function merged(kind: keyof typeof defaults, value: Any, before: Any | undefined): Any {
  const known = picked(value, Object.keys(defaults[kind]));
  if (known.translations) {
    known.translations = Object.fromEntries(
      Object.entries<Any>(known.translations).flatMap(([key, inner]) =>
        isLanguage(inner) ? [[key, picked(inner, texts[kind])]] : texts[kind].includes(key) ? [[key, inner]] : [],
      ),
    );
  }
  return {
    ...defaults[kind],
    ...before,
    ...(before && kind !== 'survey' && { priority: expect.any(Number) }),
    ...known,
  };
}

/** The survey after `value` was sent; `listed` are the languages that were sent last. */
function outcome(value: Any, listed: string[], before?: Any): Any {
  const all = merged('survey', value, before);
  const tasksBefore: Any[] = before?.tasks ?? [];
  const fieldsBefore = tasksBefore.flatMap((task) => task.fields as Any[]);
  const find = (items: Any[], id: unknown) => (before ? items.find((item) => item.id === id) : undefined);
  const placed = new Set((value.tasks ?? []).flatMap((task: Any) => task.fields ?? []).map(({ id }: Any) => id));
  const tasks =
    value.tasks === undefined
      ? tasksBefore
      : sorted(
          value.tasks.map((task: Any) => {
            const known = find(tasksBefore, task.id);
            const fields = task.fields
              ? sorted(
                  task.fields.map((field: Any) => {
                    const old = find(fieldsBefore, field.id);
                    return { ...merged('field', field, old), id: old?.id ?? expect.any(Number), key: old?.key ?? uuid };
                  }),
                  task.fields,
                )
              : (known?.fields ?? []).filter(({ id }: Any) => !placed.has(id));
            return {
              ...merged('task', task, known),
              id: known?.id ?? expect.any(Number),
              form_id: before?.id ?? expect.any(Number),
              fields,
            };
          }),
          value.tasks,
        );
  const translated = [all, ...tasks.flatMap((task: Any) => [task, ...task.fields])].flatMap((part) =>
    Object.keys(part.translations).filter((key) => isLanguage(part.translations[key])),
  );
  const base = value.base_language ?? value.enabled_languages?.default ?? before?.base_language ?? 'en-US';
  return {
    ...all,
    id: before?.id ?? expect.any(Number),
    created: before?.created ?? time,
    updated: before ? expect.anything() : null,
    base_language: base,
    enabled_languages: { default: base, available: [...new Set([...listed, ...translated])] },
    color: value.color ? `#${value.color.replace('#', '')}` : all.color,
    allowed_privileges: ['read', 'create', 'update', 'delete', 'search'],
    tasks,
  };
}

async function create(body: object): Promise<Any> {
  const response = await send('POST', surveys, body);
  expect(response.status, response.text).toBe(201);
  return response.json.results[0];
}

const raw = async (id: number) => (await send('GET', `${surveys}/${id}`)).text;
const read = async (id: number) => JSON.parse(await raw(id)).results[0] as Any;
const idsIn = (...documents: Any[]) => {
  const tasks = documents.flatMap((document) => document.tasks as Any[]);
  const ids = (parts: Any[]) => parts.map(({ id }) => id as number).toSorted((one, other) => one - other);
  return { tasks: ids(tasks), fields: ids(tasks.flatMap((task) => task.fields as Any[])) };
};

// The laws.

test('any valid survey that is created is read back equal', timeLimit, async () => {
  await fc.assert(
    fc.asyncProperty(survey, async (body) => {
      const created = await create(body);
      expect(created).toEqual(outcome(body, body.enabled_languages?.available ?? []));
      expect(await read(created.id)).toEqual(created);
    }),
    { numRuns: 150 },
  );
});

test('sending back any survey as it was read changes nothing', timeLimit, async () => {
  await fc.assert(
    fc.asyncProperty(survey, async (body) => {
      const { id } = await create(body);
      const before = await raw(id);
      const response = await send('PUT', `${surveys}/${id}`, JSON.parse(before).results[0]);
      expect(response.text).toBe(before);
      expect(await raw(id)).toBe(before);
    }),
    { numRuns: 100 },
  );
});

/** Which of the tasks or fields there are is meant: the n-th of those not yet chosen, or a new one. */
const choice = fc.option(fc.nat(20), { freq: 4 });
// Titles, descriptions and tags have rules of their own, with examples in surveys.test.ts.
const plannedField = fc.record({
  choice,
  draft: draftId,
  members: fieldMembers(fc.constantFrom('varchar', 'int', 'point')),
});
const plannedTask = fc.record({
  choice,
  draft: draftId,
  members: taskMembers,
  fields: fc.option(ordered(plannedField, 4), { nil: undefined, freq: 3 }),
});
const plan = fc.record({
  members: surveyMembers,
  tasks: fc.option(ordered(plannedTask, 4), { nil: undefined, freq: 6 }),
  /** Whether the body also names a task or field of another survey, which must undo all the rest. */
  foreign: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom('task', 'field') },
  ),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** A body that does to this survey what was planned. */
function follow({ members, tasks }: Plan, before: Any): Any {
  const left = { tasks: [...before.tasks], fields: before.tasks.flatMap((task: Any) => task.fields) };
  const id = (part: 'tasks' | 'fields', { choice, draft }: { choice: number | null; draft: unknown }) =>
    choice === null || left[part].length === 0 ? draft : left[part].splice(choice % left[part].length, 1)[0].id;
  const item = (part: 'tasks' | 'fields', planned: any) => ({
    ...planned.members,
    id: id(part, planned),
    ...('priority' in planned && { priority: planned.priority }),
  });
  return sent({
    ...members,
    ...(tasks && {
      tasks: tasks.map((task) => ({
        ...item('tasks', task),
        ...(task.fields && { fields: task.fields.map((field) => item('fields', field)) }),
      })),
    }),
  });
}

test('no sequence of updates leaves an orphan or changes an identifier or key', timeLimit, async () => {
  const witness = await create({ tasks: [{ label: 'W', fields: [{ label: 'w', type: 'int', input: 'number' }] }] });
  const untouched = await raw(witness.id);
  await fc.assert(
    fc.asyncProperty(survey, fc.array(plan, { minLength: 1, maxLength: 6 }), async (body, plans) => {
      await db.query.deleteFrom('surveys').where('id', '!=', witness.id).execute();
      let document = await create({
        ...body,
        tasks: (body.tasks ?? []).map((task: Any) => ({
          ...task,
          fields: task.fields?.map((field: Any) => ({ ...field, type: 'int' })),
        })),
      });
      let listed: string[] = body.enabled_languages?.available ?? [];
      const { id } = document;
      const given = {
        tasks: new Set(idsIn(document, witness).tasks),
        fields: new Set(idsIn(document, witness).fields),
      };

      for (const next of plans) {
        const change = follow(next, document);
        if (next.foreign) {
          const [task] = witness.tasks;
          const intruder =
            next.foreign === 'task'
              ? { id: task.id, label: 'I' }
              : { label: 'I', fields: [{ ...task.fields[0], label: 'i' }] };
          const before = await raw(id);
          const response = await send('PUT', `${surveys}/${id}`, {
            ...change,
            tasks: [...(change.tasks ?? []), intruder],
          });
          const place = `/tasks/${change.tasks?.length ?? 0}${next.foreign === 'task' ? '' : '/fields/0'}/id`;
          expect(problems(response)).toEqual([`foreign_reference ${place}`]);
          expect(await raw(id)).toBe(before);
        } else {
          const response = await send('PUT', `${surveys}/${id}`, change);
          expect(response.status, response.text).toBe(200);
          const [after] = response.json.results;
          listed = change.enabled_languages?.available ?? listed;
          expect({ ...after, updated: after.updated ?? 'never' }).toEqual(outcome(change, listed, document));
          expect(await read(id)).toEqual(after);
          const old = idsIn(document);
          for (const part of ['tasks', 'fields'] as const) {
            const added = idsIn(after)[part].filter((number) => !old[part].includes(number));
            expect(
              added.filter((number) => given[part].has(number)),
              'identifiers are given once',
            ).toEqual([]);
            for (const number of added) given[part].add(number);
          }
          document = after;
        }
        const rows = async (part: 'tasks' | 'fields') =>
          await db.query.selectFrom(part).selectAll().orderBy('id').execute();
        const owned = idsIn(document, witness);
        expect((await rows('tasks')).map((row) => row.id)).toEqual(owned.tasks);
        expect((await rows('fields')).map((row) => row.id)).toEqual(owned.fields);
        expect((await rows('fields')).filter((row) => row.survey_id === id).map((row) => row.id)).toEqual(
          idsIn(document).fields,
        );
        expect((await rows('tasks')).filter((row) => row.survey_id === id).map((row) => row.id)).toEqual(
          idsIn(document).tasks,
        );
      }
      const keys = document.tasks.flatMap((task: Any) => task.fields).map(({ key }: Any) => key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(await raw(witness.id)).toBe(untouched);
    }),
    { numRuns: 80 },
  );
});

test('no body makes a fault, and what is refused changes nothing', timeLimit, async () => {
  const { id } = await create({ tasks: [{ label: 'A', fields: [{ label: 'a', type: 'int', input: 'number' }] }] });
  /** Any JSON in any place of a valid survey. */
  const spoilt = fc
    .tuple(survey, fc.array(fc.nat(100), { maxLength: 7 }), fc.oneof(json, draftId, places))
    .map(([body, path, value]) => {
      let at: any = { body };
      let key = 'body';
      for (const step of path) {
        const inside = at[key];
        if (typeof inside !== 'object' || inside === null || Object.keys(inside).length === 0) break;
        at = inside;
        key = Object.keys(inside)[step % Object.keys(inside).length]!;
      }
      if (key === 'body') return value ?? null;
      at[key] = value;
      return body;
    });
  await fc.assert(
    fc.asyncProperty(spoilt, async (body) => {
      const payload = JSON.stringify(body);
      const headers = { 'content-type': 'application/json' };
      const count = async () => (await db.query.selectFrom('surveys').select('id').execute()).length;
      const [before, number] = [await raw(id), await count()];
      const created = await send('POST', surveys, payload, { headers });
      expect([201, 422]).toContain(created.status);
      expect(await count()).toBe(created.status === 201 ? number + 1 : number);
      const updated = await send('PUT', `${surveys}/${id}`, payload, { headers });
      expect([200, 422]).toContain(updated.status);
      if (updated.status === 422) expect(await raw(id)).toBe(before);
    }),
    { numRuns: 120 },
  );
});
