/** The engine: makes Fastify serve an OpenAPI contract through typed handlers. It knows HTTP and OpenAPI only. */
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type AuthorizationOptions, authorize, type Identity } from './authorization.ts';
import { type DeclaredBody, ignoreBodies, isStreamed, readBodies, readBody } from './body.ts';
import type { ReadValidators } from './conditional.ts';
import { announceDeprecation, type DeprecationOptions } from './deprecation.ts';
import { type Contract, loadContract, type ValidatedRequest } from './openapi.ts';
import type { Operation } from './operation.ts';
import { readPathTemplate, templateShape } from './path-templates.ts';
import { type PipelineOptions, pipeline } from './pipeline.ts';
import type { EngineProblem } from './problem.ts';
import { notImplemented } from './problem-error.ts';
import { type Refusal, refusalLines, Unservable, UnservableContract } from './servable.ts';
import type { Handlers, Normalizers, Operations, ValidatorReaders } from './types.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's name for what this route does; logs and limits go by it. */
    operationId?: string;
    /** The names in the query that hold credentials, which no log may have. */
    queryCredentials?: readonly string[];
  }
}

export interface ContractOptions<Ops extends Operations<Ops>, Who extends Identity, Context, Schemes = AnySchemes>
  extends AuthorizationOptions<Who, Schemes>,
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
  /** Compile all schemas before anything is served, as in development: what cannot be compiled is refused then. */
  compileFirst?: boolean;
  /** Called when all schemas are compiled: from then on no request has to wait for it, and none can fail of it. */
  onCompiled?: () => void;
  /** Takes what cannot be served, which is then left out. Without it, nothing is served of such a contract. */
  onRefusals?: (refusals: readonly Refusal[]) => void;
}

/** Security schemes of which no types were generated. */
type AnySchemes = Record<string, { type: string }>;

/**
 * A Fastify plugin that serves every operation of the contract as a route of its own.
 *
 * @throws UnservableContract when the contract cannot be served as it is written, so that the start fails. In production a
 * schema that cannot be compiled is found later: `onCompiled` is never called, and the log says why.
 */
export function contract<Ops extends Operations<Ops>, Who extends Identity, Context, Schemes = AnySchemes>(
  options: ContractOptions<Ops, Who, Context, Schemes>,
): FastifyPluginAsync {
  return async (app) => {
    const loaded = await loadContract(options.document, options.handlers);
    app.decorateRequest('identity', null);
    app.decorateRequest('bodyType', null);
    app.decorateRequest('mayUseCache', false);
    const cache = options.responseCache?.cache;
    if (cache !== undefined)
      app.addHook('onRequest', (request, _reply, done) => {
        request.mayUseCache = cache.synchronize();
        done();
      });

    const compileFirst = options.compileFirst ?? options.development;
    const { served, refusals } = prepareOperations(loaded, options, compileFirst);
    if (refusals.length > 0) {
      if (options.onRefusals === undefined) throw new UnservableContract(refusals);
      options.onRefusals(refusals);
    }
    reportUnimplemented(app, served, loaded, options);

    for (const streamed of [false, true]) {
      const reading = served.flatMap(({ body, routes }) =>
        body !== undefined && isStreamed(body) === streamed ? [{ body, routes }] : [],
      );
      if (reading.length === 0) continue;
      await app.register(async (scope) => {
        await readBodies(scope, { streamed });
        for (const { body, routes } of reading)
          for (const route of routes) scope.route({ ...route, ...readBody(body) });
      });
    }
    await app.register(async (scope) => {
      ignoreBodies(scope);
      for (const { body, routes } of served) if (body === undefined) for (const route of routes) scope.route(route);
      const routes = served.flatMap(({ routes }) => routes);
      for (const [url, declared] of Map.groupBy(routes, ({ url }) => url)) {
        const other = otherMethods(scope, url, declared, options.sendRefusal);
        if (other.method.length > 0) scope.route(other);
      }
    });

    if (compileFirst) options.onCompiled?.();
    // Not awaited: the server listens meanwhile.
    else app.addHook('onListen', async () => void compileOneByOne(app, served, options.onCompiled));
  };
}

/** An operation that can be served, as far as is known before its schemas are compiled. */
interface Served {
  operation: Operation;
  body: DeclaredBody | undefined;
  routes: readonly RouteOptions[];
  compilations: readonly (() => void)[];
}

