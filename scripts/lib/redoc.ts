/** Makes the script that draws the page /docs: Redoc as @redocly/cli ships it, changed to work offline and on one page. */
import { readFileSync } from 'node:fs';

/** A change of Redoc's code. No option of Redoc 3.0.1 has the same effect. */
interface Patch {
  reason: string;
  search: RegExp;
  replacement: string;
}

const patches: Patch[] = [
  {
    reason:
      "Redoc's badge loads a picture from Redocly's server on each visit. This service sends visitors nowhere else.",
    search: /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g,
    replacement: 'docs/redoc.svg',
  },
  {
    reason: 'Redoc shows the operations of one tag at a time. A reviewer searches and prints all operations.',
    search: /[\w$]+&&![\w$]+\([\w$]+\.gatePath,[\w$]+\)\?null/,
    replacement: '!1?null',
  },
  {
    reason: 'Redoc does not show the operations of a group of tags before one of them is chosen, for the same reason.',
    search: /(\.children\.length>0)&&[\w$]+\.content\.contentType!==[\w$]+\.GROUP/,
    replacement: '$1',
  },
  {
    reason:
      'Redoc colours code samples with style attributes, which the policy of the page forbids. page.css does it by class.',
    search: /` style="color: var\(\$\{[\w$]+\}\)"`/,
    replacement: '``',
  },
];

/** A version of Redoc does not contain the code that a patch changes. */
export class RedocChanged extends Error {}

/**
 * The script for the browser, below its licence.
 *
 * @throws RedocChanged when the installed version needs other patches.
 */
export function makeRedocScript(): string {
  const { version } = JSON.parse(packageFile('package.json')) as { version: string };
  const notice = `Redoc from @redocly/cli ${version}, changed by scripts/lib/redoc.ts. Do not edit.\n\n${packageFile('LICENSE')}`;
  return `/*!\n${notice.trimEnd()}\n*/\n${patchRedoc(packageFile('lib/chunks/redoc.standalone.js')).trimEnd()}\n`;
}

function packageFile(path: string): string {
  return readFileSync(new URL(import.meta.resolve(`@redocly/cli/${path}`)), 'utf8');
}

/**
 * Redoc's script with all patches.
 *
 * @throws RedocChanged when a patch finds nothing to change.
 */
export function patchRedoc(script: string): string {
  for (const { search, replacement, reason } of patches) {
    const patched = script.replace(search, replacement);
    if (patched === script)
      throw new RedocChanged(`Redoc has changed: ${search} is not in it. See scripts/lib/redoc.ts: ${reason}`);
    script = patched;
  }
  return script;
}
