/** The parts of the torture: what each does to the service, in the order in which they run. */
import { bodies } from './bodies.ts';
import { cuts } from './cuts.ts';
import { kills } from './kills.ts';
import { memory } from './memory.ts';
import { BrokenPromise, type Figures, type Part } from './part.ts';
import { readers } from './readers.ts';
import { requests } from './requests.ts';

/** A new part gets a line here. */
export const parts: Record<string, { title: string; run: Part }> = {
  kills: { title: 'SIGKILL while surveys are written', run: kills },
  cuts: { title: 'The log of the database cut off or damaged, as by a power cut', run: cuts },
  requests: { title: 'Bytes that are no requests', run: requests },
  bodies: { title: 'The worst bodies of at most 1 MiB', run: bodies },
  memory: { title: 'Reads that try to swell the memory', run: memory },
  readers: { title: 'Slow readers of large lists', run: readers },
};

export interface Result {
  title: string;
  figures: Figures;
  seconds: number;
  /** Which promise was broken. */
  broken?: string;
}

/** Runs one part. Any error is a broken promise: whatever happened, the service did not do what it shall. */
export async function runPart(name: string, short: boolean): Promise<Result> {
  const { title, run } = parts[name]!;
  const begin = performance.now();
  const seconds = () => Math.round((performance.now() - begin) / 1000);
  try {
    return { title, figures: await run(short ? 'short' : 'full'), seconds: seconds() };
  } catch (error) {
    const known = error instanceof BrokenPromise;
    const broken = known ? error.message : ((error as Error).stack ?? String(error));
    return { title, figures: known ? error.figures : {}, seconds: seconds(), broken };
  }
}

/** All results as one Markdown table. */
export function report(results: Result[]): string {
  const rows = results.flatMap(({ title, figures, seconds, broken }) => [
    [`**${title}** (${seconds} s)`, broken === undefined ? 'kept' : `**BROKEN**: ${broken.split('\n')[0]}`],
    ...Object.entries(figures),
  ]);
  const lines = rows.map(([name, value]) => `| ${name} | ${String(value).replaceAll('|', '\\|')} |`);
  return ['| Torture | Figure |', '|---|---|', ...lines].join('\n');
}
