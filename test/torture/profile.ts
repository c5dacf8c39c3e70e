/** In which functions the time of a profile went. */
import type { Profiler } from 'node:inspector';

/** The functions in which most time went, themselves and with what they call; with their part of all that was not idle. */
export function hottest({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const nameOf = (id: number) => {
    const { functionName, url, lineNumber } = byId.get(id)!.callFrame;
    const place = url.split(/node_modules\/|\/(?=src\/)/).at(-1)!;
    return `${functionName || (place === '' ? 'native code' : 'anonymous')}${place === '' ? '' : ` ${place}:${lineNumber + 1}`}`;
  };
  const itself = new Map<string, number>();
  const whole = new Map<string, number>();
  const add = (sums: Map<string, number>, name: string, time: number) => sums.set(name, (sums.get(name) ?? 0) + time);
  let total = 0;
  for (const [at, id] of samples.entries()) {
    const time = timeDeltas[at]!;
    const stack = new Set<string>();
    for (let frame: number | undefined = id; frame !== undefined; frame = parents.get(frame)) stack.add(nameOf(frame));
    // The profiler itself takes much time.
    if (/^\((idle|program|root)\)/.test(nameOf(id)) || [...stack].some((name) => name.includes('node:inspector')))
      continue;
    total += time;
    add(itself, nameOf(id), time);
    for (const name of stack) if (name.includes('src/')) add(whole, name, time);
  }
  const top = (sums: Map<string, number>, count: number) =>
    [...sums]
      .sort(([, one], [, other]) => other - one)
      .slice(0, count)
      .map(([name, time]) => `${name} ${Math.round((time / total) * 100)} %`)
      .join(', ');
  return `of ${Math.round(total / 1000)} ms itself: ${top(itself, 6)}; with callees: ${top(whole, 9)}`;
}
