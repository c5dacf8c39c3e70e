/** The engine: makes Fastify serve an OpenAPI contract through typed handlers. It knows HTTP and OpenAPI only. */
import { setImmediate } from 'node:timers/promises';
import type { Ajv, ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type Document, OpenAPIBackend, type Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { emptyBody, ignorePayloads, type Payload, parseJson, payloadProblems } from './body.ts';
import { announceDeprecation, type DeprecationOptions } from './deprecation.ts';
import { notImplemented } from './http-error.ts';
import { bodyProblems, type Problem, parameterProblems } from './problem.ts';
import { type Outcome, replier } from './reply.ts';
import type { Handlers, Operations } from './types.ts';
import { createAjv, parameterReader } from './validators.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's name for what this route does; logs and limits go by it. */
    operationId?: string;
  }
}

/** Whoever sent a request, as far as the engine cares. */
export interface Caller {
  scopes: ReadonlySet<string>;
}

export interface ContractOptions<Ops extends Operations<Ops>, Who extends Caller, Context> extends DeprecationOptions {
  /** The bundled contract. */
  document: object;
  /** One function for each operationId. */
  handlers: Partial<Handlers<Ops, Context>>;
  /** Whether an operation without a handler is answered 501 instead of stopping the boot: for development and tests. */
  incomplete?: boolean;
  /** For each security scheme, who sent this request, or undefined when that cannot be told. */
  authenticate: Record<string, (request: FastifyRequest) => Promise<Who | undefined>>;
  /** What a handler gets beside the request. `caller` is undefined where the contract asks for no credentials. */
  context: (request: FastifyRequest, caller: Who | undefined) => Context;
  /** Answers a request that is refused. */
  refuse: (reply: FastifyReply, status: number, problems: readonly Problem[]) => FastifyReply;
  /** Holds every reply against the contract, at the price of time: for development and tests. */
  checkReplies: boolean;
}

type AnyHandler = (request: object, context: unknown) => Promise<Outcome>;

/**
 * A Fastify plugin that serves every operation of the contract.
 *
 * openapi-backend reads the contract, keeps the handlers and compiles the validators. Its own request
 * handling (`handleRequest`) is left out: on each request it lists all operations anew and builds a regular
 * expression for each path, refuses unknown query parameters, validates before it authenticates, and turns a
 * fault while authenticating into a 401. Each operation is a route of Fastify's radix tree instead.
 *
 * @throws when the contract cannot be served as it is written, so that the boot stops. A schema that cannot be
 * compiled stops it only where replies are checked; elsewhere its operation is answered 500.
 */
