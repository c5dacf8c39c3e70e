/** V0: node:http and nothing else, the most that this store can give. It knows just what the benchmark asks. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  errorBody,
  insufficientScope,
  noPath,
  noSurvey,
  type Problem,
  port,
  tooShort,
  unauthorized,
  url,
  wrongFormat,
} from './http.ts';
import type { Listing } from './records.ts';
import * as store from './store.ts';

type Respond = (id: number, query: URLSearchParams, body: any) => { status: number; body: object; location?: string };
interface Route {
  scope: string;
  respond: Respond;
}

const licenses = url('/api/v3/hxl/licenses');
const tags = url('/api/v3/hxl/tags');

const routes = new Map<string, Route>(
  Object.entries<Route>({
    'GET /api/v3/hxl': { scope: 'hxl:read', respond: () => ok(store.tagNames()) },
    'GET /api/v3/hxl/licenses': {
      scope: 'hxl:read',
      respond: (_, query) => ok(store.listLicenses(listing(query), licenses)),
    },
    'GET /api/v3/hxl/tags': { scope: 'hxl:read', respond: (_, query) => ok(store.listTags(listing(query), tags)) },
    'GET /api/v5/surveys': { scope: 'surveys:read', respond: (_, query) => ok(store.listSurveys(listing(query))) },
    'GET /api/v5/surveys/': {
      scope: 'surveys:read',
      respond: (id, query) => found(id, store.getSurvey(id, listing(query))),
    },
    'POST /api/v5/surveys': {
      scope: 'surveys:write',
      respond: (_, __, body) => {
        const problems = check(body);
        if (problems.length > 0) return refusal(422, ...problems);
        const survey = store.createSurvey(body);
        return { status: 201, body: { results: [survey] }, location: url(`/api/v5/surveys/${survey.id}`) };
      },
    },
    'PUT /api/v5/surveys/': {
      scope: 'surveys:write',
      respond: (id, _, body) => {
        const survey = store.changeSurvey(id, body);
        return found(id, survey && { results: [survey] });
      },
    },
  }),
);

let requests = 0;

createServer((request, response) => {
  const [path, query] = request.url!.split('?', 2) as [string, string?];
  const id = path.startsWith('/api/v5/surveys/') ? path.slice('/api/v5/surveys/'.length) : '';
  const route = routes.get(`${request.method} ${id === '' ? path : '/api/v5/surveys/'}`);
  if (route === undefined) return send(response, refusal(404, noPath(path)));
  const caller = store.findCaller(request.headers.authorization);
  if (caller === undefined) return send(response.setHeader('www-authenticate', 'Bearer'), refusal(401, unauthorized));
  if (!caller.scopes.has(route.scope)) return send(response, refusal(403, insufficientScope(route.scope)));
  const respond = (body?: unknown) => send(response, route.respond(Number(id), new URLSearchParams(query), body));
  if (request.method === 'GET') respond();
  else read(request, respond);
}).listen(port, '127.0.0.1');

function read(request: IncomingMessage, done: (body: unknown) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())));
}

function send(response: ServerResponse, { status, body, location }: ReturnType<Respond>): void {
  const text = JSON.stringify(body);
  if (location !== undefined) response.setHeader('location', location);
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function listing(query: URLSearchParams): Listing {
  return query.size === 0 ? {} : Object.fromEntries(query);
}

const ok = (body: object) => ({ status: 200, body });
const found = (id: number, body: object | undefined) => (body ? ok(body) : refusal(404, noSurvey(id)));
const refusal = (status: number, ...problems: Problem[]) => ({
  status,
  body: errorBody(status, problems, `req-${(requests += 1)}`),
});

function check({ name, color }: { name?: string; color?: string }): Problem[] {
  const pattern = '^#?[0-9A-Fa-f]{6}$';
  return [
    ...(name !== undefined && name.length < 2 ? [tooShort('/name', 2)] : []),
    ...(color && !new RegExp(pattern).test(color) ? [wrongFormat('/color', pattern)] : []),
  ];
}
