/**
 * `npm run torture`: attacks the running service, and prints what it withstood. It takes about ten minutes; with
 * `-- --short` about three. `-- NAME …` runs some of the parts only.
 */
import { commandLine } from '../../scripts/lib/command-line.ts';
import { bodies } from './bodies.ts';
import { cuts } from './cuts.ts';
import { edits } from './edits.ts';
import { processParts, stopsPart } from './ends.ts';
import { kills } from './kills.ts';
import { memory } from './memory.ts';
import { BrokenPromise, type Figures, type Part } from './part.ts';
import { readers } from './readers.ts';
import { requests } from './requests.ts';

/** What is done to the service, in this order. A new part gets a line here. */
const parts: Record<string, { title: string; run: Part }> = {
  edits: { title: 'Many who read, change and write back one survey', run: edits },
  kills: { title: 'SIGKILL while surveys are written', run: kills },
  cuts: { title: 'The log of the database cut off or damaged, as by a power cut', run: cuts },
  requests: { title: 'Bytes that are no requests', run: requests },
  bodies: { title: 'The worst bodies of at most 1 MiB', run: bodies },
  memory: { title: 'Reads that try to swell the memory', run: memory },
  readers: { title: 'Slow readers of large lists', run: readers },
  stops: { title: 'SIGTERM while clients open new connections all the time', run: stopsPart },
  ...processParts,
};

/** These wait for most of their time. The short form leaves them out; the tests of processes have one of each. */
const onlyFull = ['primaries', 'busy', 'suspended'];

interface Result {
  title: string;
  figures: Figures;
  seconds: number;
  /** Which promise was broken. */
  broken?: string;
}

/** Runs one part. Any error is a broken promise: whatever happened, the service did not do what it shall. */
async function runPart(name: string, short: boolean): Promise<Result> {
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
function report(results: Result[]): string {
  const rows = results.flatMap(({ title, figures, seconds, broken }) => [
    [`**${title}** (${seconds} s)`, broken === undefined ? 'kept' : `**BROKEN**: ${broken.split('\n')[0]}`],
    ...Object.entries(figures),
  ]);
  const lines = rows.map(([name, value]) => `| ${name} | ${String(value).replaceAll('|', '\\|')} |`);
  return ['| Torture | Figure |', '|---|---|', ...lines].join('\n');
}

const usage = `Usage: npm run torture [-- [--short] [NAME …]]
  Attacks the service, and prints what it withstood. It takes about ten minutes.

  --short  takes about three minutes, and leaves out what mostly waits
  NAME     runs only this part: ${Object.keys(parts).join(', ')}`;

const { positionals, values } = commandLine(usage, {
  options: { short: { type: 'boolean' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}
const results: Result[] = [];
const usual = Object.keys(parts).filter((name) => values.short !== true || !onlyFull.includes(name));
for (const name of positionals.length > 0 ? positionals : usual) {
  const result = await runPart(name, values.short === true);
  console.error(`${name}: ${result.seconds} s${result.broken === undefined ? '' : `, broken: ${result.broken}`}`);
  results.push(result);
}
console.log(`\n${report(results)}`);
// A server that does not end would keep this process.
process.exit(results.some(({ broken }) => broken !== undefined) ? 1 : 0);
