/** `npm run scaffold`: gives each operation of the contract that has no handler one that answers 501, in the file where it belongs. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Operation as AnyOperation, type Document, OpenAPIBackend } from 'openapi-backend';
import ts from 'typescript';

const registry = 'src/handlers.ts';

type Operation = AnyOperation & { operationId: string };

/** A folder of handlers: its file, and the operations it performs. */
interface Area {
  file: string;
  operations: Operation[];
}

/** Text and where it goes. */
type Insertion = [at: number, text: string];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const document = JSON.parse(readFileSync('src/generated/openapi.json', 'utf8')) as Document;
const backend = await new OpenAPIBackend({ definition: document, quick: true, validate: false }).init();
const operations = backend.router.getOperations() as Operation[];
const { handlers } = await load(registry);
const missing = operations.filter(({ operationId }) => !(operationId in handlers!));

if (missing.length === 0) {
  console.log('Every operation has a handler. One that is new in openapi/ is seen after npm run contract.');
} else {
  const areas = await findAreas();
  for (const [area, added] of Map.groupBy(missing, (operation) => areaOf(operation, areas))) {
    addHandlers(area, added);
    for (const operation of added) console.log(advice(operation, area.file));
  }
  console.log(
    'They answer 501 until a function stands there in place of notImplemented. npm run types says what fits,\n' +
      'npm test covers it already; add a test for what it is for.',
  );
}

function load(file: string): Promise<Record<string, object>> {
  return import(new URL(`../${file}`, import.meta.url).href);
}

/** The areas that src/handlers.ts imports. */
async function findAreas(): Promise<Area[]> {
  return Promise.all(
    importedAreas(readFileSync(registry, 'utf8')).map(async ({ path }) => {
      const exported = await load(`src/${path}`);
      return { file: `src/${path}`, operations: operations.filter(({ operationId }) => operationId in exported) };
    }),
  );
}

function importedAreas(text: string): { path: string; index: number }[] {
  return [...text.matchAll(/^import \* as \w+ from '\.\/(.+)';$/gm)].map(({ 1: path, index }) => ({
    path: path!,
    index,
  }));
}

/** Where an operation belongs: to those with its first tag, to those with the most similar path when areas share the tag. */
function areaOf({ tags: [tag] = [], path }: Operation, areas: Area[]): Area {
  const relatives = areas
    .flatMap((area) => area.operations.map((operation) => ({ area, operation })))
    .filter(({ operation }) => tag === undefined || operation.tags?.[0] === tag)
    .toSorted((a, b) => commonSteps(path, b.operation.path) - commonSteps(path, a.operation.path));
  if (relatives[0]) return relatives[0].area;
  const folder = (tag ?? path.split('/')[1]!).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return areas.find(({ file }) => file === `src/${folder}/handlers.ts`) ?? addArea(folder, areas);
}

function commonSteps(one: string, other: string): number {
  const steps = other.split('/');
  return one.split('/').filter((step, index) => step === steps[index]).length;
}

/** A new area, made known to src/handlers.ts. */
function addArea(folder: string, areas: Area[]): Area {
  const path = `${folder}/handlers.ts`;
  const camel = folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  // A tag may be called Import, Export or Handlers.
  const isTaken = camel === 'handlers' || ts.identifierToKeywordKind(ts.factory.createIdentifier(camel)) !== undefined;
  const name = isTaken ? `${camel}Area` : camel;

  const text = readFileSync(registry, 'utf8');
  const next = importedAreas(text).find((other) => other.path > path);
  const end = /(?<=^export const handlers = \{[^}]*?),?\s*\} satisfies/m.exec(text);
  if (!end) throw new Error(`${registry} has no "export const handlers = { … } satisfies Handlers" to add ${path} to.`);
  insert(
    registry,
    text,
    [next?.index ?? text.indexOf('\nexport const handlers'), `import * as ${name} from './${path}';\n`],
    [end.index, `, ...${name}`],
  );
  const area = { file: `src/${path}`, operations: [] };
  areas.push(area);
  return area;
}

/** Writes handlers behind those that are in the file of an area. What is there stays as it is. */
function addHandlers({ file, operations: present }: Area, added: Operation[]): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : firstLines(added[0]!);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const ids = new Set(present.map(({ operationId }) => operationId));
  const performs = (statement: ts.Statement) =>
    ts.isVariableStatement(statement) &&
    statement.declarationList.declarations.some(({ name }) => ts.isIdentifier(name) && ids.has(name.text));
  const last = source.statements.findLast(performs) ?? source.statements.at(-1);
  insert(file, text, ...missingImport(source), [last?.end ?? text.length, added.map(skeleton).join('')]);
}

function firstLines({ tags: [tag = ''] = [] }: Operation): string {
  return `/** What the ${`${tag} `.trimStart()}operations do. One export per operation, named by its operationId. */
import { notImplemented, type Handler } from '../api/handler.ts';
`;
}

function skeleton({ operationId, summary = operationId, method, path }: Operation): string {
  return `

/** ${summary.replaceAll('*/', '* /')}: ${method.toUpperCase()} ${path} */
export const ${operationId}: Handler<'${operationId}'> = notImplemented;`;
}

/** The names that a skeleton needs and the file does not import yet. */
function missingImport(source: ts.SourceFile): Insertion[] {
  const lists = source.statements
    .filter(ts.isImportDeclaration)
    .filter(
      ({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === '../api/handler.ts',
    )
    .map(({ importClause }) => importClause)
    .flatMap((clause) =>
      clause?.namedBindings && ts.isNamedImports(clause.namedBindings)
        ? [{ clause, names: clause.namedBindings.elements }]
        : [],
    );
  const imported = new Set(lists.flatMap(({ names }) => names.map(({ name }) => name.text)));
  const wanted = [
    ...(imported.has('notImplemented') ? [] : ['notImplemented']),
    ...(imported.has('Handler') ? [] : ['type Handler']),
  ].join(', ');
  const place = lists.find(({ clause, names }) => !clause.isTypeOnly && names.length > 0)?.names[0];
  if (wanted === '') return [];
  if (place) return [[place.getStart(source), `${wanted}, `]];
  return [[source.statements[0]?.getStart(source) ?? 0, `import { ${wanted} } from '../api/handler.ts';\n`]];
}

function insert(file: string, text: string, ...insertions: Insertion[]): void {
  const lastFirst = insertions.toSorted(([a], [b]) => b - a);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    lastFirst.reduce((result, [at, added]) => result.slice(0, at) + added + result.slice(at), text),
  );
}

/** Where the handler is, what it gets and what it may answer, beside what the engine answers for it. */
function advice({ operationId, parameters = [], requestBody, responses }: Operation, file: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.startsWith(`export const ${operationId}:`)) + 1;
  const places = (parameters as { in: string }[]).map((parameter) =>
    parameter.in === 'header' ? 'headers' : parameter.in,
  );
  const request = [...new Set(places), ...(requestBody ? ['body'] : [])].join(', ');
  const statuses = Object.keys(responses ?? {}).filter(
    (status) => !['400', '401', '413', '415', '500'].includes(status),
  );
  return `${file}:${line}: ${operationId} is async (${request ? `{ ${request} }` : '_'}, { db, caller, url }) => … and answers ${statuses.join(', ')}`;
}
