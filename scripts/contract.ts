/** `npm run contract`: lints openapi/ and rewrites what is generated from it; `--check` only tells what is stale. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeSamples } from './lib/code-samples.ts';
import { commandLine } from './lib/command-line.ts';
import { downgrade, NoCounterpart } from './lib/downgrade.ts';
import { makeRedocScript, RedocChanged } from './lib/redoc.ts';
import { BrokenContract, bundle, contract, redocly } from './lib/redocly.ts';
import { swaggerUi } from './lib/swagger-ui.ts';

const usage = `Usage: npm run contract [-- --check]
  Lints openapi/ and writes what is generated from it to src/generated/.

  --check  writes nothing, and ends with 1 when something generated is stale`;

const output = 'src/generated';
const notice = 'Generated from openapi/ by `npm run contract`. Do not edit.';

/** A generated file: its name below src/generated and its text. */
type Generated = Record<string, string>;

/** The author has to change something. It is shown without a stack. */
class Refused extends Error {}

interface Problem {
  ruleId: string;
  severity: string;
  message: string;
  location: { source: { ref: string }; start: { line: number; col: number } }[];
}

/**
 * Lints the contract and prints its warnings.
 *
 * @throws Refused with the problems, one per line as file:line:column.
 */
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
  // Editors make links of paths from the folder they have open, with slashes also on Windows.
  const place = (file: string) => relative('.', file).replaceAll('\\', '/');
  return problems
    .map(
      ({ ruleId, severity, message, location: [at] }) =>
        `${at && place(at.source.ref)}:${at?.start.line}:${at?.start.col}: ${severity}: ${message} (${ruleId})`,
    )
    .join('\n');
}

/** The TypeScript declarations of a bundled contract, with changes that make them say what the server does. */
async function types(bundled: string): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const { components } = JSON.parse(bundled);
  const changed = JSON.parse(bundled, (_key, value) => {
    // The validator fills in defaults, so a handler always finds these parameters.
    if (value?.in && value.schema?.default !== undefined) return { ...value, required: true };
    // The engine asks for no readOnly members in requests, and has no writeOnly ones in responses.
    const { properties, required } = value ?? {};
    if (Array.isArray(required) && properties) {
      const isOneWay = (name: string) => {
        const { $ref = '', ...own } = properties[name] ?? {};
        const { readOnly, writeOnly } = { ...components.schemas?.[$ref.split('/').at(-1)], ...own };
        return readOnly === true || writeOnly === true;
      };
      return { ...value, required: required.filter((name) => !isOneWay(name)) };
    }
    // openapi-typescript 7.13 types every header given by $ref as always present, whatever `required` says.
    const header = /^#\/components\/headers\/(.+)$/.exec(value?.$ref)?.[1];
    return header ? components.headers[header] : value;
  });
  const declarations = astToString(await openapiTS(changed, { defaultNonNullable: false, silent: true }));
  return `/** ${notice} */\n\n${declarations}${securitySchemeTypes(components.securitySchemes)}`;
}

/** The kind of each security scheme, which openapi-typescript leaves out: the application has an authenticator for each. */
function securitySchemeTypes(schemes: Record<string, { type: string; scheme?: string }> = {}): string {
  const members = Object.entries(schemes).map(([name, { type, scheme }]) => {
    const kind = scheme === undefined ? '' : ` scheme: ${JSON.stringify(scheme.toLowerCase())};`;
    return `    ${JSON.stringify(name)}: { type: ${JSON.stringify(type)};${kind} };\n`;
  });
  return `export interface securitySchemes {\n${members.join('')}}\n`;
}

/**
 * Everything there is to generate.
 *
 * @throws Refused when the contract has problems.
 */
async function generate(): Promise<Generated> {
  // Everything at the same time: most of each process goes to loading, like most of what this one does.
  const bundles = Promise.all([bundle('json'), bundle('yaml'), import('openapi-typescript')]);
  bundles.catch(() => {}); // The linter reports the same problems, with their places.
  await lint();
  const [json, yaml] = await bundles;
  return {
    'openapi.json': json,
    'openapi.yaml': `# ${notice}\n${yaml}`,
    'openapi-3.0.json': `${JSON.stringify(downgrade(JSON.parse(json)), null, 2)}\n`,
    'openapi.d.ts': await types(json),
    'code-samples.json': `${JSON.stringify(codeSamples(JSON.parse(json)), null, 2)}\n`,
    'redoc.js': makeRedocScript(),
    ...swaggerUi(),
  };
}

/** The names of the generated files whose text differs from the one on disk. */
function findStale(generated: Generated): string[] {
  return Object.keys(generated).filter((file) => {
    const path = `${output}/${file}`;
    return !existsSync(path) || readFileSync(path, 'utf8') !== generated[file];
  });
}

/** Replaces a file in one move, so that no reader finds half of it. */
function replace(file: string, text: string): void {
  mkdirSync(output, { recursive: true });
  writeFileSync(`${output}/${file}.new`, text);
  renameSync(`${output}/${file}.new`, `${output}/${file}`);
}

const { values } = commandLine(usage, { options: { check: { type: 'boolean' } } });
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
try {
  const generated = await generate();
  const stale = findStale(generated);
  if (values.check) {
    if (stale.length > 0)
      throw new Refused(stale.map((file) => `${output}/${file} is stale: run npm run contract`).join('\n'));
  } else {
    for (const file of stale) replace(file, generated[file]!);
  }
  console.log(stale.length > 0 ? `wrote ${stale.join(', ')}` : 'everything is up to date');
} catch (error) {
  if (![Refused, BrokenContract, NoCounterpart, RedocChanged].some((kind) => error instanceof kind)) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
