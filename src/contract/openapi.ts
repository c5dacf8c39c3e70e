/** openapi-backend's part of the engine: it holds the handlers. */
import { type Context as BackendContext, type Document, OpenAPIBackend } from 'openapi-backend';
import { SchemaChecks } from './body-validators.ts';
import { readContract } from './document.ts';
import type { Operation } from './operation.ts';
import { notImplemented } from './problem-error.ts';
import type { Refusal } from './servable.ts';
import type { Outcome } from './types.ts';
import { type ValidatorCompiler, validatorCompiler } from './validators.ts';

/** A request as its handler gets it: parameters have their types and defaults, the body fits the contract. */
export interface ValidatedRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, unknown>;
  body: unknown;
  /** The media type of the body, where there is one. */
  contentType?: string;
  /** The media type that the client prefers, where a response may have several. */
  accept?: string;
}

export interface Contract {
  /** The operations that can be served, as far as the document says. */
  operations: readonly Operation[];
  /** Why the others cannot. */
  refusals: readonly Refusal[];
  /** Compiles the validators of requests. */
  validators: ValidatorCompiler;
  /** Compiles the schemas of bodies and responses. */
  checks: SchemaChecks;
  /** Whether the operation has a handler. */
  hasHandler: (operationId: string) => boolean;
  /** Calls the handler of an operation; without one the response is 501. */
  call: (operation: Operation, request: ValidatedRequest, context: unknown) => Promise<Outcome>;
}

/**
 * Loads a bundled contract and registers its handlers.
 *
 * openapi-backend's own request handling (`handleRequest`) is not used: on each request it lists all operations anew
 * and builds a regular expression for each path, refuses unknown query parameters, validates before it authenticates,
 * and turns a fault while authenticating into a 401. Each operation is a route of Fastify instead. Nor does it resolve the
 * contract: it follows no reference with an escape, and takes one that leads nowhere for null.
 *
 * @throws when a handler is there whose operation is not.
 */
export async function loadContract(document: object, handlers: object): Promise<Contract> {
  const { operations, refusals } = readContract(document);
  // It gets the names alone: it would take `$ref` in an example for a reference, and fail of one that leads nowhere.
  const definition = namesOf(document, operations);
  const backend = new OpenAPIBackend({ definition, strict: true, quick: true, validate: false });
  await backend.init();
  const unserved = new Set(refusals.map(({ operation }) => operation));
  for (const [operationId, handle] of Object.entries(handlers)) {
    if (handle === undefined || unserved.has(operationId) || unserved.has(undefined)) continue;
    backend.register(operationId, ({ request }, context) =>
      handle((request as { validated?: ValidatedRequest }).validated, context),
    );
  }

  const handlerOf = (operationId: string) =>
    Object.hasOwn(backend.handlers, operationId) ? backend.handlers[operationId]! : notImplemented;
  const checks = new SchemaChecks();
  return {
    operations,
    refusals,
    validators: validatorCompiler(checks),
    checks,
    hasHandler: (operationId) => Object.hasOwn(backend.handlers, operationId),
    call: (operation, request, context) =>
      handlerOf(operation.operationId)(backendContext(backend, operation, request), context),
  };
}

/** A document that has the names of these operations and nothing else. */
function namesOf(document: object, operations: readonly Operation[]): Document {
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, declared]) => [
      path,
      Object.fromEntries(declared.map(({ method, operationId }) => [method, { operationId, responses: {} }])),
    ]),
  );
  const { openapi, info } = document as Document;
  return { openapi, info, paths } as Document;
}

/** What openapi-backend gives to a handler: https://openapistack.co/docs/openapi-backend/context/ */
function backendContext(api: OpenAPIBackend, operation: Operation, validated: ValidatedRequest): BackendContext {
  const { path, query, headers, body } = validated;
  const parts = { method: operation.method, path: operation.path, params: path, query, headers };
  const request = { ...parts, cookies: {}, requestBody: body, validated };
  return { api, operation, request, validation: { valid: true }, security: {}, response: undefined };
}
