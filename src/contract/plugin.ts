/** The engine: makes Fastify serve an OpenAPI contract through typed handlers. It knows HTTP and OpenAPI only. */
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type AuthorizationOptions, authorize, type Identity } from './authorization.ts';
import { ignoreBodies, isStreamed, readBodies, readBody } from './body.ts';
import type { ReadValidators } from './conditional.ts';
import { announceDeprecation, type DeprecationOptions } from './deprecation.ts';
import { type Contract, loadContract, type Operation, type ValidatedRequest } from './openapi.ts';
import { type PipelineOptions, pipeline } from './pipeline.ts';
import type { EngineProblem } from './problem.ts';
import { notImplemented } from './problem-error.ts';
import type { Handlers, Normalizers, Operations, ValidatorReaders } from './types.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's name for what this route does; logs and limits go by it. */
    operationId?: string;
  }
}

export interface ContractOptions<Ops extends Operations<Ops>, Who extends Identity, Context>
  extends AuthorizationOptions<Who>,
    PipelineOptions<Who, Context>,
    DeprecationOptions {
  /** The bundled contract. */
  document: object;
  /** One function for each operationId. */
  handlers: Partial<Handlers<Ops, Context>>;
  /** Makes requests that mean the same the same, so that their response is kept in memory once. */
  normalized?: Normalizers<Ops>;
  /** For operations that read: tells the state of what is read, at less cost than reading it. */
  validators?: ValidatorReaders<Ops, Context>;
}

/**
 * A Fastify plugin that serves every operation of the contract as a route of its own.
 *
 * @throws when the contract cannot be served as it is written, so that the start fails. A schema that cannot be
 * compiled stops the start in development only; in production its operation responds 500.
 */
export function contract<Ops extends Operations<Ops>, Who extends Identity, Context>(
  options: ContractOptions<Ops, Who, Context>,
): FastifyPluginAsync {
  return async (app) => {
    const loaded = await loadContract(options.document, options.handlers);
    const { operations } = loaded;
    reportUnimplemented(app, loaded, options);
    app.decorateRequest('identity', null);
    app.decorateRequest('bodyType', null);
    const cache = options.responseCache?.cache;
    if (cache !== undefined)
      app.addHook('onRequest', (_request, _reply, done) => {
        cache.synchronize();
        done();
      });

    const normalized = (options.normalized ?? {}) as Record<string, (request: ValidatedRequest) => ValidatedRequest>;
    const validators = (options.validators ?? {}) as Record<string, ReadValidators<Context>>;
    const pipelines = new Map(
      operations.map((operation) => [
        operation,
        pipeline(loaded, operation, {
          ...options,
          normalize: normalized[operation.operationId],
          readValidators: validators[operation.operationId],
        }),
      ]),
    );
    const route = (operation: Operation): RouteOptions => ({
      method: operation.method.toUpperCase(),
      url: routePattern(operation.path),
      config: { operationId: operation.operationId },
      ...authorize(operation, { ...options, cache }),
      ...announceDeprecation(operation, options),
      handler: pipelines.get(operation)!.handle,
    });
    for (const streamed of [false, true]) {
      const reading = operations.flatMap((operation) => {
        const { body } = pipelines.get(operation)!;
        return body !== undefined && isStreamed(body) === streamed ? [{ operation, body }] : [];
      });
      if (reading.length === 0) continue;
      await app.register(async (scope) => {
        await readBodies(scope, { streamed });
        for (const { operation, body } of reading) scope.route({ ...route(operation), ...readBody(body) });
      });
    }
    await app.register(async (scope) => {
      ignoreBodies(scope);
      for (const operation of operations)
        if (pipelines.get(operation)!.body === undefined) scope.route(route(operation));
      for (const [path, declared] of Map.groupBy(operations, ({ path }) => path)) {
        scope.route(otherMethods(scope, path, declared, options.sendRefusal));
      }
    });

    const compilations = [...pipelines.values()].flatMap((one) => one.compilations);
    if (options.development) for (const compile of compilations) compile();
    // Not awaited: the server listens meanwhile.
    else app.addHook('onListen', async () => void compileOneByOne(app, compilations));
  };
}

/**
 * Logs which operations respond 501.
 *
 * @throws in production, when some have no handler at all: the code is not the one for this contract.
 */
function reportUnimplemented(
  app: FastifyInstance,
  { operations, hasHandler }: Contract,
  { handlers, development }: { handlers: Partial<Record<string, unknown>>; development: boolean },
): void {
  const ids = operations.map(({ operationId }) => operationId);
  const missing = ids.filter((id) => !hasHandler(id));
  if (missing.length > 0 && !development) {
    throw new Error(`The contract has operations without a handler: ${missing.join(', ')}.`);
  }
  const unimplemented = ids.filter((id) => missing.includes(id) || handlers[id] === notImplemented);
  if (unimplemented.length === 0) return;
  app.log.warn({ operations: unimplemented }, `not implemented, responds 501: ${unimplemented.join(', ')}`);
}

/** The methods that a path lacks: one route, which responds before anything else is looked at. */
function otherMethods(
  scope: FastifyInstance,
  path: string,
  operations: readonly Operation[],
  sendRefusal: AuthorizationOptions<Identity>['sendRefusal'],
): RouteOptions {
  const declared = operations.map(({ method }) => method.toUpperCase());
  const allowed = declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = allowed.join(', ');
  const refuseMethod = async (request: FastifyRequest, reply: FastifyReply) =>
    sendRefusal(reply.header('allow', allow), 405, [methodNotAllowed(request.method, allow)]);
  return {
    method: scope.supportedMethods.filter((method) => !allowed.includes(method)),
    url: routePattern(path),
    onRequest: refuseMethod,
    handler: refuseMethod,
  };
}

/**
 * Compiling takes longer than all else at the start. So in production it is done when requests can be served
 * already: an operation in each turn of the event loop, or when the first request needs it.
 */
async function compileOneByOne(app: FastifyInstance, compilations: readonly (() => void)[]): Promise<void> {
  for (const compile of compilations) {
    await setImmediate();
    try {
      compile();
    } catch (error) {
      app.log.error({ err: error }, 'an operation cannot be served');
    }
  }
}

/** `/things/{id}` as Fastify writes it: `/things/:id`. */
function routePattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

const methodNotAllowed = (method: string, allow: string): EngineProblem => ({
  code: 'method_not_allowed',
  message: `${method} is not a method of this path; it has ${allow}.`,
});
