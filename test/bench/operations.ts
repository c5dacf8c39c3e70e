/** What is measured: the requests, and how each must be responded to. */
import { counterDigits, type Shot } from './load.ts';
import { bytes, type Request } from './server.ts';
import { surveyInput } from './survey.ts';

export interface Operation {
  name: string;
  title: string;
  status: number;
  /** Its requests, to be taken in turn. */
  shots: readonly Shot[];
  /** One of its requests, to compare the responses of all servers. */
  sample: Request;
}

interface Known {
  id: number;
  name: string;
  tasks: { label: string }[];
}

/** A name with a counter at its end; JSON has it as it stands here. */
const counted = 'Flood report ';
export const countedName = counted + '0'.repeat(counterDigits);

/** The operations on a service that has these surveys and takes this token. */
export function operations(token: string, surveys: readonly Known[]): Operation[] {
  const get = (path: string): Request => ({ method: 'GET', path, token });
  const operation = (name: string, title: string, status: number, ...requests: Request[]): Operation => ({
    name,
    title,
    status,
    sample: requests[0]!,
    shots: requests.map((request) => shot(request, status)),
  });
  return [
    operation('constant', 'constant response: names of the tags', 200, get('/api/v3/hxl')),
    operation(
      'survey',
      'one survey, 2 tasks × 6 fields',
      200,
      ...surveys.map(({ id }) => get(`/api/v5/surveys/${id}`)),
    ),
    // express-openapi-validator takes no comma as it is.
    operation('list', 'surveys, `limit=20&only=id,name`', 200, get('/api/v5/surveys?limit=20&only=id%2Cname')),
    operation('licenses', 'HXL licences, `limit=10`', 200, get('/api/v3/hxl/licenses?limit=10')),
    operation('tags', 'the 44 HXL tags', 200, get('/api/v3/hxl/tags')),
    operation('post', 'POST of a 5 KB survey', 201, {
      method: 'POST',
      path: '/api/v5/surveys',
      token,
      body: surveyInput(countedName),
    }),
    operation(
      'put',
      'PUT of a survey as it was read, changed',
      200,
      ...surveys.map(
        (survey): Request => ({ method: 'PUT', path: `/api/v5/surveys/${survey.id}`, token, body: changed(survey) }),
      ),
    ),
    operation('401', '401, a token that is unknown', 401, {
      method: 'GET',
      path: '/api/v3/hxl',
      token: `shx_${'x'.repeat(43)}`,
    }),
    operation('404', '404, a survey that is not there', 404, get('/api/v5/surveys/999999999')),
    operation('path', '404, a path that is not there', 404, get('/api/v3/nothing')),
    operation('422', '422, two problems', 422, {
      method: 'POST',
      path: '/api/v5/surveys',
      token,
      body: { name: 'F', color: 'blue' },
    }),
  ];
}

/** The survey with another name, and another label in its first task. */
function changed(survey: Known): Known {
  const [first, ...others] = survey.tasks;
  return { ...survey, name: countedName, tasks: [{ ...first!, label: 'Situation report, changed' }, ...others] };
}

/** A request ready to be sent, with its counter if it has one. */
export function shot(request: Request, status: number): Shot {
  const text = bytes(request);
  const at = text.indexOf(countedName);
  return { bytes: text, status, ...(at >= 0 && { counter: at + counted.length }) };
}
