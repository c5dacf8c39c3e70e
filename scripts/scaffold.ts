/** `npm run scaffold`: appends a line for each operation without a handler to the handlers.ts of its area; it returns 501. */
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readContract } from '../src/contract/document.ts';
import type { Operation } from '../src/contract/operation.ts';
import { refusalLines } from '../src/contract/servable.ts';
import { commandLine } from './lib/command-line.ts';

/** What the engine and the server return on their own, whatever the handler does. */
const byTheServer = [
  ...['304', '400', '401', '405', '406', '408', '413', '414', '415', '431'],
  ...['500', '501', '503', '507'],
];

commandLine(
  `Usage: npm run scaffold
  Appends a line for each operation without a handler to the handlers.ts of its area, with which it responds 501, and
  prints what to write in its place. Run npm run contract before.`,
  {},
);
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { operations, refusals } = readContract(JSON.parse(readFileSync('src/generated/openapi.json', 'utf8')));
for (const line of refusalLines(refusals)) console.error(line);

/** The file that has each operation's handler. */
const files = new Map<string, string>();
for (const path of globSync('src/*/handlers.ts').toSorted()) {
  const file = path.replaceAll('\\', '/');
  for (const name of Object.keys(await import(pathToFileURL(file).href))) files.set(name, file);
}

const missing = operations.filter(({ operationId }) => !files.has(operationId));
for (const operation of missing) {
  const file = fileOf(operation);
  if (!existsSync(file)) addArea(file, operation);
  const line = readFileSync(file, 'utf8').split('\n').length + 2;
  appendFileSync(file, skeleton(operation));
  console.log(`${file}:${line}: ${advice(operation)}\n`);
}
console.log(
  missing.length === 0
    ? 'Every operation has a handler. One that is new in openapi/ is seen after npm run contract.'
    : 'npm run types says what fits. npm test covers each operation already; add a test for what it is for.',
);

/** Where an operation belongs: to the first one with its first tag, or to a new area with the name of the tag. */
function fileOf({ tags: [tag = 'api'] = [] }: Operation): string {
  const relative = operations.find(({ operationId, tags }) => files.has(operationId) && tags?.[0] === tag);
  if (relative) return files.get(relative.operationId)!;
  return `src/${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}/handlers.ts`;
}

function addArea(file: string, { tags: [tag = ''] = [] }: Operation): void {
  mkdirSync(dirname(file));
  writeFileSync(file, `/** What the ${tag} operations do. One export per operation, named by its operationId. */\n`);
  const area = basename(dirname(file));
  // With an ending, because the name of a tag may be a reserved word, such as Export.
  const name = `${area.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Handlers`;
  console.log(`${file} is new. Add it to the table in src/handlers.ts:
  import * as ${name} from './${area}/handlers.ts';
  …, ...${name} } satisfies Handlers;
Its handlers begin with this import:
  import { type Handler, refuse } from '../api/handler.ts';
`);
}

/** A line that compiles in any file, without an import. */
function skeleton({ operationId, summary = operationId, method, path }: Operation): string {
  return `
/** ${summary.replaceAll('*/', '* /')}: ${method.toUpperCase()} ${path} */
export { notImplemented as ${operationId} } from '../api/handler.ts';
`;
}

/** The line to write instead: what the handler gets, and the statuses it may return. */
function advice({ operationId, parameters = [], requestBody, responses = {} }: Operation): string {
  const places = (parameters as { in: string }[]).map((parameter) => parameter.in.replace('header', 'headers'));
  const request = [...new Set(places), ...(requestBody ? ['body'] : [])].join(', ');
  const statuses = Object.keys(responses).filter((status) => !byTheServer.includes(status));
  return `${operationId} returns 501. Write in its place, returning ${statuses.join(', ')}:
  export const ${operationId}: Handler<'${operationId}'> = async (${request ? `{ ${request} }` : '_'}, { db, caller, url }) => …`;
}
