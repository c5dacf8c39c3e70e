/**
 * `npm run clients`: generates a client of the published contract with each generator, compiles it, and sends the same
 * requests with it to the running service, and to one on PostgreSQL where TEST_DATABASE_URL is set. Then it writes the
 * table in docs/clients.md; with `--check` it only tells when the table is out of date. `npm run clients -- typescript go/ogen`
 * tries some generators and writes nothing.
 *
 * A generator whose language is not installed is skipped, which is a failure with CI=true. Downloads stay in
 * node_modules/.cache/clients; generated clients are deleted at the end, unless something failed. Needs a POSIX shell.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Generator, generators, toolchains } from './lib/client-generators.ts';
import { commandLine } from './lib/command-line.ts';
import { newDatabase, newFile, type Service, withService } from './lib/running-service.ts';

const usage = `Usage: npm run clients [-- [--check] [NAME …]]
  Generates a client of the contract with each generator, compiles it, and sends the same requests with it to the service.
  Then it writes the table in docs/clients.md. Of a generator that is named, such as go/ogen, or all of a language, such as
  typescript, it prints the table.

  --check  writes nothing, and ends with 1 when the table is out of date`;

const root = join(import.meta.dirname, '..');
const sources = join(root, 'test/clients');
const cache = join(root, 'node_modules/.cache/clients');
const page = join(root, 'docs/clients.md');
const CI = process.env.CI === 'true';
/** After how many milliseconds a command is ended. A compiler that fills an empty cache on a slow machine needs minutes. */
const limit = 600_000;

/**
 * The lines that a round trip has to print, in this order: those that all print, unless a client can do a part only and its
 * folder has its own. Lines that begin with `+` name further abilities.
 */
function transcriptOf({ folder }: Generator): string[] {
  return readFileSync(join(sources, hasOwnTranscript(folder) ? folder : '', 'transcript.txt'), 'utf8')
    .trimEnd()
    .split('\n');
}

function hasOwnTranscript(folder: string): boolean {
  return existsSync(join(sources, folder, 'transcript.txt'));
}

const steps = ['generate', 'compile', 'run'] as const;

/** The steps that a generator passed. */
interface Result {
  generator: Generator;
  /** A generator with all steps is green. */
  done: string[];
  abilities: string[];
}

/** A command failed; the message is what it printed. */
class Failed extends Error {}

type Run = (command: string, folder: string, more?: Record<string, string>) => Promise<string>;

function runner(work: string): Run {
  const path = [
    dirname(process.execPath),
    join(cache, 'typescript/node_modules/.bin'),
    join(root, 'node_modules/.bin'),
    join(cache, 'python/venv/bin'),
    process.env.PATH,
  ].join(delimiter);
  const env = {
    ...process.env,
    PATH: path,
    TOOLS: cache,
    CARGO_TARGET_DIR: join(cache, 'rust/target'),
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    // These programs run for seconds, so optimising them takes longer than it saves. Java 17 has its own setting of the encoding.
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dfile.encoding=UTF-8',
  };
  return (command, folder, more) =>
    new Promise((resolve, reject) =>
      execFile(
        'sh',
        ['-c', command],
        { cwd: folder, env: { ...env, TMPDIR: work, ...more }, timeout: limit, maxBuffer: 2 ** 26 },
        (error, stdout, stderr) =>
          error
            ? reject(new Failed(`$ ${command}\n${(stdout + stderr).split('\n').slice(0, 60).join('\n')}`))
            : resolve(stdout),
      ),
    );
}

/** Returns a function that runs at most so many pieces of work at the same time. */
function limitConcurrency(free: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/** Runs work when its turn comes: one piece more than there are processors, because a download leaves its processor free. */
const turn = limitConcurrency(availableParallelism() + 1);

/** The programs that the toolchains need and that are not on the PATH, by toolchain. */
async function missing(names: string[], run: Run): Promise<Map<string, string>> {
  const found = await Promise.all(
    names.map(async (name): Promise<[string, string]> => {
      const absent = await Promise.all(
        toolchains[name]!.needs.map((tool) =>
          run(`command -v ${tool}`, root).then(
            () => [],
            () => [tool],
          ),
        ),
      );
      return [name, absent.flat().join(', ')];
    }),
  );
  return new Map(found.filter(([, absent]) => absent !== ''));
}

const usedBy = ({ folder, generate }: Generator): string[] =>
  Object.keys(toolchains).filter((name) => folder.startsWith(`${name}/`) || generate.includes(`$TOOLS/${name}/`));

/** Downloads the versions that a toolchain pins, unless they are there. */
async function fetchTools(name: string, run: Run): Promise<void> {
  const { pins, prepare } = toolchains[name]!;
  const folder = join(cache, name);
  const pinned = [prepare, ...pins.map((file) => readFileSync(join(sources, name, file), 'utf8'))].join('\n');
  const stamp = join(folder, 'prepared');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === pinned) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of pins) cpSync(join(sources, name, file), join(folder, file));
  await run(prepare, folder);
  writeFileSync(stamp, pinned);
}

