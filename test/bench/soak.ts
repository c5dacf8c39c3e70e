/** Everything at once for a long time, at 70 % of what the service can do: does memory grow, does anybody wait? */
import { judged } from './goals.ts';
import { flood, median, pace, quantile } from './load.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { startServices } from './servers.ts';

const load = 0.7;
const connections = 64;
/** Out of how many requests each operation has how many. */
const shares: Record<string, number> = {
  constant: 10,
  survey: 40,
  list: 15,
  licenses: 10,
  tags: 5,
  post: 2,
  put: 4,
  401: 4,
  404: 4,
  path: 4,
  422: 2,
};

export async function run({ work, services: [folder = ''], seconds }: Bench): Promise<string> {
  const [service] = await startServices(work, [folder]);
  const { server, operations } = service!;
  const mix = spread(
    operations.flatMap((operation) => Array.from({ length: shares[operation.name] ?? 0 }, () => operation)),
  );
  const everything = mix.map(({ shots }, at) => shots[at % shots.length]!);
  await flood(server.port, everything, connections, 5);
  const { rate: capacity } = await flood(server.port, everything, connections, 5);
  // Long enough for the heap to have found its size.
  await pace(server.port, mix, capacity * load, connections, Math.min(30, seconds / 4));

  const memory: number[] = [server.memory()];
  const watch = setInterval(() => memory.push(server.memory()), (seconds * 1000) / 60);
  const latencies = await pace(server.port, mix, capacity * load, connections, seconds);
  clearInterval(watch);
  await server.stop();

  const third = Math.floor(memory.length / 3);
  const growth = median(memory.slice(-third)) / median(memory.slice(0, third)) - 1;
  return [
    `${seconds} s at ${number(capacity * load)} requests per second, ${load * 100} % of the ${number(capacity)} that this mix reaches:\n`,
    table(
      ['', 'share', 'p50, ms', 'p99, ms', 'p99 / p50', 'Goal', ''],
      operations.map((operation) => {
        const all = latencies.get(operation)!;
        const [p50, p99] = [quantile(all, 0.5), quantile(all, 0.99)];
        return [
          operation.title,
          `${shares[operation.name]} %`,
          p50.toFixed(2),
          p99.toFixed(2),
          (p99 / p50).toFixed(1),
          '≤ 10',
          judged(p99 <= 10 * p50),
        ];
      }),
    ),
    table(
      ['Figure', 'Goal', 'Reached', ''],
      [
        ['memory at the begin and at the end', '', `${memory[0]!.toFixed(0)} and ${memory.at(-1)!.toFixed(0)} MiB`, ''],
        [
          'its growth from the first third to the last',
          '≤ 5 %',
          `${(growth * 100).toFixed(1)} %`,
          judged(growth <= 0.05),
        ],
      ],
    ),
  ].join('\n');
}

/** The same items with those that are alike far from each other, always in the same order. */
function spread<T>(items: readonly T[]): T[] {
  // A step that shares no divisor with the length comes by each item once.
  return items.map((_, at) => items[(at * 37) % items.length]!);
}
