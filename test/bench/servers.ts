/** The service and its peers, all with the same surveys behind them. */
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { countedName, type Operation, operations } from './operations.ts';
import { type Seed, seed } from './peers/seed.ts';
import { ask, firstToken, type Server, start, startService } from './server.ts';
import { surveyInput } from './survey.ts';

/** Each is `peers/<name>.ts`. */
export const peers = ['raw', 'fastify', 'openapi-backend', 'fastify-openapi-glue', 'express-openapi-validator', 'hono'];

export const titles: Record<string, string> = {
  raw: 'V0: node:http',
  fastify: 'V1: Fastify by hand',
  'fastify-pg': 'Fastify with pg by hand',
  hono: '@hono/zod-openapi',
};

export interface Measurable {
  server: Server;
  operations: Operation[];
}

/** A service with surveys in it, and the token that it takes. */
export interface Filled extends Measurable {
  token: string;
}

/** Where the service in this folder has its contract. */
export const contractOf = (folder: string) => join(folder, 'src/generated/openapi.json');

/** How many surveys there are at the start, and how many of them are read and changed in turn. */
const stored = 300;
const used = 100;

/** Starts the service in each of these folders, the first as `service`, each on a new database with the same surveys. */
export async function startServices(work: string, folders: readonly string[]): Promise<Filled[]> {
  const services = [];
  for (const [at, folder] of folders.entries()) {
    const name = at === 0 ? 'service' : basename(folder);
    services.push(await fillService(await startService(name, `file:${join(work, `${at}-${name}.db`)}`, folder)));
  }
  return services;
}

/** Stores the surveys in a service that was just started on a new database. */
export async function fillService(server: Server): Promise<Filled> {
  const token = await firstToken(server);
  for (let count = 0; count < stored; count += 1) {
    const { status, body } = await ask(server, {
      method: 'POST',
      path: '/api/v5/surveys',
      token,
      body: surveyInput(countedName),
    });
    if (status !== 201) throw new Error(`${server.name} does not take the survey: ${JSON.stringify(body)}`);
  }
  const { body } = await ask(server, { method: 'GET', path: `/api/v5/surveys?limit=${used}`, token });
  return { server, token, operations: operations(token, body.results) };
}

/** What a service holds, as the peers are to hold it. */
export async function contentOf({ server, token }: Filled): Promise<Seed> {
  const read = async (path: string) => (await ask(server, { method: 'GET', path, token })).body.results;
  return {
    token,
    surveys: await read('/api/v5/surveys'),
    licenses: await read('/api/v3/hxl/licenses'),
    tags: await read('/api/v3/hxl/tags'),
  };
}

/** Starts these peers on what the service holds and tells, and those that are made from a contract on this one. */
export async function startPeers(
  work: string,
  names: readonly string[],
  contract: string,
  service: Filled,
): Promise<Measurable[]> {
  const database = join(work, 'peers.db');
  seed(database, await contentOf(service));
  return Promise.all(
    names.map(async (name) => {
      const own = join(work, `${name}.db`);
      copyFileSync(database, own);
      return { server: await startPeer(name, own, contract), operations: service.operations };
    }),
  );
}

export async function startPeer(name: string, database: string, contract: string): Promise<Server> {
  return start(name, [join(import.meta.dirname, `peers/${name}.ts`)], { DATABASE: database, CONTRACT: contract });
}
