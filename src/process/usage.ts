/** Replies to `npm start -- --help`, and refuses other arguments: the settings come from the environment. */
import { describeSettings } from '../config.ts';

const [first] = process.argv.slice(2);
if (first === '--help' || first === '-h') {
  console.log(`Usage: npm start
  Serves the API until a signal ends it. These environment variables are its settings:

${describeSettings()}`);
  process.exit(0);
}
console.error(`Unknown argument '${first}'. \`npm start -- --help\` says how it is used.`);
process.exit(1);