export function contract<Ops extends Operations<Ops>, Who extends Caller, Context>(
  options: ContractOptions<Ops, Who, Context>,
): FastifyPluginAsync {
  return async (app) => {
    const validators = new Map<string, Ajv>();
    const backend = new OpenAPIBackend({
      definition: options.document as Document,
      strict: true,
      quick: true,
      handlers: options.handlers as Record<string, never>,
      customizeAjv: (_, __, purpose) => {
        const ajv = validators.get(String(purpose)) ?? createAjv(String(purpose));
        validators.set(String(purpose), ajv);
        return ajv;
      },
    });
    await backend.init();
    const operations = backend.router.getOperations();
    tellUnfinished(app, operations, options);
    const callers = new WeakMap<FastifyRequest, Who>();
    const compiled = new Map<string, ValidateFunction>();
    const compilations: (() => unknown)[] = [];

    const route = (operation: Operation): RouteOptions => {
      const config = { operationId: operation.operationId! };
      const authenticated = guard(operation);
      const answer = responder(operation);
      const deprecated = announceDeprecation(operation, options);
      return {
        method: operation.method.toUpperCase(),
        url: pattern(operation.path),
        config,
        ...authenticated,
        ...deprecated,
        handler: answer,
      };
    };

    /** 401 and 403 are decided before the payload is read: strangers cannot make the server parse. */
    function guard(operation: Operation): Pick<RouteOptions, 'onRequest'> {
      const requirement = soleRequirement(operation);
      if (requirement === undefined) return {};
      const { scheme, scopes } = requirement;
      const authenticate = options.authenticate[scheme];
      if (authenticate === undefined) throw new Error(`Nothing authenticates the security scheme "${scheme}".`);
      const scope = scopes.join(' ');
      return {
        onRequest: async (request, reply) => {
          const caller = await authenticate(request);
          if (caller === undefined) {
            return options.refuse(reply.header('www-authenticate', 'Bearer'), 401, [unauthorized]);
          }
          if (!scopes.every((name) => caller.scopes.has(name))) {
            const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
            return options.refuse(reply.header('www-authenticate', challenge), 403, [insufficientScope(scope)]);
          }
          callers.set(request, caller);
        },
      };
    }

    /** The validators of an operation. Compiling takes long, so operations that ask for the same share them. */
    function validatorsOf(operation: Operation) {
      const { paths } = options.document as {
        paths: Record<string, Record<string, { parameters?: unknown; requestBody?: unknown }>>;
      };
      const { parameters: common, [operation.method]: { parameters, requestBody } = {} } = paths[operation.path]!;
      const { requestBody: body, ...withoutBody } = operation;
      return {
        checkParameters: shared([common, parameters], () => compileValidator(backend, withoutBody)),
        checkBody: body && shared([requestBody], () => compileValidator(backend, { ...operation, parameters: [] })),
      };
    }

    function shared(asked: unknown[], compile: () => ValidateFunction): ValidateFunction {
      const key = JSON.stringify(asked);
      const known = compiled.get(key) ?? compile();
      compiled.set(key, known);
      return known;
    }

    /** Validates, calls the handler and sends what it returns. */
    function responder(operation: Operation) {
      const { operationId, requestBody } = operation as { operationId: string; requestBody?: { required?: boolean } };
      const read = parameterReader((operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[]);
      const handler = (backend.handlers[operationId] ?? notImplemented) as unknown as AnyHandler;
      const compile = once(() => ({ ...validatorsOf(operation), send: replier(backend, operation, options) }));
      compilations.push(compile);

      return async (request: FastifyRequest, reply: FastifyReply) => {
        const { checkParameters, checkBody, send } = compile();
        const payload = request.body as Payload | undefined;
        if (payload === undefined && requestBody?.required) return options.refuse(reply, 400, [emptyBody]);
        const { values, problems } = read(request.params, request.query, request.headers);
        if (!checkParameters(values)) problems.push(...parameterProblems(checkParameters.errors!));
        if (problems.length > 0) return options.refuse(reply, 400, problems);
        if (payload !== undefined && checkBody) {
          await othersFirst(payload);
          const fits = checkBody({ requestBody: payload.value });
          const wrong = payloadProblems(payload, fits ? [] : bodyProblems(checkBody.errors!));
          if (wrong.length > 0) return options.refuse(reply, 422, wrong);
          await othersFirst(payload);
        }

        const { path, query, header } = values;
        const context = options.context(request, callers.get(request));
        return send(request, reply, await handler({ path, query, headers: header, body: payload?.value }, context));
      };
    }

    await app.register(async (scope) => {
      parseJson(scope);
      for (const operation of operations) if ('requestBody' in operation) scope.route(route(operation));
    });
    await app.register(async (scope) => {
      ignorePayloads(scope);
      for (const operation of operations) if (!('requestBody' in operation)) scope.route(route(operation));
      for (const path of new Set(operations.map((operation) => operation.path))) {
        const declared = operations.filter((operation) => operation.path === path);
        scope.route(
          otherMethods(
            scope,
            pattern(path),
            declared.map(({ method }) => method.toUpperCase()),
          ),
        );
      }
    });

    // Compiling takes longer than all else at the start. So it is done when the first requests can be answered already,
    // piece by piece, or when one needs it; but where the contract is being worked on, before anything is served.
    if (options.checkReplies) for (const compile of compilations) compile();
    else
      app.addHook(
        'onListen',
        async () => void inTurns(compilations).catch((err) => app.log.error({ err }, 'an operation cannot be served')),
      );

    /** The methods that a path lacks: one route, answered before anything else is looked at. */
    function otherMethods(scope: FastifyInstance, url: string, declared: string[]): RouteOptions {
      const allowed = declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      const allow = allowed.join(', ');
      const refuse = async (request: FastifyRequest, reply: FastifyReply) =>
        options.refuse(reply.header('allow', allow), 405, [methodNotAllowed(request.method, allow)]);
      return {
        method: scope.supportedMethods.filter((method) => !allowed.includes(method)),
        url,
        onRequest: refuse,
        handler: refuse,
      };
    }
  };
}

/**
 * Logs which operations will answer 501.
 *
 * @throws when some have no handler at all and that is not meant: the code is not the one for this contract.
 */
function tellUnfinished(
  app: FastifyInstance,
  operations: Operation[],
  { handlers, incomplete = false }: { handlers: object; incomplete?: boolean },
): void {
  const handlerOf = (id: string) => (handlers as Partial<Record<string, unknown>>)[id];
  const ids = operations.map(({ operationId }) => operationId!);
  const missing = ids.filter((id) => handlerOf(id) === undefined);
  if (missing.length > 0 && !incomplete)
    throw new Error(`The contract has operations without a handler: ${missing.join(', ')}.`);
  const unfinished = ids.filter((id) => missing.includes(id) || handlerOf(id) === notImplemented);
  if (unfinished.length > 0)
    app.log.warn({ operations: unfinished }, `not implemented, answered 501: ${unfinished.join(', ')}`);
}

/** Reading, checking and storing a large body take milliseconds each: between them others have a turn. */
function othersFirst({ size }: Payload): Promise<void> | undefined {
  return size > 2 ** 16 ? setImmediate() : undefined;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Does one piece of work in each turn of the event loop. */
async function inTurns(work: readonly (() => unknown)[]): Promise<void> {
  for (const doIt of work) {
    await setImmediate();
    doIt();
  }
}

/** The validator of the body, which comes first, or of the parameters. */
function compileValidator(backend: OpenAPIBackend, operation: object): ValidateFunction {
  return backend.validator.buildRequestValidatorsForOperation(operation as Operation)![0] as ValidateFunction;
}

/** `/things/{id}` as Fastify writes it: `/things/:id`. */
function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The one scheme and its scopes that an operation asks for, or undefined when it is open to everybody. */
function soleRequirement({ operationId, security = [] }: Operation): { scheme: string; scopes: string[] } | undefined {
  const alternatives = security.flatMap((requirement) => Object.entries(requirement));
  if (alternatives.length > 1)
    throw new Error(`The engine serves one security scheme an operation; ${operationId} names more.`);
  const [first] = alternatives;
  return first && { scheme: first[0], scopes: first[1] };
}

const unauthorized: Problem = {
  code: 'unauthorized',
  message: "Send a valid access token in the header 'Authorization: Bearer <ACCESS_TOKEN>'.",
  source: { header: 'authorization' },
};

const insufficientScope = (scope: string): Problem => ({
  code: 'insufficient_scope',
  message: `This operation needs the scope ${scope}, which this access token does not have.`,
});

const methodNotAllowed = (method: string, allow: string): Problem => ({
  code: 'method_not_allowed',
  message: `${method} is not a method of this path; it has ${allow}.`,
});
