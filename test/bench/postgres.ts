/** The service on PostgreSQL beside itself on SQLite, both as one process and as four, and beside Fastify with `pg` by hand. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { findPrograms, PostgresProcess } from '../postgres/server.ts';
import { goalsOnPostgres, judged } from './goals.ts';
import { median, pace, quantile } from './load.ts';
import { countedName, type Operation } from './operations.ts';
import { seedPostgres } from './peers/seed-pg.ts';
import { startRelay } from './relay.ts';
import { number, table } from './report.ts';
import { checkSame, measure, turns } from './rounds.ts';
import type { Bench } from './run.ts';
import { ask, type Server, startService } from './server.ts';
import { contentOf, contractOf, fillService, type Measurable, startPeer, startServices, titles } from './servers.ts';

const connections = 16;
const workers = 4;
const peer = 'fastify-pg';
const service = 'service on PostgreSQL';
const serviceOnFile = 'service on SQLite';
const measuredOperations = ['survey', 'list', 'post', 'put'];

/** What the rounds gave for one operation on one server. */
interface Figures {
  rate: number[];
  /** CPU time of the Node.js processes for one response, in microseconds. */
  cost: number[];
  /** Latencies at half of the full rate, in milliseconds. */
  latencies: number[];
}

export async function run({ work, quick, services: [folder = ''], operations }: Bench): Promise<string> {
  const programs = findPrograms();
  if (programs === undefined) {
    console.error('There is no PostgreSQL: install it (Debian: postgresql, Homebrew: postgresql@17).');
    process.exit(1);
  }
  // PostgreSQL refuses to be root, and its own user has to get to its folder.
  chmodSync(work, 0o711);
  const postgres = await PostgresProcess.create(programs, work);
  process.once('exit', () => void postgres.stop('SIGQUIT'));
  const contract = contractOf(folder);
  const names = measuredOperations.filter((name) => operations?.includes(name) ?? true);

  const [onFile] = await startServices(work, [folder]);
  const urls = {
    one: await newDatabase(postgres, 'one'),
    peer: await newDatabase(postgres, 'peer'),
    several: await newDatabase(postgres, 'several'),
  };
  await seedPostgres(urls.peer, await contentOf(onFile!));
  const one = await fillService(await startService(service, urls.one, folder));
  const byHand = { server: await startPeer(peer, urls.peer, contract), operations: onFile!.operations };
  const measured: Measurable[] = [
    onFile!,
    one,
    byHand,
    await startSeveral(serviceOnFile, `file:${join(work, 'several.db')}`, folder),
    await startSeveral(service, urls.several, folder),
  ];
  // Plans follow from statistics, which PostgreSQL would make by itself a minute later.
  for (const url of Object.values(urls)) await query(url, 'VACUUM ANALYZE');
  for (const name of names) await checkSame(measured, name);

  const plan = quick ? { rounds: 2, seconds: 0.4, warmUp: 1 } : { rounds: 11, seconds: 0.5, warmUp: 4 };
  const figures = new Map<string, Figures>();
  let least = 1;
  for (const turn of turns(measured, names, plan.rounds)) {
    const { round, server, operation } = turn;
    const { rate, cost, share } = await measure(turn, connections, round === 0 ? plan.warmUp : plan.seconds);
    if (round === 0) continue;
    // Nothing but other programs keeps it from its core: it reads from memory.
    if (server === onFile!.server && ['survey', 'list'].includes(operation.name)) least = Math.min(least, share);
    const latencies = await pace(server.port, [operation], rate / 2, connections, plan.seconds);
    const key = `${server.name} ${operation.name}`;
    const own = figures.get(key) ?? { rate: [], cost: [], latencies: [] };
    figures.set(key, own);
    own.rate.push(rate);
    own.cost.push(cost);
    own.latencies.push(...latencies.get(operation)!);
  }
  await Promise.all(measured.map(({ server }) => server.stop()));

  const trips = await countTrips(
    postgres,
    names,
    [urls.one, one, (url) => startService(service, url, folder)],
    [urls.peer, byHand, (url) => startPeer(peer, url, contract)],
  );
  const version = await query(postgres.url, 'SHOW server_version');
  await postgres.remove();
  return report(measured, names, figures, trips, [
    `PostgreSQL ${version[0]!.server_version} on this machine and its disk, with what it does when nothing is set: fsync=on, synchronous_commit=on.`,
    'It is pinned to no core, so it takes parts of those of the servers and of the load; its own CPU time is in no figure.',
    `The ${workers} processes have as many cores, or all that there are, also that of the load; the others have one.`,
    `Medians of ${plan.rounds} rounds of ${plan.seconds} s, ${connections} connections, no pipelining.`,
    ...(least < 0.9 ? ['**The machine was not quiet: do not quote these figures.**'] : []),
    '',
  ]);
}

