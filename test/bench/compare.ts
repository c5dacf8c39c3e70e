/** The comparison: the service and its peers side by side, one operation after the other, in interleaved rounds. */
import { type Goal, goals, goalsWithoutCache, judged } from './goals.ts';
import { median } from './load.ts';
import { number, table } from './report.ts';
import { checkSame, measure, turns } from './rounds.ts';
import type { Bench } from './run.ts';
import { serviceEnv } from './server.ts';
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
  for (const turn of turns(measured, names, plan.rounds)) {
    const { round, server, operation } = turn;
    const { rate, cost, latency, busy, share } = await measure(
      turn,
      connections,
      round === 0 ? plan.warmUp : plan.seconds,
    );
    if (round === 0) continue;
    const own = figures.get(operation.name)!.get(server.name)!;
    own.rate.push(rate);
    own.cost.push(cost);
    own.latency.push(latency);
    busiest = Math.max(busiest, busy);
    if (operation.status !== 201 && operation.name !== 'put') least = Math.min(least, share);
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
