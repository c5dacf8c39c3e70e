/** `npm run bench`: measures the service against its peers and its goals, and prints what came of it as Markdown. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandLine } from '../../scripts/lib/command-line.ts';
import { circumstances } from './report.ts';
import { pinLoad, root, serviceEnv, workFolder } from './server.ts';

/** What every benchmark gets. */
export interface Bench {
  /** An empty folder that is gone when all is over. */
  work: string;
  quick: boolean;
  /** Folders of the service: the one that is measured, and others to see beside it. */
  services: string[];
  /** The peers and the operations that were asked for; all when none were. */
  only?: string[];
  operations?: string[];
  /** How long `soak` lasts. */
  seconds: number;
}

const benchmarks = [
  'compare',
  'versions',
  'growth',
  'size',
  'stream',
  'body',
  'start',
  'soak',
  'processes',
  'profile',
  'postgres',
];

const usage = `Usage: npm run bench [-- [what …] [flags]]

what: ${benchmarks.join(', ')}, or all of them but versions; compare when nothing is said
  --quick              a short run with less certain figures
  --only NAME,…        of the peers just these
  --operations NAME,…  of the operations just these
  --service FOLDER     measure the service in this folder; given again, the one in that folder beside it
  --seconds N          how long soak lasts (60)
  --no-cache           the service keeps no responses in memory, and has goals of its own`;

const { values, positionals } = commandLine(usage, {
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    operations: { type: 'string' },
    service: { type: 'string', multiple: true, default: [root] },
    seconds: { type: 'string', default: '60' },
    'no-cache': { type: 'boolean', default: false },
  },
});

const chosen =
  positionals.length === 0
    ? ['compare']
    : positionals.includes('all')
      ? benchmarks.filter((name) => name !== 'versions')
      : positionals;
const unknown = chosen.find((name) => !benchmarks.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}; there are ${benchmarks.join(', ')}.`);
  process.exit(1);
}

if (!existsSync(join(import.meta.dirname, 'node_modules'))) {
  execFileSync('npm', ['ci'], { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] });
}
if (values['no-cache']) serviceEnv.CACHE_SIZE = '0';
pinLoad();
console.log(circumstances());
for (const name of chosen) {
  const { run } = (await import(`./${name}.ts`)) as { run: (bench: Bench) => Promise<string> };
  const work = workFolder();
  console.log(
    `## ${name}\n\n${await run({
      work,
      quick: values.quick,
      services: values.service.map((folder) => resolve(folder)),
      seconds: Number(values.seconds),
      ...(values.only !== undefined && { only: values.only.split(',') }),
      ...(values.operations !== undefined && { operations: values.operations.split(',') }),
    })}`,
  );
  rmSync(work, { recursive: true });
}
process.exit();
