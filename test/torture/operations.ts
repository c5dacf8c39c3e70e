/** The operations that take a body, with the shapes of bodies that are tried on each. */
import type { Service } from './service.ts';
import { anyBody, type Shape, type Target } from './shapes.ts';
import { surveyBody, updateBody } from './survey-shapes.ts';

export interface Operation {
  shapes: Record<string, Shape>;
  /** Makes what the request needs, outside of the measurement; `after` tidies up. */
  prepare: (service: Service) => Promise<{ method: string; path: string; target: Target }>;
  after: (service: Service, path: string, location: string | undefined) => Promise<unknown>;
}

const metadata =
  '"dataset_title":"aa","license_id":1,"organisation_id":"a","organisation_name":"a","private":true,"source":"aa"';

/** By the operationId. */
export const operations: Record<string, Operation> = {
  createSurvey: {
    shapes: { ...anyBody, ...surveyBody },
    prepare: async () => ({ method: 'POST', path: '/api/v5/surveys', target: [] }),
    after: async (service, _path, location) => location && service.send('DELETE', new URL(location).pathname),
  },
  updateSurvey: {
    // To read any JSON costs here what it costs there.
    shapes: { ...surveyBody, ...updateBody },
    prepare: async (service) => {
      const { id, tasks } = await largestSurvey(service);
      const target = tasks.map((task) => ({ id: task.id, fields: task.fields.map((field) => field.id) }));
      return { method: 'PUT', path: `/api/v5/surveys/${id}`, target };
    },
    after: (service, path) => service.send('DELETE', path),
  },
  createHxlMetadata: {
    shapes: Object.fromEntries(
      Object.entries(anyBody).map(([name, { bounds, text }]): [string, Shape] => [
        name,
        { bounds, text: (values, target) => text(values, target).replace('{', `{${metadata},`) },
      ]),
    ),
    prepare: async () => ({ method: 'POST', path: '/api/v3/hxl/metadata', target: [] }),
    after: async () => {},
  },
};

interface StoredSurvey {
  id: number;
  tasks: { id: number; fields: { id: number }[] }[];
}

/** How many fields the largest survey has; found once. */
let fieldsAtMost = 11_000;

/** Creates a survey that is nearly as large as one may become, 4 MiB. */
async function largestSurvey(service: Service): Promise<StoredSurvey> {
  for (; ; fieldsAtMost *= 0.9) {
    const field = { label: 'a', type: 'int', input: 'text' };
    const tasks = Array.from({ length: 200 }, () => ({
      label: 'a',
      fields: Array(Math.floor(fieldsAtMost / 200)).fill(field),
    }));
    const { status, text } = await service.send('POST', '/api/v5/surveys', { tasks });
    if (status === 201 && text.length < 2 ** 22) return JSON.parse(text).results[0];
    if (status !== 201 && status !== 422) throw new Error(`The largest survey: ${status} ${text.slice(0, 200)}`);
    if (status === 201) await service.send('DELETE', `/api/v5/surveys/${JSON.parse(text).results[0].id}`);
  }
}
