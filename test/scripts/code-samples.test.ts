/** The code samples of /docs are run as they are: each sends the request that the contract has as an example. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { at, keysOf, operationsOf } from '../../scripts/lib/document.ts';
import samples from '../../src/generated/code-samples.json' with { type: 'json' };
import contract from '../../src/generated/openapi.json' with { type: 'json' };
import { reasonToSkip } from '../support/needs.ts';

const run = promisify(execFile);
/** How a sample of each language is run. */
const programs: Record<string, (source: string) => [command: string, parameters: string[]]> = {
  curl: (source) => ['sh', ['-c', source]],
  JavaScript: (source) => [process.execPath, ['-e', source]],
  Python: (source) => ['python3', ['-c', source]],
};

const missing = ['curl --version', 'python3 -c "import requests"'].filter((command) => {
  try {
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
});
const lack = reasonToSkip(
  missing.length > 0 ? `this fails: ${missing.join(', ')}; apt-get install curl python3-requests` : undefined,
);

test.skipIf(lack)(
  lack
    ? `the code samples (skipped: ${lack})`
    : 'each operation has a sample in each language, which sends the example of the contract',
  async () => {
    const requests: object[] = [];
    const server = createServer(async (request, response) => {
      const { method, url, headers } = request;
      const body = await text(request);
      requests.push({ method, url, authorization: headers.authorization, body: body && JSON.parse(body) });
      response.setHeader('content-type', 'application/json').end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      for (const { path, method, operation, item } of operationsOf(contract)) {
        const [media] = Object.values<any>(operation.requestBody?.content ?? {});
        const [example] = Object.values<any>(media?.examples ?? {});
        const ids = [...(item.parameters ?? []), ...(operation.parameters ?? [])].flatMap(({ $ref = '' }) => {
          const parameter = at(contract, keysOf($ref));
          return parameter?.in === 'path' ? [parameter] : [];
        });
        const expected = {
          method: method.toUpperCase(),
          url: ids.reduce((url: string, { name, example }) => url.replace(`{${name}}`, String(example)), path),
          authorization: 'Bearer secret',
          body: example ? (example.$ref ? at(contract, keysOf(example.$ref)) : example).value : '',
        };
        const own = samples.operations[operation.operationId as keyof typeof samples.operations];
        expect(own.map(({ label }) => label)).toEqual(Object.keys(programs));
        for (const { label, source } of own) {
          const [command, parameters] = programs[label]!(source.replaceAll(samples.server, address));
          await run(command, parameters, { env: { ...process.env, TOKEN: 'secret' } });
          expect(requests.splice(0), `${operation.operationId} in ${label}`).toEqual([expected]);
        }
      }
    } finally {
      server.close();
    }
  },
);
