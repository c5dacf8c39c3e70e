/** Where the time goes: a CPU profile of the service for each operation, from the samples taken while it is measured. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flood } from './load.ts';
import { table } from './report.ts';
import type { Bench } from './run.ts';
import { serviceEnv, start } from './server.ts';
import { startServices } from './servers.ts';

const connections = 16;
/** How many functions are shown of each operation. */
const most = 15;

export async function run({ work, quick, services: [folder = ''], operations: wanted }: Bench): Promise<string> {
  const [seeded] = await startServices(work, [folder]);
  await seeded!.server.stop();
  const parts: string[] = [];
  for (const { name, title, shots } of seeded!.operations.filter((one) => wanted?.includes(one.name) ?? true)) {
    const [profiles, database] = [join(work, name), join(work, `${name}.db`)];
    mkdirSync(profiles);
    copyFileSync(join(work, '0-service.db'), database);
    const program = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, 'src/server.ts'];
    const server = await start('service', program, { ...serviceEnv, DATABASE_URL: `file:${database}` }, folder);
    await flood(server.port, shots, connections, 2);
    const from = microseconds();
    await flood(server.port, shots, connections, quick ? 2 : 5);
    const to = microseconds();
    await server.stop();
    const profile = JSON.parse(readFileSync(join(profiles, readdirSync(profiles)[0]!), 'utf8')) as Profile;
    parts.push(`### ${title}\n\n${summary(profile, from, to, folder)}`);
  }
  return parts.join('\n');
}

/** The clock that V8 uses in profiles. */
const microseconds = () => Number(process.hrtime.bigint() / 1000n);

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  startTime: number;
  samples: number[];
  timeDeltas: number[];
}

/** The functions, and the packages and folders, in which the most time was spent between these moments. */
function summary({ nodes, startTime, samples, timeDeltas }: Profile, from: number, to: number, folder: string): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [functions, places] = [new Map<string, number>(), new Map<string, number>()];
  let now = startTime;
  let total = 0;
  for (const [at, id] of samples.entries()) {
    const spent = timeDeltas[at]!;
    now += spent;
    const { functionName, url, lineNumber } = frames.get(id)!;
    if (now < from || now > to || functionName === '(idle)') continue;
    total += spent;
    const place = placeOf(url, functionName, folder);
    count(places, place.split('/', place.startsWith('@') ? 2 : place.startsWith('src') ? 2 : 1).join('/'), spent);
    const called = functionName || 'anonymous';
    count(functions, url === '' ? called : `\`${called}\` ${place === 'node' ? url : place}:${lineNumber + 1}`, spent);
  }
  const top = (of: Map<string, number>) =>
    [...of]
      .sort(([, one], [, other]) => other - one)
      .slice(0, most)
      .map(([name, spent]) => [name, `${((spent / total) * 100).toFixed(1)} %`]);
  return `${table(['in', 'of the time'], top(places))}\n${table(['itself', 'of the time'], top(functions))}`;
}

/** Where code comes from: a package with a path in it, a path in the service, or Node.js. */
function placeOf(url: string, functionName: string, folder: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native';
  if (url.startsWith('node:')) return 'node';
  const path = url.replace(/^file:\/\//, '');
  return path.includes('/node_modules/') ? path.split('/node_modules/').at(-1)! : path.replace(`${folder}/`, '');
}

function count(sums: Map<string, number>, name: string, more: number): void {
  sums.set(name, (sums.get(name) ?? 0) + more);
}
