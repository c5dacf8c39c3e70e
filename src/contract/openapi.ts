/** openapi-backend's part of the engine: it reads the contract, compiles the validators and holds the handlers. */
import {
  type Context as BackendContext,
  type Operation as BackendOperation,
  type Document,
  OpenAPIBackend,
} from 'openapi-backend';
import { SchemaChecks } from './body-validators.ts';
import { notImplemented } from './problem-error.ts';
import type { Outcome } from './types.ts';
import { ajvFactory, type Validators, validatorCompiler } from './validators.ts';

/** An operation of the contract, with its path, its method in lower case, and no `$ref` left in it. */
export type Operation = BackendOperation & { operationId: string };

/** A request as its handler gets it: parameters have their types and defaults, the body fits the contract. */
export interface ValidatedRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: unknown;
  /** The media type of the body, where there is one. */
  contentType?: string;
  /** The media type that the client prefers, where a response may have several. */
  accept?: string;
}

export interface Contract {
  operations: readonly Operation[];
  /** Compiles the validators of an operation's requests. */
  compileValidators: (operation: Operation) => Validators;
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
 * and turns a fault while authenticating into a 401. Each operation is a route of Fastify instead.
 *
 * @throws when the document is no contract, or a handler is there whose operation is not.
 */
export async function loadContract(document: object, handlers: object): Promise<Contract> {
  const definition = document as Document;
  const backend = new OpenAPIBackend({ definition, strict: true, quick: true, customizeAjv: ajvFactory(true) });
  await backend.init();
  for (const [operationId, handle] of Object.entries(handlers)) {
    if (handle === undefined) continue;
    backend.register(operationId, ({ request }, context) =>
      handle((request as unknown as { validated: ValidatedRequest }).validated, context),
    );
  }

  const handlerOf = (operationId: string) => backend.handlers[operationId] ?? notImplemented;
  return {
    operations: backend.router.getOperations() as Operation[],
    compileValidators: validatorCompiler(document, backend.validator),
    checks: new SchemaChecks(),
    hasHandler: (operationId) => backend.handlers[operationId] !== undefined,
    call: (operation, request, context) =>
      handlerOf(operation.operationId)(backendContext(backend, operation, request), context),
  };
}

/** What openapi-backend gives to a handler: https://openapistack.co/docs/openapi-backend/context/ */
function backendContext(api: OpenAPIBackend, operation: Operation, validated: ValidatedRequest): BackendContext {
  const { method } = operation;
  const { path, query, headers, body } = validated;
  const parts = { params: path, query, headers, cookies: {}, requestBody: body };
  const request = { method, path: operation.path, ...parts, validated };
  return { api, operation, request, validation: { valid: true }, security: {}, response: undefined };
}
