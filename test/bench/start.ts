/** From the start of the process to its first response, on a database that exists. */
import { join } from 'node:path';
import { judged } from './goals.ts';
import { median } from './load.ts';
import { table } from './report.ts';
import type { Bench } from './run.ts';
import { ask, firstToken, startService } from './server.ts';

const goal = 600;

export async function run({ work, quick, services: [folder = ''] }: Bench): Promise<string> {
  const database = join(work, 'service.db');
  const first = await startService('service', `file:${database}`, folder);
  const token = await firstToken(first);
  await first.stop();
  const times: number[] = [];
  const costs: number[] = [];
  for (let count = quick ? 3 : 11; count > 0; count -= 1) {
    const began = performance.now();
    const server = await startService('service', `file:${database}`, folder);
    await ask(server, { method: 'GET', path: '/api/v3/hxl', token });
    times.push(performance.now() - began);
    costs.push(server.cpu());
    await server.stop();
  }
  const middle = median(times);
  return table(
    ['Figure', 'Goal', 'Reached', 'from … to', 'CPU', ''],
    [
      [
        `start to first response, median of ${times.length}`,
        `≤ ${goal} ms`,
        `${Math.round(middle)} ms`,
        `${Math.round(Math.min(...times))} … ${Math.round(Math.max(...times))} ms`,
        `${Math.round(median(costs))} ms`,
        judged(middle <= goal),
      ],
    ],
  );
}