/** Runs the steps of a generator until one fails. */
async function attempt(generator: Generator, work: string, run: Run, service: Service): Promise<Result> {
  const folder = join(work, generator.folder);
  const env = { DOCUMENT: join(work, generator.document) };
  const result: Result = { generator, done: [], abilities: [] };
  try {
    for (const step of ['generate', 'compile'] as const) {
      await run(generator[step], folder, env);
      result.done.push(step);
    }
    result.abilities = await roundTrip(generator, work, run, service);
    result.done.push('run');
  } catch (error) {
    console.error(`${generator.folder}: ${(error as Failed).message}`);
  }
  return result;
}

/** Sends the requests once more, to a service on another database at the same address: some clients know no other. */
async function repeat(result: Result, work: string, run: Run, service: Service): Promise<Result> {
  if (!isGreen(result)) return result;
  try {
    await roundTrip(result.generator, work, run, service);
    return result;
  } catch (error) {
    console.error(`${result.generator.folder}, on PostgreSQL: ${(error as Failed).message}`);
    return { ...result, done: result.done.slice(0, -1) };
  }
}

const isGreen = ({ done }: Result) => done.length === steps.length;

/** Sends the requests; returns the abilities that were named. It fails when something else is printed than the transcript. */
async function roundTrip(generator: Generator, work: string, run: Run, { url, tokens }: Service): Promise<string[]> {
  const env = { DOCUMENT: join(work, generator.document), API_URL: url, API_TOKEN: tokens.manager };
  const lines = (await run(generator.run, join(work, generator.folder), env)).trimEnd().split('\n');
  const transcript = transcriptOf(generator);
  const told = lines.filter((line) => !line.startsWith('+'));
  const wrong = transcript.findIndex((line, index) => told[index] !== line);
  if (wrong !== -1 || told.length > transcript.length)
    throw new Failed(
      `the round trip should print\n  ${transcript[wrong]}\nand prints\n  ${told.slice(wrong).join('\n  ')}`,
    );
  return lines.filter((line) => line.startsWith('+')).map((line) => line.slice(2));
}

/** Runs `work` and prints how long it took. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(7)} s  ${name}`);
  }
}

/** Runs the steps of all generators, as many at the same time as this machine can. */
async function attemptAll(chosen: Generator[], work: string, run: Run, service: Service): Promise<Result[]> {
  for (const name of ['openapi.json', 'openapi.yaml', 'openapi-3.0.json']) {
    writeFileSync(join(work, name), await (await fetch(`${service.url}/${name}`)).text());
  }
  const used = Object.keys(toolchains).filter((name) => chosen.some((generator) => usedBy(generator).includes(name)));
  const ready = new Map(
    used.map((name) => {
      const fetched = turn(() => timed(`${name} is there`, () => fetchTools(name, run)));
      fetched.catch(() => {}); // Each generator that needs it reports the error.
      return [name, fetched];
    }),
  );
  for (const name of used.filter((name) => generators.some(({ folder }) => folder.startsWith(`${name}/`)))) {
    cpSync(join(sources, name), join(work, name), { recursive: true });
    if (name === 'typescript') symlinkSync(join(cache, name, 'node_modules'), join(work, name, 'node_modules'));
  }
  return Promise.all(
    chosen.map(async (generator) => {
      try {
        await Promise.all(usedBy(generator).map((name) => ready.get(name)));
      } catch (error) {
        console.error(`${generator.folder}: ${(error as Failed).message}`);
        return { generator, done: [], abilities: [] };
      }
      return turn(() => timed(generator.folder, () => attempt(generator, work, run, service)));
    }),
  );
}

function version([file, before]: Generator['version'][number]): string {
  const pinned = readFileSync(join(sources, file), 'utf8');
  const from = pinned.indexOf(before);
  const [found] = /\d[\w.+-]*/.exec(pinned.slice(from + before.length)) ?? [];
  if (from === -1 || found === undefined) throw new Error(`There is no version after ${before} in ${file}.`);
  return found;
}

