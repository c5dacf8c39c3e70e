/**
 * The operations on surveys against a model of them in memory: any sequence of requests, conditions and cursors included,
 * gets what the model says. fast-check prints the shortest sequence that does not.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { service, type TestResponse } from '../support/service.ts';

const surveys = '/api/v5/surveys';

interface Field {
  id?: number | undefined;
  label: string;
  priority: number;
}
interface Task extends Field {
  fields: Field[];
}
/** What clients decide, as far as the model goes. */
interface Definition {
  name: string;
  disabled: boolean;
  base_language: string;
  translations: Record<string, { name: string }>;
  tasks: Task[];
}
interface Survey extends Definition {
  id: number;
  revision: number;
  updated: string | null;
}
/** A list that somebody follows: its next page, and behind which survey that begins. */
interface Followed {
  list: List;
  next: string;
  behind: { id: number; value: Survey[List['orderby']] };
}
interface Model {
  surveys: Survey[];
  followed: Followed[];
}
type Real = Awaited<ReturnType<typeof service>>;
type Command = fc.AsyncCommand<Model, Real>;

/** A command that prints itself as what it was made of. */
function command(name: string, values: object, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => `${name} ${JSON.stringify(values)}` };
}

// Bodies.

/** A task or field of a body: the one that has this place among those there are, or a new one. */
const part = { known: fc.option(fc.nat(5), { nil: undefined }), label: fc.constantFrom('A', 'B', 'C') };
const names = ['Flood', 'flood 2', 'Été', 'School', 'Water'];
const bodies = fc.record(
  {
    name: fc.constantFrom(...names),
    disabled: fc.boolean(),
    base_language: fc.constantFrom('en', 'es'),
    translations: fc.dictionary(fc.constantFrom('fr', 'ar'), fc.record({ name: fc.constantFrom(...names) })),
    tasks: fc.array(
      fc.record(
        { ...part, fields: fc.array(fc.record(part, { requiredKeys: ['label'] }), { maxLength: 3 }) },
        { requiredKeys: ['label'] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);
type Body = typeof bodies extends fc.Arbitrary<infer T> ? T : never;

/** What is sent, and the definition that comes of it. New tasks and fields have no identifier in it yet. */
function applied(body: Body, previous: Definition): { sent: object; next: Definition } {
  if (body.tasks === undefined) return { sent: body, next: { ...previous, ...body, tasks: previous.tasks } };
  const tasks = [...previous.tasks];
  const fields = tasks.flatMap((task) => task.fields);
  /** Takes one out, because each may be sent once. */
  const take = <T>(items: T[], place: number | undefined) =>
    place === undefined ? undefined : items.splice(place % Math.max(1, items.length), 1)[0];
  const drafts = body.tasks.map(({ known, label, fields: some }) => ({
    known: take(tasks, known),
    label,
    fields: some?.map((field) => ({ known: take(fields, field.known), label: field.label })),
  }));
  const sent = drafts.map(({ known, label, fields: some }) => ({
    id: known?.id,
    label,
    fields: some?.map((field) => ({ id: field.known?.id, label: field.label, type: 'varchar', input: 'text' })),
  }));
  const next = drafts.map(({ known, label, fields: some }, priority): Task => {
    // Fields that were sent in no task stay with their task when that comes without fields.
    const kept = (known?.fields ?? []).filter((field) => fields.includes(field));
    const changed = some?.map((field, at) => ({ id: field.known?.id, label: field.label, priority: at }));
    return { id: known?.id, label, priority, fields: changed ?? kept };
  });
  return { sent: { ...body, tasks: sent }, next: { ...previous, ...body, tasks: next } };
}

/** What the model knows of a survey in a response. */
function definitionIn(survey: any): Definition {
  const { name, disabled, base_language, translations } = survey;
  const known = ({ id, label, priority }: Field) => ({ id, label, priority });
  const tasks = survey.tasks.map((task: Task) => ({ ...known(task), fields: task.fields.map(known) }));
  return { name, disabled, base_language, translations, tasks };
}

/** The definition without the identifiers that the model could not know before. */
function withoutNewIds(definition: Definition, expected: Definition): Definition {
  const same = <T extends Field>(item: T, other: Field | undefined) =>
    other?.id === undefined ? { ...item, id: undefined } : item;
  const tasks = definition.tasks.map((task, at) => {
    const other = expected.tasks[at];
    return { ...same(task, other), fields: task.fields.map((field, place) => same(field, other?.fields[place])) };
  });
  return { ...definition, tasks };
}

const revisionIn = ({ headers }: TestResponse) => Number(/^"(\d+)-/.exec(String(headers.etag))?.[1]);

// Commands.

const initial: Definition = {
  name: 'Untitled survey',
  disabled: false,
  base_language: 'en-US',
  translations: {},
  tasks: [],
};

const creations = bodies.map((body) =>
  command('create', body, async (model, { send }) => {
    const { sent, next } = applied(body, initial);
    const response = await send('POST', surveys, sent);
    expect([response.status, revisionIn(response)]).toEqual([201, 1]);
    const [made] = response.json.results;
    const definition = definitionIn(made);
    expect(withoutNewIds(definition, next)).toEqual(next);
    expect([made.updated, model.surveys.some(({ id }) => id === made.id)]).toEqual([null, false]);
    model.surveys.push({ ...definition, id: made.id, revision: 1, updated: null });
  }),
);

const past = new Date(0).toUTCString();
const future = new Date(Date.UTC(2999, 0)).toUTCString();
/** Conditions of a change, and whether they hold. */
const conditions = fc.constantFrom<{ headers: (tag: string) => Record<string, string>; holds: boolean }>(
  { headers: () => ({}), holds: true },
  { headers: (tag) => ({ 'if-match': tag }), holds: true },
  { headers: (tag) => ({ 'if-match': `"0-x", ${tag}` }), holds: true },
  { headers: () => ({ 'if-match': '*' }), holds: true },
  { headers: () => ({ 'if-match': '"0-x"' }), holds: false },
  { headers: (tag) => ({ 'if-match': `W/${tag}` }), holds: false },
  { headers: (tag) => ({ 'if-match': tag, 'if-unmodified-since': past }), holds: true },
  { headers: () => ({ 'if-unmodified-since': past }), holds: false },
  { headers: () => ({ 'if-unmodified-since': future }), holds: true },
  { headers: () => ({ 'if-none-match': '*' }), holds: false },
  { headers: (tag) => ({ 'if-none-match': tag }), holds: false },
);

const changes = fc.record({ at: fc.nat(9), body: bodies, condition: conditions }).map(({ at, body, condition }) =>
  command('update', { at, body, headers: condition.headers('TAG') }, async (model, { send }) => {
    const survey = model.surveys[at];
    if (survey === undefined) {
      const { sent } = applied(body, initial);
      return void expect((await send('PUT', `${surveys}/9999`, sent)).status).toBe(404);
    }
    const { id, revision, updated, ...previous } = survey;
    const { sent, next } = applied(body, previous);
    const tag = (await send('GET', `${surveys}/${id}`)).headers.etag as string;
    const response = await send('PUT', `${surveys}/${id}`, sent, { headers: condition.headers(tag) });
    if (!condition.holds) return void expect([response.status, response.headers.etag]).toEqual([412, tag]);
    expect(response.status).toBe(200);
    const [made] = response.json.results;
    const definition = definitionIn(made);
    expect(withoutNewIds(definition, next)).toEqual(next);
    const isChanged = JSON.stringify(previous) !== JSON.stringify(definition);
    expect(revisionIn(response)).toBe(revision + (isChanged ? 1 : 0));
    if (!isChanged) expect(made.updated).toBe(updated);
    else expect(made.updated > (updated ?? made.created)).toBe(true);
    Object.assign(survey, definition, { revision: revisionIn(response), updated: made.updated });
  }),
);

const deletions = fc.record({ at: fc.nat(9), condition: conditions }).map(({ at, condition }) =>
  command('delete', { at, headers: condition.headers('TAG') }, async (model, { send }) => {
    const id = model.surveys[at]?.id ?? 9999;
    const tag = ((await send('GET', `${surveys}/${id}`)).headers.etag as string | undefined) ?? '"1-x"';
    const headers = id === 9999 ? {} : condition.headers(tag);
    const { status } = await send('DELETE', `${surveys}/${id}`, undefined, { headers });
    expect(status).toBe(id === 9999 ? 404 : condition.holds ? 200 : 412);
    if (status === 200) model.surveys.splice(at, 1);
  }),
);

const callers = fc.constantFrom('admin' as const, 'user' as const);
const isSeen = (survey: Survey, as: 'admin' | 'user') => as === 'admin' || !survey.disabled;

const reads = fc.record({ at: fc.nat(9), as: callers }).map(({ at, as }) =>
  command('read', { at, as }, async (model, { send }) => {
    const survey = model.surveys[at];
    const url = `${surveys}/${survey?.id ?? 9999}`;
    const response = await send('GET', url, undefined, { as });
    if (survey === undefined || !isSeen(survey, as)) return void expect(response.status).toBe(404);
    const { id, revision, updated, ...definition } = survey;
    const [read] = response.json.results;
    expect([response.status, revisionIn(response), read.id, read.updated]).toEqual([200, revision, id, updated]);
    expect(definitionIn(read)).toEqual(definition);
    const ask = (headers: Record<string, string>) => send('GET', url, undefined, { as, headers });
    const tag = response.headers.etag as string;
    expect((await ask({ 'if-none-match': tag })).status).toBe(304);
    expect((await ask({ 'if-none-match': `"${revision - 1}${tag.slice(tag.indexOf('-'))}` })).status).toBe(200);
  }),
);

// Lists.

const filters = fc.record(
  {
    q: fc.constantFrom('FLOOD', 'été', '2', 'o'),
    language: fc.constantFrom('fr', 'ar', 'es'),
    base_language: fc.constantFrom('en', 'en-US'),
    disabled: fc.boolean(),
    ids: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
);

const lists = fc.record({
  as: callers,
  orderby: fc.constantFrom('id' as const, 'name' as const, 'updated' as const, 'disabled' as const),
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.integer({ min: 1, max: 3 }),
  // Most lists have none, so that they have several pages.
  filters: fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: filters, weight: 1 }),
});
type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never;
type List = typeof lists extends fc.Arbitrary<infer T> ? T : never;

/** The surveys of a list, in its order. */
function listed({ surveys: all }: Model, { as, orderby, order, filters: used }: List): Survey[] {
  const { q, language, base_language, disabled, ids }: Filters = used;
  const fits = (survey: Survey) =>
    isSeen(survey, as) &&
    (q === undefined || isNamed(survey, q)) &&
    (language === undefined || language in survey.translations) &&
    (base_language === undefined || survey.base_language === base_language) &&
    (disabled === undefined || survey.disabled === disabled) &&
    (ids === undefined || ids.includes(survey.id));
  return all.filter(fits).sort((one, other) => compare(one, other, orderby, order));
}

function isNamed({ name, translations }: Survey, q: string): boolean {
  const texts = [name, ...Object.values(translations).map((translation) => translation.name)];
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));
}

type Place = { id: number } & Partial<Survey>;

function compare(one: Place, other: Place, orderby: List['orderby'], order: string): number {
  const rank = (place: Place) => place[orderby] ?? '';
  if (rank(one) === rank(other)) return one.id - other.id;
  return rank(one) < rank(other) === (order === 'asc') ? -1 : 1;
}

/** Holds a page against the model, and goes on following the list. */
function expectPage(model: Model, list: List, { status, headers, json }: TestResponse, rest: Survey[]): void {
  const page = rest.slice(0, list.limit);
  expect([status, json.results.map(({ id }: { id: number }) => id)]).toEqual([200, page.map(({ id }) => id)]);
  expect(headers['x-total-count']).toBe(String(listed(model, list).length));
  const next = /<http:\/\/service\.test([^>]*)>; rel="next"/.exec(String(headers.link))?.[1];
  expect(next !== undefined).toBe(rest.length > list.limit);
  const { id, [list.orderby]: value } = page.at(-1) ?? initialPlace;
  if (next !== undefined) model.followed.push({ list, next, behind: { id, value } });
}

const initialPlace = { id: 0, name: '', updated: null, disabled: false };

const firstPages = lists.map((list) =>
  command('list', list, async (model, { send }) => {
    const { as, orderby, order, limit } = list;
    const query = new URLSearchParams({ orderby, order, limit: `${limit}`, only: 'id,name' });
    for (const [name, value] of Object.entries(list.filters)) query.set(name, String(value));
    const response = await send('GET', `${surveys}?${query}`, undefined, { as });
    expectPage(model, list, response, listed(model, list));
  }),
);

const nextPages = fc.nat(5).map((at) =>
  command('next page', { at }, async (model, { send }) => {
    const [followed] = model.followed.splice(at % Math.max(1, model.followed.length), 1);
    if (followed === undefined) return;
    const { list, next, behind } = followed;
    const place = { id: behind.id, [list.orderby]: behind.value };
    const rest = listed(model, list).filter((survey) => compare(survey, place, list.orderby, list.order) > 0);
    expectPage(model, list, await send('GET', next, undefined, { as: list.as }), rest);
  }),
);

test('any sequence of requests gets what the model says', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(creations, { minLength: 4, maxLength: 8 }),
      fc.commands([creations, changes, changes, reads, deletions, firstPages, nextPages, nextPages], {
        maxCommands: 60,
        size: 'max',
      }),
      async (first, commands) => {
        const real = await service();
        try {
          const model: Model = { surveys: [], followed: [] };
          for (const creation of first) await creation.run(model, real);
          await fc.asyncModelRun(() => ({ model, real }), commands);
        } finally {
          await real.close();
        }
      },
    ),
    { numRuns: 25 },
  );
});
