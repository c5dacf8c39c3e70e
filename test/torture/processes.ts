/** Kills and stops of server processes, again and again: what a client and an operator notice of them. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bearer,
  type Cleanup,
  cleaningUp,
  create,
  createRequest,
  dial,
  freshPath,
  isAlive,
  preloaded,
  type Server,
  start,
} from '../support/server-process.ts';

export interface Counts {
  /** How many workers are killed under load. */
  kills: number;
  /** How often the service is stopped while workers are starting. */
  stops: number;
  /** How often the primary process is killed while a worker is blocked. */
  primaryKills: number;
}

/** All figures, by what they are of. What should be 0 is named first in each. */
export async function processes({ kills, stops, primaryKills }: Counts) {
  return {
    kills: await killWorkers(kills),
    stops: await stopWhileStarting(stops),
    primaryKills: await killPrimaries(primaryKills),
    busy: await keepBusyWorkers(),
    suspended: await suspendAll(),
  };
}

/** The process ids of the workers that run. */
const workersOf = ({ child: { pid } }: Server) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isPrinted = async (listening: { token: string }) => {
  while (listening.token === '') await sleep(10);
};

/** Kills one worker of four after the other while surveys are created; the last one that serves is spared. */
export async function killWorkers(count: number) {
  return cleaningUp(async (context) => {
    const server = start(context, freshPath(context), { WORKERS: '4', LOG_LEVEL: 'info' });
    const listening = await server.listening();
    await isPrinted(listening);
    const { url, token } = listening;
    const killed = new Set<number>();
    let refused = 0;
    let lastSuccess = performance.now();
    let longestPauseMs = 0;
    const acknowledged: number[] = [];
    let ended: string | undefined;
    void server.end.then(({ code, signal, stderr }) => {
      ended = `The service ended (${signal ?? code}): ${stderr}`;
    });
    const write = async () => {
      while (killed.size < count && ended === undefined) {
        const id = await create(url, token, { name: 'Written while workers die' })
          .then(async (response) =>
            response.status === 201 ? ((await response.json()) as any).results[0].id : undefined,
          )
          .catch(() => undefined);
        if (id === undefined) refused += 1;
        else {
          acknowledged.push(id);
          longestPauseMs = Math.max(longestPauseMs, performance.now() - lastSuccess);
          lastSuccess = performance.now();
        }
        await sleep(5);
      }
    };
    const writers = [write(), write(), write(), write()];
    while (killed.size < count) {
      await sleep(20 + Math.random() * 100);
      if (ended !== undefined) throw new Error(ended);
      const serving = workersOf(server).filter((pid) => !killed.has(pid) && server.stdout().includes(`"pid":${pid},`));
      if (serving.length < 2) continue;
      const victim = serving[Math.floor(Math.random() * serving.length)]!;
      process.kill(victim, 'SIGKILL');
      killed.add(victim);
    }
    await Promise.all(writers);
    const listed = await fetch(`${url}/api/v5/surveys?only=id`, { headers: bearer(token) });
    const found = new Set(((await listed.json()) as any).results.map(({ id }: { id: number }) => id));
    const { code } = await server.stop();
    return {
      lost: acknowledged.filter((id) => !found.has(id)).length,
      exitCode: code,
      kills: killed.size,
      deathsLogged: server.lines().filter(({ signal }) => signal === 'SIGKILL').length,
      acknowledged: acknowledged.length,
      refused,
      longestPauseMs: Math.round(longestPauseMs),
    };
  });
}

/** Stops a service at some moment while three of its four workers are starting, and one has a request. */
export function stopWhileStarting(count: number) {
  return cleaningUp((context) => stopInTurn(count, freshPath(context)));
}

async function stopInTurn(count: number, path: string) {
  const figures = { cut: 0, failed: 0, stops: count, longestMs: 0 };
  const body = JSON.stringify({ name: 'Sent in two halves' });
  let token = '';
  for (let stopped = 0; stopped < count; stopped += 1) {
    await cleaningUp(async (context) => {
      const server = start(context, path, { WORKERS: '4' });
      const listening = await server.listening();
      if (token === '') {
        await isPrinted(listening);
        ({ token } = listening);
      }
      const { socket, received } = await dial(context, listening.port);
      socket.write(`${createRequest(token, body)}${body.slice(0, 9)}`);
      await fetch(`${listening.url}/health/live`);
      await sleep(Math.random() * 1000);
      const begin = performance.now();
      server.child.kill('SIGTERM');
      await sleep(300);
      socket.write(body.slice(9));
      const { code } = await server.end;
      figures.longestMs = Math.max(figures.longestMs, Math.round(performance.now() - begin));
      if (code !== 0) figures.failed += 1;
      if (!received().startsWith('HTTP/1.1 201 ')) figures.cut += 1;
    });
  }
  return figures;
}

/** Kills the primary process of two workers, one of which is blocked. */
export async function killPrimaries(count: number) {
  const figures = { left: 0, kills: count, longestMs: 0 };
  for (let killed = 0; killed < count; killed += 1) {
    await cleaningUp(async (context) => {
      const { server, workers } = await twoWorkers(context);
      process.kill(workers[0]!, 'SIGUSR2');
      await sleep(Math.random() * 1000);
      server.child.kill('SIGKILL');
      const begin = performance.now();
      while (workers.some(isAlive) && performance.now() - begin < 10_000) await sleep(10);
      figures.longestMs = Math.max(figures.longestMs, Math.round(performance.now() - begin));
      for (const pid of workers.filter(isAlive)) {
        figures.left += 1;
        process.kill(pid, 'SIGKILL');
      }
    });
  }
  return figures;
}

/** A server of two workers that both listen. */
async function twoWorkers(context: Cleanup) {
  const server = start(context, freshPath(context), { WORKERS: '2', ...preloaded('blocked-process.ts') });
  await server.listening();
  while (server.stdout().split('listening at').length < 3) await sleep(20);
  return { server, workers: workersOf(server) };
}

/** How many of these workers are gone, and how their service ends. */
async function replaced(server: Server, workers: number[]) {
  const gone = workers.filter((pid) => !isAlive(pid)).length;
  return { replaced: gone, exitCode: (await server.stop()).code };
}

/** Keeps the event loops of both workers busy for 20 s: each turn takes 3 s. Nobody may take them for blocked. */
export async function keepBusyWorkers() {
  return cleaningUp(async (context) => {
    const { server, workers } = await twoWorkers(context);
    for (const pid of workers) process.kill(pid, 'SIGWINCH');
    await sleep(25_000);
    return replaced(server, workers);
  });
}

/** Suspends all processes for longer than a blocked worker is waited for, as a machine that sleeps. */
export async function suspendAll() {
  return cleaningUp(async (context) => {
    const { server, workers } = await twoWorkers(context);
    const all = [server.child.pid!, ...workers];
    for (const pid of all) process.kill(pid, 'SIGSTOP');
    await sleep(15_000);
    for (const pid of all) process.kill(pid, 'SIGCONT');
    await sleep(3000);
    return replaced(server, workers);
  });
}