/** The table in docs/clients.md. */
function table(results: Result[]): string {
  const mark = (holds: boolean) => (holds ? 'yes' : 'no');
  const rows = results.map(
    ({ generator: { folder, title, version: versions, language, document, notes }, done, abilities }) => [
      title,
      versions.map(version).join(' + '),
      language,
      document,
      ...steps.map((step) =>
        step === 'run' && done.includes(step) && hasOwnTranscript(folder) ? 'in part' : mark(done.includes(step)),
      ),
      mark(abilities.includes('typed errors')),
      mark(abilities.includes('null')),
      notes ?? '',
    ],
  );
  const head = [
    'Generator',
    'Version',
    'Language',
    'Document',
    'Generates',
    'Compiles',
    'Round trip',
    'Types errors',
    'Sends null',
    'Notes',
  ];
  return [head, head.map(() => '---'), ...rows.toSorted(([a, , x], [b, , y]) => (`${x} ${a}` < `${y} ${b}` ? -1 : 1))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Writes the table into the page. With `check` it writes nothing, and throws when the table is out of date. */
function publish(text: string, check: boolean): void {
  const before = readFileSync(page, 'utf8');
  const after = before.replace(/(?<=<!-- clients -->\n)[^]*(?=<!-- \/clients -->)/, () => `${text}\n`);
  if (after === before) return;
  if (check) throw new Error('The table in docs/clients.md is out of date: run npm run clients.');
  writeFileSync(page, after);
  console.log('wrote docs/clients.md');
}

/** A free port. It is chosen before the service starts, because the service publishes its own address. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

/**
 * What came of these generators, with the service on a file and then, where TEST_DATABASE_URL is set, on PostgreSQL; and what
 * faults the service had.
 */
async function attemptOnEach(chosen: Generator[], work: string, run: Run) {
  const PORT = await freePort();
  const env = { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}` };
  const faults: string[] = [];
  let results: Result[] = [];
  const attemptOn = (
    makeDatabase: typeof newDatabase,
    what: string,
    attempts: (service: Service) => Promise<Result[]>,
  ) =>
    withService(
      async (service) => {
        results = await timed(what, () => attempts(service));
        faults.push(...service.faults);
      },
      env,
      makeDatabase,
    );
  await attemptOn(newFile, 'in all', (service) => attemptAll(chosen, work, run, service));
  if (process.env.TEST_DATABASE_URL)
    await attemptOn(newDatabase, 'once more, on PostgreSQL', (service) =>
      Promise.all(results.map((result) => turn(() => repeat(result, work, run, service)))),
    );
  return { results, faults };
}

function choose(names: string[]): Generator[] {
  const fits = (name: string, { folder }: Generator) => folder === name || folder.startsWith(`${name}/`);
  for (const name of names) {
    if (generators.some((generator) => fits(name, generator))) continue;
    throw new Error(`There is no generator ${name}; there are ${generators.map(({ folder }) => folder).join(', ')}.`);
  }
  return names.length === 0
    ? generators
    : generators.filter((generator) => names.some((name) => fits(name, generator)));
}

/** Whether all generators are green, and with CI=true none was skipped. */
async function main(): Promise<boolean> {
  const {
    values: { check },
    positionals,
  } = commandLine(usage, { allowPositionals: true, options: { check: { type: 'boolean', default: false } } });
  const wanted = choose(positionals);
  const work = mkdtempSync(join(tmpdir(), 'clients-'));
  const run = runner(work);
  mkdirSync(cache, { recursive: true });
  const absent = await missing([...new Set(wanted.flatMap(usedBy))], run);
  const chosen = wanted.filter((generator) => !usedBy(generator).some((name) => absent.has(name)));
  for (const [name, tools] of absent)
    console.error(
      `Skipped, because ${tools} is not there: ${wanted
        .filter((generator) => usedBy(generator).includes(name))
        .map(({ folder }) => folder)
        .join(', ')}`,
    );

  const { results, faults } = await attemptOnEach(chosen, work, run);
  for (const fault of faults) console.error(fault);
  const green = results.filter(isGreen);
  console.log(`${green.length} of ${results.length} generators are green`);
  if (chosen.length === generators.length) publish(table(results), check);
  else console.log(table(results));
  const well = green.length === results.length && faults.length === 0;
  if (well) rmSync(work, { recursive: true });
  else console.error(`What was made is in ${work}`);
  return well && (!CI || absent.size === 0);
}

try {
  if (!(await main())) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
