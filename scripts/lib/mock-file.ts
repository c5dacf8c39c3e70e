/** Serves the examples of any document of OpenAPI 3.0 or 3.1, for `npm run mock -- FILE`. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { sample } from 'openapi-sampler';
import type { Authenticator, Identity } from '../../src/contract/authorization.ts';
import { readContract } from '../../src/contract/document.ts';
import { exampleHandlers, type Preference } from '../../src/contract/examples.ts';
import { methods, type Operation } from '../../src/contract/operation.ts';
import { contract } from '../../src/contract/plugin.ts';
import type { Credentials } from '../../src/contract/security-schemes.ts';
import { type Refusal, refusalLines } from '../../src/contract/servable.ts';
import { sendRefusal } from '../../src/http/errors.ts';
import { baseUrl } from '../../src/http/public-address.ts';
import { redocly } from './redocly.ts';

/** As much of a document as this looks at. */
interface Document {
  openapi?: string;
  paths?: Record<string, Record<string, unknown>>;
  components?: { securitySchemes?: Record<string, object> };
}

export interface Served {
  served: readonly Operation[];
  /** How many operations have no name in the document. */
  unnamed: number;
  /** What is not served and why, one line each. */
  refused: string[];
}

/**
 * Reads a document in JSON or YAML, with what it refers to in other files.
 *
 * @throws when it cannot be read, with a message for people.
 */
export async function readFile(file: string): Promise<object> {
  const text = readFileSync(file, 'utf8');
  const document = parsed(text);
  if (document !== undefined && !/"\$ref"\s*:\s*"[^#"]/.test(text)) return document;
  const { code, stdout, stderr } = await redocly('bundle', file, '--ext=json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Adds a route for each operation that the engine serves. */
export async function serveFile(app: FastifyInstance, source: object): Promise<Served> {
  const { document, unnamed } = named(source as Document);
  const { operations } = readContract(document);
  const scopes = new Set(
    operations.flatMap(({ security = [] }) => security.flatMap((requirement) => Object.values(requirement).flat())),
  );
  const refusals: Refusal[] = [];
  await app.register(
    contract<Record<string, never>, Identity, Preference>({
      document,
      handlers: exampleHandlers(document, (schema) => sample(schema, { quiet: true })) as object,
      authenticators: Object.fromEntries(
        Object.keys(document.components?.securitySchemes ?? {}).map((name) => [name, anybody(scopes)]),
      ),
      context: ({ headers }) => ({ prefer: headers.prefer as string | undefined }),
      address: (request) => baseUrl(undefined, request),
      sendRefusal,
      // Replies are the document's own examples, which are not held against it.
      development: false,
      compileFirst: true,
      onRefusals: (all) => void refusals.push(...all),
    }),
  );
  if (!operations.some(({ path }) => path === '/openapi.json')) app.get('/openapi.json', async () => source);
  const refused = new Set(refusals.map(({ operation }) => operation));
  const served = operations.filter(({ operationId }) => !refused.has(operationId));
  return { served, unnamed, refused: refusalLines(refusals) };
}

/** Whoever sends anything, but `mock-invalid`. */
function anybody(scopes: ReadonlySet<string>): Authenticator<Identity, Credentials> {
  return {
    digest: (credentials) => (typeof credentials === 'string' ? credentials : credentials.username),
    identify: async (name) => (name === 'mock-invalid' ? undefined : { id: name, role: 'any', scopes }),
  };
}

/** The document, in which operations without a name have one made of method and path. */
function named(source: Document): { document: Document; unnamed: number } {
  const document = structuredClone(source);
  let unnamed = 0;
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = item?.[method] as { operationId?: string } | undefined;
      if (typeof operation !== 'object' || operation === null || operation.operationId !== undefined) continue;
      operation.operationId = `${method.toUpperCase()} ${path}`;
      unnamed += 1;
    }
  }
  return { document, unnamed };
}
