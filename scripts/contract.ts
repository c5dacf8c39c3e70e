/** `npm run contract`: lints openapi/ and rewrites what is generated from it; `--check` only tells what is stale. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { downgrade, NoCounterpart } from './lib/downgrade.ts';
import { redocly } from './lib/redocly.ts';

const contract = 'openapi/openapi.yaml';
const output = 'src/generated';
const notice = 'Generated from openapi/ by `npm run contract`. Do not edit.';

/** A generated file: its name below src/generated and its text. */
type Generated = Record<string, string>;

/** What the author has to change; shown without a stack. */
class Refused extends Error {}

interface Problem {
  ruleId: string;
  severity: string;
  message: string;
  location: { source: { ref: string }; start: { line: number; col: number } }[];
}

/** Nothing when the contract is sound; otherwise throws the problems, one per line as file:line:column. */
async function lint(): Promise<void> {
  const { code, stdout, stderr } = await redocly(
    'lint',
    contract,
    '--format=json',
    '--lint-config=error',
    '--max-problems=1000',
  );
  const text = stdout.startsWith('{') ? report(JSON.parse(stdout).problems) : stderr;
  if (code) throw new Refused(text || stderr);
  if (text) console.log(text);
}

function report(problems: Problem[]): string {
  return problems
    .map(
      ({ ruleId, severity, message, location: [at] }) =>
        `${at?.source.ref}:${at?.start.line}:${at?.start.col}: ${severity}: ${message} (${ruleId})`,
    )
    .join('\n')
    .replaceAll(`${process.cwd()}/`, '');
}

async function bundle(extension: 'json' | 'yaml'): Promise<string> {
  const { code, stdout, stderr } = await redocly('bundle', contract, `--ext=${extension}`);
  if (code) throw new Refused(stderr);
  return stdout;
}

/** The TypeScript declarations of a bundled contract, as the server meets it: see the two touches inside. */
async function types(bundled: string): Promise<string> {
  const { components } = JSON.parse(bundled);
  const touched = JSON.parse(bundled, (_key, value) => {
    // The validator fills in defaults, so a handler always finds these parameters.
    if (value?.in && value.schema?.default !== undefined) return { ...value, required: true };
    // openapi-typescript 7.13 types every header given by $ref as always present, whatever `required` says.
    const header = /^#\/components\/headers\/(.+)$/.exec(value?.$ref)?.[1];
    return header ? components.headers[header] : value;
  });
  return `/** ${notice} */\n\n${astToString(await openapiTS(touched, { defaultNonNullable: false, silent: true }))}`;
}

/** Everything there is to generate. Nothing of it is kept when the contract has problems. */
async function generate(): Promise<Generated> {
  await step('lint', lint);
  const [json, yaml] = await step('bundle', () => Promise.all([bundle('json'), bundle('yaml')]));
  return {
    'openapi.json': `${json.trimEnd()}\n`,
    'openapi.yaml': `# ${notice}\n${yaml}`,
    'openapi-3.0.json': `${JSON.stringify(downgrade(JSON.parse(json)), null, 2)}\n`,
    'openapi.d.ts': await step('types', () => types(json)),
  };
}

const times: string[] = [];

async function step<T>(name: string, work: () => Promise<T> | T): Promise<T> {
  const start = performance.now();
  const line = times.push(name) - 1;
  const result = await work();
  times[line] = `${name.padEnd(8)}${((performance.now() - start) / 1000).toFixed(2)} s`;
  return result;
}

/** The names of the generated files whose committed text is another. */
function stale(generated: Generated): string[] {
  return Object.keys(generated).filter((file) => {
    const path = `${output}/${file}`;
    return !existsSync(path) || readFileSync(path, 'utf8') !== generated[file];
  });
}

/** Replaces a file in one move, so that no reader ever meets half of it. */
function replace(file: string, text: string): void {
  mkdirSync(output, { recursive: true });
  writeFileSync(`${output}/${file}.new`, text);
  renameSync(`${output}/${file}.new`, `${output}/${file}`);
}

/** Generates, or tells what is stale; the exit code is set when there is something to change. */
async function run(): Promise<void> {
  times.length = 0;
  try {
    const generated = await generate();
    const files = stale(generated);
    if (process.argv.includes('--check')) {
      if (files.length)
        throw new Refused(files.map((file) => `${output}/${file} is stale: run npm run contract`).join('\n'));
    } else {
      for (const file of files) replace(file, generated[file]!);
    }
    console.log(times.join('\n'));
    console.log(files.length ? `wrote ${files.join(', ')}` : 'everything is up to date');
  } catch (error) {
    if (!(error instanceof Refused || error instanceof NoCounterpart)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
if (process.send) {
  // `npm run dev` keeps this process and asks again at each save: once everything is loaded, it is several times faster.
  process.on('message', async () => {
    await run();
    process.send!('done');
  });
} else {
  await run();
}
