/** All surveys in one response: when it begins, what it takes of memory, and what it does to the requests of others. */
import { get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { fill } from './fill.ts';
import { judged } from './goals.ts';
import { pace, quantile } from './load.ts';
import { shot } from './operations.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { type Server, startService } from './server.ts';

/** Requests per second of others, on as many connections as they need. */
const others = 200;
const connections = 16;

export async function run({ work, quick, services: [folder = ''] }: Bench): Promise<string> {
  const surveys = quick ? 20_000 : 100_000;
  const { copy, admin } = await fill(work, folder);
  const database = copy(surveys);
  const rows: string[][] = [];
  for (const [title, pause] of [
    ['a client that reads as fast as it can', 0],
    ['a client that stops reading for 3 s', 3],
  ] as const) {
    const server = await startService('service', `file:${database}`, folder);
    const other = { shots: [shot({ method: 'GET', path: '/api/v5/surveys/7', token: admin }, 200)] };
    // What the process needs anyway is there before it is weighed.
    await pace(server.port, [other], others, connections, 3);
    const before = server.memory();
    const listing = list(server, admin, pause);
    const latencies = (await pace(server.port, [other], others, connections, listing)).get(other)!;
    const { firstByte, seconds, bytes, memory } = await listing;
    await server.stop();
    const [growth, p99] = [memory - before, quantile(latencies, 0.99)];
    rows.push(
      [`${title}: first byte`, '≤ 50 ms', `${firstByte.toFixed(1)} ms`, judged(firstByte <= 50)],
      [`${title}: growth of memory`, '≤ 64 MiB', `${growth.toFixed(1)} MiB`, judged(growth <= 64)],
      [`${title}: p99 of ${others} other requests a second`, '≤ 20 ms', `${p99.toFixed(1)} ms`, judged(p99 <= 20)],
      [
        `${title}: median and longest of them`,
        '',
        `${quantile(latencies, 0.5).toFixed(1)} and ${Math.max(...latencies).toFixed(1)} ms`,
        '',
      ],
      [`${title}: all of it`, '', `${(bytes / 2 ** 20).toFixed(0)} MiB in ${seconds.toFixed(1)} s`, ''],
    );
  }
  return table([`${number(surveys)} surveys, no limit`, 'Goal', 'Reached', ''], rows);
}

/** Reads the list of all surveys, and looks at the server's memory meanwhile. */
async function list(server: Server, token: string, pause: number) {
  const began = performance.now();
  let memory = 0;
  const watch = setInterval(() => void (memory = Math.max(memory, server.memory())), 20);
  const { firstByte, bytes } = await new Promise<{ firstByte: number; bytes: number }>((resolve, reject) => {
    get(
      { port: server.port, host: '127.0.0.1', path: '/api/v5/surveys', headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let first = 0;
        let count = 0;
        let end = '';
        response.on('data', (chunk: Buffer) => {
          if (first === 0) {
            first = performance.now() - began;
            if (pause > 0) {
              response.pause();
              void setTimeout(pause * 1000).then(() => response.resume());
            }
          }
          count += chunk.length;
          end = (end + chunk.toString('latin1', Math.max(0, chunk.length - 2))).slice(-2);
        });
        response.on('end', () =>
          response.statusCode === 200 && end === ']}'
            ? resolve({ firstByte: first, bytes: count })
            : reject(new Error(`The list ends with status ${response.statusCode} and "${end}".`)),
        );
        response.on('error', reject);
      },
    ).on('error', reject);
  });
  clearInterval(watch);
  return { firstByte, bytes, memory, seconds: (performance.now() - began) / 1000 };
}
