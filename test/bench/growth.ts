/** The same service with more operations in its contract: does a request cost more, does the start take longer? */
import { copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judged } from './goals.ts';
import { flood, median } from './load.ts';
import { operations } from './operations.ts';
import { seed } from './peers/seed.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { ask, firstToken, type Server, startService } from './server.ts';
import { contractOf, startPeer, titles } from './servers.ts';

const counts = [100, 500];
const connections = 16;

interface Row {
  title: string;
  begin: () => Promise<Server>;
  /** Milliseconds to the first response, and of CPU time that this took, of each process. */
  starts: number[];
  work: number[];
  rates: Map<string, number[]>;
}

export async function run({
  work,
  quick,
  services: [folder = ''],
  only = ['fastify', 'openapi-backend', 'express-openapi-validator'],
}: Bench): Promise<string> {
  const database = join(work, 'service.db');
  const first = await startService('service', `file:${database}`, folder);
  const token = await firstToken(first);
  await first.stop();
  const peerDatabase = join(work, 'peers.db');
  seed(peerDatabase, { token, surveys: [], licenses: [], tags: [] });

  const document = JSON.parse(readFileSync(contractOf(folder), 'utf8')) as Contract;
  const own = operationsOf(document).length;
  const rows: Row[] = [];
  const add = (title: string, begin: () => Promise<Server>) =>
    rows.push({ title, begin, starts: [], work: [], rates: new Map() });
  for (const count of [own, ...counts]) {
    const grown = join(work, `growth-${count}`);
    copyService(folder, grown, grow(document, count));
    copyFileSync(database, join(grown, 'service.db'));
    add(`service, ${count} operations`, () => startService('service', `file:${join(grown, 'service.db')}`, grown));
  }
  for (const peer of only) {
    // Nobody writes 500 operations by hand to see what they cost.
    const count = peer === 'fastify' ? own : counts.at(-1)!;
    copyFileSync(peerDatabase, join(work, `${peer}.db`));
    const contract = contractOf(join(work, `growth-${count}`));
    add(`${titles[peer] ?? peer}, ${count} operations`, () => startPeer(peer, join(work, `${peer}.db`), contract));
  }

  const measured = operations(token, []).filter(({ name }) => ['constant', '401', '404', 'path'].includes(name));
  const rounds = quick ? 2 : 3;
  // Two processes of one size can differ by more than the sizes do. And all are new each time, because V8 throws away
  // compiled code of one that waits for its turn too long.
  const generations = quick ? 1 : 5;
  for (let generation = 0; generation < generations; generation += 1) {
    const servers = new Map<Row, Server>();
    for (const row of rows) {
      const began = performance.now();
      const server = await row.begin();
      await ask(server, { method: 'GET', path: '/api/v3/hxl', token });
      row.starts.push(performance.now() - began);
      row.work.push(server.cpu());
      servers.set(row, server);
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, shots } of measured) {
        for (const [{ rates }, { port }] of servers) {
          const { rate } = await flood(port, shots, connections, quick ? 0.4 : 1);
          if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
        }
      }
    }
    for (const server of servers.values()) await server.stop();
  }

  const rate = (row: Row, name: string) => median(row.rates.get(name)!);
  const services = rows.slice(0, counts.length + 1);
  const largest = services.at(-1)!;
  const spread = Math.max(
    ...measured.map(({ name }) => {
      const rates = services.map((row) => rate(row, name));
      return 1 - Math.min(...rates) / Math.max(...rates);
    }),
  );
  const lead = (peer: Row) => Math.min(...measured.map(({ name }) => rate(largest, name) / rate(peer, name)));
  return [
    `Responses per second, medians of ${rounds} rounds with each of ${generations} processes, and milliseconds from the start to the first response:\n`,
    table(
      ['', ...measured.map(({ title }) => title), 'start, ms', 'of them CPU'],
      rows.map((row) => [
        row.title,
        ...measured.map(({ name }) => number(rate(row, name))),
        number(median(row.starts)),
        number(median(row.work)),
      ]),
    ),
    table(
      ['Figure', 'Goal', 'Reached', ''],
      [
        [
          `difference between ${own}, ${counts.join(' and ')} operations`,
          '≤ 3 %',
          `${(spread * 100).toFixed(1)} %`,
          judged(spread <= 0.03),
        ],
        [
          `start with ${counts.at(-1)} operations`,
          '≤ 2 s',
          `${(median(largest.starts) / 1000).toFixed(2)} s`,
          judged(median(largest.starts) <= 2000),
        ],
        ...rows
          .slice(services.length)
          .filter(({ title }) => /openapi/.test(title))
          .map((peer) => [
            `with ${counts.at(-1)} operations / ${peer.title.split(',')[0]}`,
            '≥ 30',
            lead(peer).toFixed(1),
            judged(lead(peer) >= 30),
          ]),
      ],
    ),
  ].join('\n');
}

type PathItem = { [member: string]: { operationId?: string } };
interface Contract {
  paths: Record<string, PathItem>;
}

function operationsOf({ paths }: Contract): { path: string; method: string }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((member) => item[member]!.operationId !== undefined)
      .map((method) => ({ path, method })),
  );
}

/** The contract with so many copies of its operations before and behind it that it has this many. */
function grow(document: Contract, count: number): Contract {
  const originals = operationsOf(document);
  const [before, after]: [Contract['paths'], Contract['paths']] = [{}, {}];
  for (let at = originals.length; at < count; at += 1) {
    const copy = Math.floor(at / originals.length);
    const { path, method } = originals[at % originals.length]!;
    const { parameters, [method]: operation } = document.paths[path]!;
    const target = ((copy % 2 === 0 ? before : after)[`/copy${copy}${path}`] ??= { ...(parameters && { parameters }) });
    target[method] = { ...operation, operationId: `${operation!.operationId}Copy${copy}` };
  }
  return { ...document, paths: { ...before, ...document.paths, ...after } };
}

/** The service with another contract, in which a copy of an operation does what the operation does. */
function copyService(from: string, to: string, document: Contract): void {
  mkdirSync(to);
  cpSync(join(from, 'src'), join(to, 'src'), { recursive: true });
  copyFileSync(join(from, 'package.json'), join(to, 'package.json'));
  writeFileSync(contractOf(to), JSON.stringify(document, undefined, 2));
  renameSync(join(to, 'src/handlers.ts'), join(to, 'src/originals.ts'));
  const ids = operationsOf(document).map(({ path, method }) => document.paths[path]![method]!.operationId!);
  writeFileSync(
    join(to, 'src/handlers.ts'),
    `
    import * as originals from './originals.ts';
    const copied = (table) =>
      Object.fromEntries(${JSON.stringify(ids)}.map((id) => [id, table[id.replace(/Copy\\d+$/, '')]]));
    export const handlers = copied(originals.handlers);
    export const sharing = copied(originals.sharing);
    export const normalized = copied(originals.normalized);
    export const validators = copied(originals.validators);
  `,
  );
}
