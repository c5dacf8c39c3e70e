/** The comparison: the service and its peers side by side, one operation after the other, in interleaved rounds. */
import { isDeepStrictEqual } from 'node:util';
import { type Goal, goals, goalsWithoutCache, judged } from './goals.ts';
import { flood, median } from './load.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { ask, serviceEnv } from './server.ts';
import { contractOf, type Measurable, peers, startPeers, startServices, titles } from './servers.ts';

interface Plan {
  rounds: number;
  /** How long each server is measured in one round, and how long it is warmed up before the first. */
  seconds: number;
  warmUp: number;
}

const connections = 16;

/** What the rounds gave for one operation on one server. */
interface Figures {
  rate: number[];
  /** CPU time of the server for one response, in microseconds. */
  cost: number[];
  latency: number[];
}

export async function run({ work, quick, services, only = peers, operations }: Bench): Promise<string> {
  const started = await startServices(work, services);
  const measured = [...started, ...(await startPeers(work, only, contractOf(services[0]!), started[0]!))];
  const known = started[0]!.operations.map(({ name }) => name);
  const names = operations ? known.filter((name) => operations.includes(name)) : known;
  const plan = quick ? { rounds: 2, seconds: 0.4, warmUp: 0.4 } : { rounds: 5, seconds: 1, warmUp: 1 };
  for (const name of names) await checkSame(measured, name);
  const figures = new Map(
    names.map((name) => [
      name,
      new Map(measured.map(({ server }) => [server.name, { rate: [], cost: [], latency: [] } as Figures])),
    ]),
  );
  let busiest = 0;
  let least = 1;
  for (let round = 0; round <= plan.rounds; round += 1) {
    process.stderr.write(round === 0 ? 'warming up\n' : `round ${round} of ${plan.rounds}\n`);
    for (const name of names) {
      // Nobody is always the one after the slowest.
      for (const { server, operations } of rotated(measured, round)) {
        const operation = operations.find((one) => one.name === name)!;
        const cpu = server.cpu();
        const started = performance.now();
        const { rate, count, latencies, busy } = await flood(
          server.port,
          operation.shots,
          connections,
          round === 0 ? plan.warmUp : plan.seconds,
        ).catch((error: Error) => Promise.reject(new Error(`${server.name}, ${name}: ${error.message}`)));
        const used = server.cpu() - cpu;
        if (round === 0) continue;
        const { rate: rates, cost, latency } = figures.get(name)!.get(server.name)!;
        rates.push(rate);
        cost.push((used / count) * 1000);
        latency.push(median(latencies));
        busiest = Math.max(busiest, busy);
        if (operation.status !== 201 && name !== 'put') least = Math.min(least, used / (performance.now() - started));
      }
    }
  }
  await Promise.all(measured.map(({ server }) => server.stop()));
  return (
    report(measured, names, plan, figures) +
    `\nThe load generator used at most ${Math.round(busiest * 100)} % of its core; servers had at least ${Math.round(least * 100)} % of theirs while they read.\n` +
    (least < 0.9 ? '**The machine was not quiet: do not quote these figures.**\n' : '')
  );
}

function report(
  measured: readonly Measurable[],
  names: readonly string[],
  plan: Plan,
  figures: Map<string, Map<string, Figures>>,
): string {
  const servers = measured.map(({ server }) => server.name);
  const title = (name: string) => measured[0]!.operations.find((one) => one.name === name)!.title;
  const middle = (name: string, server: string, what: keyof Figures) => median(figures.get(name)!.get(server)![what]);
  const ratio = (name: string, peer: string) => middle(name, 'service', 'rate') / middle(name, peer, 'rate');
  const heading = servers.map((server) => titles[server] ?? server);
  const rows = (cell: (name: string, server: string) => string) =>
    names.map((name) => [title(name), ...servers.map((server) => cell(name, server))]);
  const seen = (goal: Goal) => names.some((name) => goal.operations.includes(name)) && servers.includes(goal.peer);
  return [
    `Responses per second: medians of ${plan.rounds} rounds of ${plan.seconds} s, ${connections} connections, no pipelining.\n`,
    table(
      ['', ...heading],
      rows((name, server) => number(middle(name, server, 'rate'))),
    ),
    'How many times as fast the service is:\n',
    table(
      ['', ...heading],
      rows((name, server) => ratio(name, server).toFixed(2)),
    ),
    'CPU time of the server for one response, in µs (a write also waits for the disk):\n',
    table(
      ['', ...heading],
      rows((name, server) => number(middle(name, server, 'cost'))),
    ),
    'Median latency, in ms:\n',
    table(
      ['', ...heading],
      rows((name, server) => middle(name, server, 'latency').toFixed(2)),
    ),
    table(
      ['Figure', 'Goal', 'Reached', ''],
      (serviceEnv.CACHE_SIZE === '0' ? goalsWithoutCache : goals).filter(seen).map((goal) => {
        const worst = Math.min(
          ...goal.operations.filter((name) => names.includes(name)).map((name) => ratio(name, goal.peer)),
        );
        return [
          `${goal.figure} / ${titles[goal.peer] ?? goal.peer}`,
          `≥ ${goal.least}`,
          worst.toFixed(2),
          judged(worst >= goal.least),
        ];
      }),
    ),
  ].join('\n');
}

/** What servers make up themselves, and the wording of refusals, may differ. */
const own = new Set(['request_id', 'key', 'created', 'updated', 'message']);

/** Sends one request to all and fails unless all respond the same. */
async function checkSame(measured: readonly Measurable[], name: string): Promise<void> {
  const responses = await Promise.all(
    measured.map(async ({ server, operations }) => {
      const { sample, status } = operations.find((one) => one.name === name)!;
      const response = await ask(server, sample);
      if (response.status !== status)
        throw new Error(`${server.name} responds to ${name} with ${response.status}: ${JSON.stringify(response.body)}`);
      return {
        server: server.name,
        body: JSON.parse(JSON.stringify(response.body, (member, value) => (own.has(member) ? null : value))) as unknown,
      };
    }),
  );
  for (const { server, body } of responses.slice(1)) {
    if (isDeepStrictEqual(body, responses[0]!.body)) continue;
    throw new Error(
      `${server} responds to ${name} differently:\n${JSON.stringify(body)}\n${responses[0]!.server}:\n${JSON.stringify(responses[0]!.body)}`,
    );
  }
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
