/** The server process. Node.js keeps what it compiled of all that is imported below: without, each start takes twice as long. */
import './process/node-version.mjs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Not in the folder for temporary files, where anybody may have put something.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
if (process.argv.length > 2) await import('./process/usage.ts');
await import('./process/serve.ts');
