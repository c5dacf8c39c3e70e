/** Redoc as @redocly/cli ships it, made to work offline and as one page. */
import { readFile } from 'node:fs/promises';

/** What is changed in it. The package's version is pinned; a new one in which this is not found is refused. */
const touches: [RegExp, string][] = [
  // Its badge loads a picture from Redocly's server on each visit.
  [/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g, '/docs/redoc.svg'],
  // It shows the operations of one tag at a time; a reviewer searches and prints all of them.
  [/[\w$]+&&![\w$]+\([\w$]+\.gatePath,[\w$]+\)\?null/, '!1?null'],
  [/(\.children\.length>0)&&[\w$]+\.content\.contentType!==[\w$]+\.GROUP/, '$1'],
  // Beside copying it offers to send the page to services of others.
  [/if\(![\w$]+\.specUrl\)(return\(0,[\w$]+\.jsx\)\([\w$]+,\{"data-testid":`page-actions`)/, '$1'],
];

/** The script for the browser. */
export async function redoc(): Promise<string> {
  const file = new URL('../lib/chunks/redoc.standalone.js', import.meta.resolve('@redocly/cli/bin/cli.js'));
  const source = await readFile(file, 'utf8');
  return touches.reduce((text, [found, replacement]) => {
    if (!found.test(text)) throw new Error(`Redoc has changed: ${found} is not in it. Look at src/docs/redoc.ts.`);
    return text.replace(found, replacement);
  }, source);
}
