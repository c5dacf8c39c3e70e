/**
 * `npm run torture`: attacks the running service, and prints what it withstood. It takes about ten minutes; with
 * `-- --short` about one. `-- NAME …` runs some parts only; test/torture/run.ts names them.
 */
import { parseArgs } from 'node:util';
import { parts, report, runPart } from '../test/torture/run.ts';

const { positionals, values } = parseArgs({ options: { short: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}

const results = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const result = await runPart(name, values.short === true);
  console.error(`${name}: ${result.seconds} s${result.broken === undefined ? '' : `, broken: ${result.broken}`}`);
  results.push(result);
}
console.log(`\n${report(results)}`);
// A server that does not end would keep this process.
process.exit(results.some(({ broken }) => broken !== undefined) ? 1 : 0);