/** Makes the routes of all operations, and finds out which of them cannot be served. */
function prepareOperations<Ops extends Operations<Ops>, Who extends Identity, Context, Schemes>(
  loaded: Contract,
  options: ContractOptions<Ops, Who, Context, Schemes>,
  compileFirst: boolean,
): { served: Served[]; refusals: Refusal[] } {
  const normalized = (options.normalized ?? {}) as Record<string, (request: ValidatedRequest) => ValidatedRequest>;
  const validators = (options.validators ?? {}) as Record<string, ReadValidators<Context>>;
  const taken = new Set<string>();
  const make = (operation: Operation): Served => {
    const { method, operationId, path, basePaths } = operation;
    const { body, compilations, handle } = pipeline(loaded, operation, {
      ...options,
      normalize: normalized[operationId],
      readValidators: validators[operationId],
    });
    if (compileFirst) for (const compile of compilations) compile();
    const hooks = {
      ...authorize(operation, options.document, { ...options, cache: options.responseCache?.cache }),
      ...announceDeprecation(operation, options),
    };
    const routes = basePaths.map((base): RouteOptions => {
      // With the paths of servers before them, two paths may become the same.
      const address = `${method} ${templateShape(base + path)}`;
      if (taken.has(address)) throw new Unservable('equal path templates', `${base}${path}, with the path of a server`);
      taken.add(address);
      return {
        method: method.toUpperCase(),
        url: base + readPathTemplate(path)!.pattern,
        // The contract may declare HEAD itself.
        exposeHeadRoute: !loaded.operations.some((other) => other.path === path && other.method === 'head'),
        config: { operationId, queryCredentials: operation.credentials.query },
        ...hooks,
        handler: handle,
      };
    });
    return { operation, body, routes, compilations };
  };

  const prepared = loaded.operations.map((operation) => attempt(operation, () => make(operation)));
  return {
    served: prepared.flatMap((one) => ('routes' in one ? one : [])),
    refusals: [...loaded.refusals, ...prepared.flatMap((one) => ('routes' in one ? [] : one))],
  };
}

/** What `make` makes for an operation, or why that cannot be served. */
function attempt<T>(operation: Operation, make: () => T): T | Refusal {
  try {
    return make();
  } catch (error) {
    const { operationId, place } = operation;
    if (error instanceof Unservable)
      return { operation: operationId, feature: error.feature, detail: error.detail, place: error.place ?? place };
    return { operation: operationId, feature: 'operation', detail: `(${(error as Error).message})`, place };
  }
}

/**
 * Logs which operations respond 501.
 *
 * @throws in production, when some have no handler at all: the code is not the one for this contract.
 */
function reportUnimplemented(
  app: FastifyInstance,
  served: readonly Served[],
  { hasHandler }: Contract,
  { handlers, development }: { handlers: Partial<Record<string, unknown>>; development: boolean },
): void {
  const ids = served.map(({ operation }) => operation.operationId);
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
  url: string,
  routes: readonly RouteOptions[],
  sendRefusal: AuthorizationOptions<Identity>['sendRefusal'],
) {
  const declared = routes.flatMap(({ method }) => method);
  const allowed = [...new Set(declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
  const allow = allowed.join(', ');
  const refuseMethod = async (request: FastifyRequest, reply: FastifyReply) =>
    sendRefusal(reply.header('allow', allow), 405, [methodNotAllowed(request.method, allow)]);
  return {
    method: scope.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: refuseMethod,
    handler: refuseMethod,
  };
}

/**
 * Compiling takes longer than all else at the start. So in production it is done when requests can be served
 * already: an operation in each turn of the event loop, or when the first request needs it.
 */
async function compileOneByOne(
  app: FastifyInstance,
  served: readonly Served[],
  onCompiled: (() => void) | undefined,
): Promise<void> {
  const refusals: Refusal[] = [];
  for (const { operation, compilations } of served) {
    for (const compile of compilations) {
      await setImmediate();
      const refusal = attempt(operation, () => void compile());
      if (refusal !== undefined) refusals.push(refusal);
    }
  }
  for (const line of refusalLines(refusals)) app.log.fatal(`never ready: ${line}`);
  if (refusals.length === 0) onCompiled?.();
}

const methodNotAllowed = (method: string, allow: string): EngineProblem => ({
  code: 'method_not_allowed',
  message: `${method} is not a method of this path; it has ${allow}.`,
});
