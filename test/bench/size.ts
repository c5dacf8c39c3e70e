/** The service with more and more in its tables: what a table holds must not show in what one record or one page costs. */

import { encodeCursor, listName } from '../../src/surveys/cursor.ts';
import { fill } from './fill.ts';
import { judged } from './goals.ts';
import { flood, median, type Shot } from './load.ts';
import { shot } from './operations.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { type Server, serviceEnv, startService } from './server.ts';

const connections = 16;

export async function run({ work, quick, services: [folder = ''] }: Bench): Promise<string> {
  const sizes = quick ? [1000, 10_000, 100_000] : [1000, 100_000, 1_000_000];
  const { copy, admin, user } = await fill(work, folder);
  // What is cached costs the same whatever the tables hold.
  const { CACHE_SIZE } = serviceEnv;
  serviceEnv.CACHE_SIZE = '0';
  const servers: { size: number; server: Server; rates: Map<string, number[]> }[] = [];
  for (const size of sizes) {
    process.stderr.write(`filling ${number(size)}\n`);
    servers.push({ size, server: await startService('service', `file:${copy(size)}`, folder), rates: new Map() });
  }
  const get = (path: string, token = admin) => shot({ method: 'GET', path, token }, 200);
  const someSurvey = (size: number) => `/api/v5/surveys/${1 + Math.floor(Math.random() * size)}`;
  const twenty = (query: string) => get(`/api/v5/surveys?limit=20&${query}`);
  const list = listName({ orderby: 'id', descending: false, filters: undefined });
  const somewhere = (size: number) =>
    encodeCursor({ direction: 'after', id: Math.floor(Math.random() * (size - 20)), value: null }, list);
  const measured: { title: string; within?: number; shots: (size: number) => Shot[] }[] = [
    {
      title: '20 surveys from a cursor on',
      within: 0.1,
      shots: (size) => Array.from({ length: 10_000 }, () => twenty(`cursor=${somewhere(size)}`)),
    },
    {
      title: '20 surveys by name',
      within: 0.1,
      shots: () => Array.from({ length: 1000 }, (_, offset) => twenty(`orderby=name&offset=${offset}`)),
    },
    {
      title: '20 surveys of a search for what many names have',
      within: 0.1,
      shots: () => [twenty('q=flood%20report')],
    },
    { title: 'a search for what no name has', shots: () => [twenty('q=nobody%20has%20this')] },
    { title: '20 surveys by type', shots: () => [twenty('orderby=type')] },
    {
      title: 'one survey, of a hundred in turn',
      within: 0.05,
      shots: (size) => Array.from({ length: 100 }, () => get(someSurvey(size))),
    },
    {
      title: 'any survey',
      within: 0.05,
      shots: (size) => Array.from({ length: 10_000 }, () => get(someSurvey(size))),
    },
    { title: 'first 100 surveys', within: 0.1, shots: () => [get('/api/v5/surveys?limit=100')] },
    { title: 'first 100 metadata records', within: 0.1, shots: () => [get('/api/v3/hxl/metadata?limit=100')] },
    {
      title: 'the same for a user who does not see all',
      within: 0.1,
      shots: () => [get('/api/v3/hxl/metadata?limit=100', user)],
    },
  ];
  if (CACHE_SIZE === undefined) delete serviceEnv.CACHE_SIZE;
  const rounds = quick ? 2 : 5;
  for (let round = 0; round <= rounds; round += 1) {
    for (const { title, shots } of measured) {
      for (const { size, server, rates } of servers) {
        const { rate } = await flood(server.port, shots(size), connections, quick ? 0.4 : 1);
        if (round > 0) rates.set(title, [...(rates.get(title) ?? []), rate]);
      }
    }
  }
  await Promise.all(servers.map(({ server }) => server.stop()));
  return `Responses per second, medians of ${rounds} rounds:\n\n${table(
    ['', ...sizes.map((size) => `${number(size)} records`), 'Goal', 'Reached', ''],
    measured.map(({ title, within }) => {
      const rates = servers.map(({ rates: all }) => median(all.get(title)!));
      const loss = 1 - Math.min(...rates) / rates[0]!;
      return [
        title,
        ...rates.map(number),
        within === undefined ? 'none' : `≤ ${within * 100} %`,
        `${(loss * 100).toFixed(1)} %`,
        within === undefined ? '' : judged(loss <= within),
      ];
    }),
  )}`;
}
