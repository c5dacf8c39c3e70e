/** Reads long lists very slowly on many connections, while others are served. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheBudget, fillWithLarge, fillWithMetadata, fillWithOrdinary, largestSurvey } from './large.ts';
import { type Figures, judge, type Part, quantile } from './part.ts';
import { type Database, newDatabase, type Service, startService } from './service.ts';

/** Others wait at most so long, for 99 of 100 requests, in milliseconds. */
const patience = 250;

interface Attack {
  title: string;
  readers: number;
  path: string;
  /**
   * What one reader may hold, in mebibytes: a page, which is at least one survey, as text of two bytes a character, joined
   * with its envelope, and as bytes for the socket; what is next, and what is small.
   */
  mebibytesEach: number;
  fill: (database: Database) => Promise<void>;
}

const attacks = (short: boolean): Attack[] => [
  {
    title: 'large surveys',
    readers: 30,
    path: '/api/v5/surveys',
    mebibytesEach: ((2 + 2 + 1) * largestSurvey) / 2 ** 20,
    fill: (database) => fillWithLarge(database, short ? 22 : 60),
  },
  {
    title: 'ordinary surveys',
    readers: 200,
    path: '/api/v5/surveys',
    mebibytesEach: 0.5,
    fill: (database) => filled(database, (service) => fillWithOrdinary(service, short ? 200 : 2000)),
  },
  {
    title: 'metadata without limit',
    readers: 30,
    path: '/api/v3/hxl/metadata',
    mebibytesEach: 2,
    fill: (database) => filled(database, (service) => fillWithMetadata(service, short ? 30_000 : 100_000)),
  },
];

async function filled(database: Database, fill: (service: Service) => Promise<void>): Promise<void> {
  const service = await startService(database);
  await fill(service);
  await service.end();
}

export const readers: Part = async (scale) => {
  const figures: Figures = {};
  const broken: string[] = [];
  for (const attack of attacks(scale === 'short')) {
    let outcome = await withstand(attack, scale === 'short');
    // Garbage that was collected late, because others use the machine too, is not there every time.
    if (outcome.broken.length > 0) outcome = await withstand(attack, scale === 'short');
    figures[`${attack.readers} readers of ${attack.title}`] = outcome.figure;
    broken.push(...outcome.broken.map((what) => `${attack.title}: ${what}`));
  }
  return judge(figures, ...broken);
};

async function withstand(attack: Attack, short: boolean): Promise<{ figure: string; broken: string[] }> {
  const broken: string[] = [];
  const database = newDatabase();
  await attack.fill(database);
  const service = await startService(database);
  // What is compiled at the first request is not what is measured.
  for (let count = 0; count < 20; count += 1) await service.send('GET', '/api/v3/hxl');
  const { now: before } = service.memory();
  const sockets = await Promise.all(Array.from({ length: attack.readers }, () => readSlowly(service, attack.path)));
  const times = await beServed(service, short ? 4000 : 15_000);
  const most = service.isRunning() ? service.memory().most : Number.NaN;
  const bound = Math.round(before + cacheBudget + attack.readers * attack.mebibytesEach);
  const p99 = Math.round(quantile(times, 0.99));
  if (!service.isRunning()) broken.push(`the process ended: ${service.messages().slice(-300)}`);
  else if (most > bound) broken.push(`${most} MB were held, the bound is ${bound}`);
  if (!(p99 <= patience)) broken.push(`others waited ${p99} ms (p99)`);
  for (const socket of sockets) socket.destroy();
  await service.end();
  const figure =
    `${before} MB before, ${most} at most, bound ${bound}; others: ${times.length} requests, ` +
    `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${p99} ms, longest ${Math.round(Math.max(...times))} ms`;
  return { figure, broken };
}

/** Asks for a list, and reads a few bytes of it from time to time. */
async function readSlowly({ port, database }: Service, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: torture\r\nAuthorization: Bearer ${database.token}\r\n\r\n`);
  socket.pause();
  const timer = setInterval(() => socket.read(16), 50);
  socket.once('close', () => clearInterval(timer));
  return socket;
}

/** Sends small requests for so long, and returns after how many milliseconds each had its response. */
async function beServed(service: Service, duration: number): Promise<number[]> {
  const times: number[] = [];
  for (
    const end = performance.now() + duration;
    (performance.now() < end || times.length < 10) && service.isRunning();
    await sleep(5)
  ) {
    const begin = performance.now();
    const response = await Promise.race([
      service.send('GET', '/api/v3/hxl/licenses/1').catch(() => undefined),
      sleep(30_000),
    ]);
    times.push(performance.now() - begin);
    if (response === undefined && service.isRunning()) break;
  }
  return times;
}
