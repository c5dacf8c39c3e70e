/** Two processes on one database against one: how much more is read. */
import { copyFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { judged } from './goals.ts';
import { flood, median } from './load.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { startService } from './server.ts';
import { startServices } from './servers.ts';

const goal = 1.7;
const connections = 32;

export async function run({
  work,
  quick,
  services: [folder = ''],
  operations: wanted = ['constant', 'survey', 'list', 'licenses'],
}: Bench): Promise<string> {
  const [seeded] = await startServices(work, [folder]);
  await seeded!.server.stop();
  const one = join(work, '0-service.db');
  const other = join(work, 'two.db');
  copyFileSync(one, other);
  const servers = [
    await startService('one process', `file:${one}`, folder),
    await startService('two processes', `file:${other}`, folder, 2),
  ];
  // The second comes after the first.
  await setTimeout(2000);
  if (servers[1]!.workers().length < 2) throw new Error('WORKERS=2 does not make two processes.');
  const reads = seeded!.operations.filter(({ name }) => wanted.includes(name));
  const rounds = quick ? 2 : 7;
  const figures = new Map(
    reads.map(({ name }) => [name, servers.map(() => ({ rate: [] as number[], cost: [] as number[] }))]),
  );
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, shots } of reads) {
      for (const [at, server] of servers.entries()) {
        const cpu = server.cpu();
        const { rate, count } = await flood(server.port, shots, connections, quick ? 0.5 : 1);
        if (round === 0) continue;
        figures.get(name)![at]!.rate.push(rate);
        figures.get(name)![at]!.cost.push(((server.cpu() - cpu) / count) * 1000);
      }
    }
  }
  await Promise.all(servers.map((server) => server.stop()));
  // The load needs a core too. Without a third, what two whole cores would do follows from what a response costs them.
  const direct = cpus().length > 2;
  return table(
    [
      '',
      'one process, per second',
      'two',
      'times as many',
      'CPU time for a response, µs',
      'of two',
      'two whole cores would',
      'Goal',
      '',
    ],
    reads.map(({ name, title }) => {
      const [first, second] = figures.get(name)!.map(({ rate, cost }) => ({ rate: median(rate), cost: median(cost) }));
      const measured = second!.rate / first!.rate;
      const possible = (2 * first!.cost) / second!.cost;
      return [
        title,
        number(first!.rate),
        number(second!.rate),
        measured.toFixed(2),
        number(first!.cost),
        number(second!.cost),
        possible.toFixed(2),
        `≥ ${goal}`,
        judged((direct ? measured : possible) >= goal),
      ];
    }),
  );
}
