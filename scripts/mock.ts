/**
 * `npm run mock`: a server without a database that returns the contract's examples, for client developers.
 * `npm run mock -- FILE` does it for any other document of OpenAPI 3.0 or 3.1.
 */
import closeWithGrace from 'close-with-grace';
import type { onSendHookHandler } from 'fastify';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { Caller, type Role, roles } from '../src/api/caller.ts';
import type { operations } from '../src/api/handler.ts';
import { createServer, engineOptions } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { Identity } from '../src/contract/authorization.ts';
import { exampleHandlers, type Preference } from '../src/contract/examples.ts';
import { contract } from '../src/contract/plugin.ts';
import document from '../src/generated/openapi.json' with { type: 'json' };
import { createHttpServer } from '../src/http/fastify.ts';
import { baseUrl } from '../src/http/public-address.ts';
import { commandLine } from './lib/command-line.ts';
import { readFile, serveFile } from './lib/mock-file.ts';

const usage = `Usage: npm run mock [-- FILE]
  Returns the contract's examples, with real validation and without a database. HOST and PORT say where it listens.

  FILE  any other document of OpenAPI 3.0 or 3.1, in JSON or YAML`;

const { positionals } = commandLine(usage, { allowPositionals: true });
try {
  const [file] = positionals;
  await (file === undefined ? start() : startFile(file));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino(
    { level: config.logLevel },
    process.stdout.isTTY ? pretty({ ignore: 'pid,hostname' }) : pino.destination(1),
  );
  const app = await createServer(config, logger);
  await app.register(async (api) => {
    api.addHook('onSend', nameOwnAddress(config.publicUrl));
    await api.register(
      contract<operations, Identity, Preference>({
        ...engineOptions(config),
        // Addresses are replaced in texts as they are sent.
        compresses: false,
        handlers: exampleHandlers(document) as object,
        authenticators: {
          bearer: { digest: (token) => token, identify: async (token) => callerWith(token) },
        },
        context: ({ headers }) => ({ prefer: headers.prefer as string | undefined }),
        development: true,
      }),
    );
  });
  closeWithGrace({ delay: 2000, logger }, () => app.close());
  const address = await app.listen({ host: config.host, port: config.port });
  console.error(welcome(config.publicUrl ?? address));
}

/** The examples name the server of the contract. Clients follow their links, so they lead to the mock. */
function nameOwnAddress(publicUrl: string | undefined): onSendHookHandler {
  const server = document.servers[0]!.url;
  return (request, reply, payload, done) => {
    const own = baseUrl(publicUrl, request);
    for (const name of ['location', 'link']) {
      const value = reply.getHeader(name);
      if (typeof value === 'string') reply.header(name, value.replaceAll(server, own));
    }
    done(null, typeof payload === 'string' ? payload.replaceAll(server, own) : payload);
  };
}

/** Serves the examples of another contract, and says what of it cannot be served. */
async function startFile(file: string): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel }, pino.destination(1));
  const app = await createHttpServer(config, { link: '</openapi.json>; rel="service-desc"', logger });
  const { served, unnamed, refused } = await serveFile(app, await readFile(file));
  for (const line of refused) console.error(`Not served: ${line}`);
  if (unnamed > 0) console.error(`${unnamed} operations have no operationId; method and path are their names here.`);
  if (served.length === 0) throw new Error(`Nothing of ${file} can be served.`);
  closeWithGrace({ delay: 2000, logger }, () => app.close());
  const address = await app.listen({ host: config.host, port: config.port });
  console.error(`
${served.length} operations of ${file} are served at ${config.publicUrl ?? address}, with real validation. Nothing is stored.

  Any credentials may do everything, but \`mock-invalid\` as a token, key or user name is refused: 401
  Prefer: code=404                    returns the first example of that status
  Prefer: example=<name>              returns the example of that name
`);
}

/** The caller that a token stands for. No token is stored: `mock-<role>` names its role, all others may do everything. */
function callerWith(token: string): Identity | undefined {
  if (token === 'mock-invalid') return undefined;
  const role = /^mock-(.+)$/.exec(token)?.[1];
  if (role === undefined)
    return { id: 0, role: 'any', scopes: new Set(document.components.securitySchemes.bearer['x-scopes']) };
  return new Caller({ id: 1, role });
}

function welcome(url: string): string {
  const [path] = Object.keys(document.paths);
  const named = roles.map((role: Role) => `mock-${role}`).join(', ');
  return `
The contract's examples are served at ${url}, with real validation. Nothing is stored.

  Authorization: Bearer <anything>    may do everything
  Authorization: Bearer mock-<role>   may do what that role may: ${named}
  Authorization: Bearer mock-none     has no scope: 403
  Authorization: Bearer mock-invalid  is refused as an unknown or expired token is: 401
  Prefer: code=404                    returns the first example of that status
  Prefer: example=<name>              returns the example of that name

Try it:

  curl -i -H 'Authorization: Bearer x' -H 'Prefer: code=500' '${url}${path}'

The API, with the names of the examples, is described at ${url}/docs
`;
}
