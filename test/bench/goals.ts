/** What the service is to reach against its peers. */

export interface Goal {
  figure: string;
  operations: readonly string[];
  /** The service has to serve at least this many times as many requests as this peer. */
  peer: string;
  least: number;
}

const engine = { figure: 'constant response, 401, 404', operations: ['constant', '401', '404', 'path'] };
const refusals = { figure: 'constant response and refusals', operations: ['constant', '401', '404', 'path', '422'] };
const survey = { figure: 'one survey', operations: ['survey'] };
const lists = { figure: 'lists', operations: ['list', 'licenses', 'tags'] };
const writes = { figure: 'POST, PUT', operations: ['post', 'put'] };

/** When the service reads all anew for each response, as its peers do. */
export const goalsWithoutCache: readonly Goal[] = [
  { ...survey, peer: 'raw', least: 2.5 },
  { figure: 'list', operations: ['list'], peer: 'raw', least: 1 },
  { figure: 'licences', operations: ['licenses'], peer: 'raw', least: 1.5 },
];

export const goals: readonly Goal[] = [
  { ...engine, peer: 'fastify', least: 0.95 },
  { ...engine, peer: 'raw', least: 0.85 },
  { ...survey, peer: 'raw', least: 2 },
  { ...lists, peer: 'fastify', least: 1 },
  { ...writes, peer: 'fastify', least: 1 },
  ...['openapi-backend', 'express-openapi-validator'].flatMap((peer) => [
    { ...refusals, peer, least: 3 },
    { ...survey, peer, least: 4 },
    { ...lists, peer, least: 2 },
    { ...writes, peer, least: 1.2 },
  ]),
];

/** On PostgreSQL, whatever is asked: by CPU time and by responses per second. */
export const goalsOnPostgres: readonly Goal[] = [survey, { figure: 'list', operations: ['list'] }, writes].map(
  (goal) => ({
    ...goal,
    peer: 'fastify-pg',
    least: 1,
  }),
);

export const judged = (reached: boolean) => (reached ? 'yes' : '**no**');