function report(
  measured: readonly Measurable[],
  names: readonly string[],
  figures: Map<string, Figures>,
  trips: Map<string, number[]>,
  circumstances: string[],
): string {
  const servers = measured.map(({ server }) => server.name);
  const title = (name: string) => measured[0]!.operations.find((one) => one.name === name)!.title;
  const shown = (server: string) => titles[server] ?? (server === 'service' ? serviceOnFile : server);
  const of = (name: string, server: string) => figures.get(`${server} ${name}`)!;
  const side = (cell: (figures: Figures) => string) =>
    table(
      ['', ...servers.map(shown)],
      names.map((name) => [title(name), ...servers.map((server) => cell(of(name, server)))]),
    );
  // Of each round for itself: the machine may be another half as fast in the next one.
  const ratio = (these: number[], those: number[]) => median(these.map((figure, round) => figure / those[round]!));
  const ratios = {
    'CPU time': (name: string) => ratio(of(name, peer).cost, of(name, service).cost),
    'responses per second': (name: string) => ratio(of(name, service).rate, of(name, peer).rate),
  };
  return [
    circumstances.join('\n'),
    'Responses per second:\n',
    side(({ rate }) => number(median(rate))),
    'CPU time of the Node.js processes for one response, in µs:\n',
    side(({ cost }) => number(median(cost))),
    'Latency at half of these rates, in ms, median and 99th percentile:\n',
    side(({ latencies }) => `${median(latencies).toFixed(2)}, ${quantile(latencies, 0.99).toFixed(2)}`),
    'Round trips to the database for one request, the token included:\n',
    table(
      ['', service, shown(peer)],
      names.map((name) => [title(name), ...trips.get(name)!.map(String)]),
    ),
    `How many times as fast the ${service} is as ${shown(peer)}:\n`,
    table(
      ['', ...Object.keys(ratios).map((by) => `by ${by}`)],
      names.map((name) => [title(name), ...Object.values(ratios).map((ratio) => ratio(name).toFixed(2))]),
    ),
    table(
      ['Figure', 'Goal', 'Reached', ''],
      Object.entries(ratios).flatMap(([by, ratio]) =>
        goalsOnPostgres
          .filter((goal) => goal.operations.some((name) => names.includes(name)))
          .map((goal) => {
            const worst = Math.min(...goal.operations.filter((name) => names.includes(name)).map(ratio));
            return [
              `${goal.figure}: ${service} / ${shown(goal.peer)}, by ${by}`,
              `≥ ${goal.least}`,
              worst.toFixed(2),
              judged(worst >= goal.least),
            ];
          }),
      ),
    ),
  ].join('\n');
}

type Relayed = [url: string, measured: Measurable, start: (url: string) => Promise<Server>];

/** How many round trips each operation takes on each of these servers, which are started anew behind a relay. */
async function countTrips(
  { port }: PostgresProcess,
  names: readonly string[],
  ...servers: Relayed[]
): Promise<Map<string, number[]>> {
  const trips = new Map(names.map((name) => [name, [] as number[]]));
  for (const [url, { operations }, start] of servers) {
    const relay = await startRelay(port);
    const server = await start(Object.assign(new URL(url), { port: `${relay.port}` }).href);
    for (const name of names) {
      const operation = operations.find((one) => one.name === name)!;
      // Connections are open and statements are prepared after a few.
      for (let warm = 0; warm < 5; warm += 1) await send(server, operation);
      trips.get(name)!.push(await relay.count(() => send(server, operation)));
    }
    await server.stop();
    relay.close();
  }
  return trips;
}

let sent = 0;

/** Sends the sample of an operation, with another name each time: a change that changes nothing might cost less. */
async function send(server: Server, { sample, status }: Operation): Promise<void> {
  const text = JSON.stringify(sample).replace(countedName, `Round trip ${(sent += 1)}`);
  const response = await ask(server, JSON.parse(text));
  if (response.status !== status) throw new Error(`${server.name}: ${JSON.stringify(response.body)}`);
}

/** Starts the service as several processes, and waits until all of them are there: each comes after the one before. */
async function startSeveral(name: string, url: string, folder: string): Promise<Measurable> {
  const server = await startService(`${name}, ${workers} processes`, url, folder, workers);
  const filled = await fillService(server);
  for (let waited = 0; server.workers().length < workers; waited += 1) {
    if (waited > 300) throw new Error(`WORKERS=${workers} does not make ${workers} processes.`);
    await setTimeout(100);
  }
  await setTimeout(2000);
  return filled;
}

async function newDatabase({ url }: PostgresProcess, name: string): Promise<string> {
  await query(url, `CREATE DATABASE ${name}`);
  return Object.assign(new URL(url), { pathname: name }).href;
}

async function query(url: string, text: string): Promise<Record<string, any>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
