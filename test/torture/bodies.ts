/** Searches the worst body of at most 1 MiB for every operation that takes one. */
import { once } from 'node:events';
import { type Operation, operations } from './operations.ts';
import { type Figures, judge, type Part, randomNumbers, type Scale } from './part.ts';
import type { Measured, Order } from './probe.ts';
import { hottest } from './profile.ts';
import { newDatabase, type Service, startService } from './service.ts';
import { largestBody, type Values } from './shapes.ts';

/** What no body may take: milliseconds. */
const limits = { held: 50, work: 1000 };
/** The short form runs in CI, on machines of any speed: ours vary by a factor of two. It tells what is far beyond the limits. */
const tolerance = { full: 1, short: 2 };

/** What one request did, with the status and the size of its response. */
type Found = Measured & { shape: string; values: Values; status: number; size: number };

async function order<T>({ child }: Service, what: Order): Promise<T> {
  child.send(what);
  return (await once(child, 'message'))[0] as T;
}

/** Sends a body of this shape; undefined when it would be too large. */
async function measure(
  service: Service,
  operation: Operation,
  shape: string,
  values: Values,
): Promise<Found | undefined> {
  const { method, path, target } = await operation.prepare(service);
  const body = operation.shapes[shape]!.text(values, target);
  if (Buffer.byteLength(body) > largestBody) return undefined;
  await order(service, 'begin');
  const { status, headers, text } = await service.send(method, path, body);
  const measured = await order<Measured>(service, 'end');
  await operation.after(service, path, headers.location as string | undefined);
  if (status >= 500 || status === 413)
    throw new Error(`${shape} ${JSON.stringify(values)}: ${status} ${text.slice(0, 300)}`);
  return { ...measured, shape, values, status, size: text.length };
}

/** How near to the limits, where 1 is at one of them; by processor time, because other processes disturb the other. */
const cost = ({ heldCpu, work }: Measured) => Math.max(heldCpu / limits.held, work / limits.work);

/** Tries every shape with several values, then changes the values of the worst ones as long as that makes them worse. */
async function search(
  service: Service,
  operation: Operation,
  scale: Scale,
): Promise<{ found: Found[]; count: number }> {
  const [samples, steps] = scale === 'short' ? [2, 8] : [4, 80];
  const below = randomNumbers(4);
  const worst = new Map<string, Found>();
  let count = 0;
  const attempt = async (shape: string, values: Values) => {
    const found = await measure(service, operation, shape, values);
    count += 1;
    const known = worst.get(shape);
    if (found !== undefined && (known === undefined || cost(found) > cost(known))) worst.set(shape, found);
  };
  /** Small numbers are as likely as large ones. */
  const any = (most: number) => Math.round(most ** (below(1001) / 1000));
  for (const [shape, { bounds }] of Object.entries(operation.shapes)) {
    for (let sample = 0; sample < samples; sample += 1) {
      const values = Object.entries(bounds).map(([name, most]) => {
        const large = name === 'bytes' && sample % 2 === 0;
        return [name, large ? most : name === 'bytes' ? 65_000 : name === 'kind' ? 1 + below(most) : any(most)];
      });
      await attempt(shape, Object.fromEntries(values));
    }
  }
  for (let step = 0; step < steps; step += 1) {
    const ranked = [...worst.values()].sort((one, other) => cost(other) - cost(one));
    const { shape, values } = ranked[below(Math.min(ranked.length, 4))]!;
    const bounds = Object.entries(operation.shapes[shape]!.bounds);
    const [name, most] = bounds[below(bounds.length)]!;
    const changed =
      name === 'kind' ? 1 + below(most) : Math.round(values[name]! * [0.1, 0.5, 0.8, 1.25, 2, 10][below(6)]!);
    await attempt(shape, { ...values, [name]: Math.max(1, Math.min(most, changed)) });
  }
  return { found: [...worst.values()], count };
}

/** The least of several repetitions: what is more is due to other processes. */
async function confirm(service: Service, operation: Operation, { shape, values }: Found): Promise<Found> {
  let least: Found | undefined;
  for (let count = 0; count < 4; count += 1) {
    const found = (await measure(service, operation, shape, values))!;
    least = {
      ...found,
      held: Math.min(found.held, least?.held ?? found.held),
      heldCpu: Math.min(found.heldCpu, least?.heldCpu ?? found.heldCpu),
      work: Math.min(found.work, least?.work ?? found.work),
      memory: Math.max(found.memory, least?.memory ?? 0),
    };
  }
  return least!;
}

/** On a process that has little memory yet, so that all that a body takes is growth. */
async function onNewProcess(operation: Operation, { shape, values }: Found): Promise<Found> {
  const service = await startService(newDatabase(), { probe: true });
  const found = (await measure(service, operation, shape, values))!;
  await service.end();
  return found;
}

const describe = ({ shape, values, held, heldCpu, work, memory, status, size }: Found) =>
  `${shape} ${JSON.stringify(values).replaceAll('"', '')}: ${status}, loop held for ${heldCpu.toFixed(0)} ms ` +
  `(${held.toFixed(0)} with waiting), work ${work.toFixed(0)} ms, +${memory.toFixed(0)} MB, response ${Math.ceil(size / 1024)} KB`;

export const bodies: Part = async (scale) => {
  const figures: Figures = {};
  const broken: string[] = [];
  for (const [name, operation] of Object.entries(operations)) {
    const service = await startService(newDatabase(), { probe: true });
    const { found: all, count } = await search(service, operation, scale);
    const worst = all.sort((one, other) => cost(other) - cost(one));
    const most = worst.toSorted((one, other) => other.memory - one.memory)[0]!;
    const confirmed: Found[] = [];
    for (const found of worst.filter((one, at) => at === 0 || cost(one) > 0.8).slice(0, scale === 'short' ? 3 : 12))
      confirmed.push(await confirm(service, operation, found));
    confirmed.sort((one, other) => cost(other) - cost(one));
    figures[`${name}: the worst of ${count}`] = describe(confirmed[0]!);
    figures[`${name}: most memory`] = describe(await onNewProcess(operation, most));
    for (const found of confirmed.filter((one) => cost(one) > tolerance[scale])) {
      figures[`${name}, over a limit: ${found.shape}`] = describe(found);
      broken.push(`${name} with ${found.shape}`);
      if (scale === 'short') continue;
      await order(service, 'profile');
      const { profile } = (await measure(service, operation, found.shape, found.values))!;
      console.error(`${name} with ${found.shape}: ${hottest(profile!)}`);
    }
    await service.end();
  }
  return judge(
    figures,
    broken.length > 0 && `over ${limits.held} ms in one turn, or ${limits.work} in all: ${broken.join(', ')}`,
  );
};
