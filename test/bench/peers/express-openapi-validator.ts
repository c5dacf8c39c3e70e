/** express-openapi-validator as its documentation shows it, on Express 5. */
import express, { type NextFunction, type Request, type Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import {
  contract,
  errorBody,
  insufficientScope,
  noPath,
  noSurvey,
  type Problem,
  port,
  Refusal,
  unauthorized,
  url,
} from './http.ts';
import * as store from './store.ts';

let requests = 0;
const refuse = (response: Response, status: number, ...problems: Problem[]) =>
  response.status(status).json(errorBody(status, problems, `req-${(requests += 1)}`));

const app = express();
// Neither is on elsewhere, and a hash of each response would be at its expense.
app.disable('etag').disable('x-powered-by');
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: contract(),
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: {
      handlers: {
        bearer: (request, scopes) => {
          const caller = store.findCaller(request.headers.authorization);
          if (caller === undefined) throw new Refusal(401, unauthorized);
          if (!scopes.every((scope) => caller.scopes.has(scope)))
            throw new Refusal(403, insufficientScope(scopes.join(' ')));
          return true;
        },
      },
    },
  }),
);

app.get('/api/v3/hxl', (_, response) => response.json(store.tagNames()));
app.get('/api/v3/hxl/licenses', ({ query }, response) =>
  response.json(store.listLicenses(query, url('/api/v3/hxl/licenses'))),
);
app.get('/api/v3/hxl/tags', ({ query }, response) => response.json(store.listTags(query, url('/api/v3/hxl/tags'))));
app.get('/api/v5/surveys', ({ query }, response) => response.json(store.listSurveys(query)));
app.get('/api/v5/surveys/:id', ({ params, query }, response) => {
  const found = store.getSurvey(Number(params.id), query);
  return found ? response.json(found) : refuse(response, 404, noSurvey(params.id));
});
app.post('/api/v5/surveys', ({ body }, response) => {
  const survey = store.createSurvey(body);
  return response
    .status(201)
    .set('location', url(`/api/v5/surveys/${survey.id}`))
    .json({ results: [survey] });
});
app.put('/api/v5/surveys/:id', ({ params, body }, response) => {
  const survey = store.changeSurvey(Number(params.id), body);
  return survey ? response.json({ results: [survey] }) : refuse(response, 404, noSurvey(params.id));
});

interface Failure {
  status?: number;
  message: string;
  errors?: { path: string; message: string; errorCode?: string }[];
  problems?: Problem[];
}

app.use((error: Failure, request: Request, response: Response, _: NextFunction) => {
  const { status = 500, message, errors = [] } = error;
  if (status === 404) return refuse(response, 404, noPath(request.path));
  if (status === 401) return refuse(response.set('www-authenticate', 'Bearer'), 401, unauthorized);
  const body = errors.filter(({ path }) => path.startsWith('/body'));
  if (body.length === 0) return refuse(response, status, { code: 'internal_error', message });
  return refuse(
    response,
    422,
    ...body.map(({ path, message: why, errorCode = '' }) => ({
      code: codes[errorCode.split('.', 1)[0]!] ?? 'invalid_body',
      message: `${path} ${why}.`,
      source: { pointer: path.replace('/body', '') },
    })),
  );
});

const codes: Record<string, string> = { minLength: 'too_short', pattern: 'invalid_format' };

app.listen(port, '127.0.0.1');
