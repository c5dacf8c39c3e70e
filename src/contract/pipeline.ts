/** The way of a request that is authorised: read, validate, call, reply. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Identity } from './authorization.ts';
import { allBodyProblems, type Body, emptyBody } from './body.ts';
import { conditionalReading, type ReadValidators, responseTagger } from './conditional.ts';
import { once } from './once.ts';
import type { Contract, Operation, ValidatedRequest } from './openapi.ts';
import { type Parameters, parameterReader } from './parameters.ts';
import { readPathTemplate } from './path-templates.ts';
import type { Problem } from './problem.ts';
import { type PreparedResponse, responsePreparer, send } from './reply.ts';
import { replyChecker } from './reply-check.ts';
import { cachedResponses, type ResponseCacheOptions } from './response-cache.ts';
import { Unservable } from './servable.ts';
import { strictHandling } from './strict.ts';
import { turnForLarge } from './turns.ts';
import { allParameterProblems, bodyProblems } from './validation-problems.ts';

export interface PipelineOptions<Who extends Identity, Context> {
  /**
   * What a handler gets beside the request. `identity` is null where the contract asks for no credentials. Links are
   * made with `address`, which is where the request's client reaches the server.
   */
  context: (request: FastifyRequest, identity: Who | null, address: () => string) => Context;
  /** Where this request's client reaches the server, without a slash at the end. */
  address: (request: FastifyRequest) => string;
  /** Sends the response to a request that is refused. */
  sendRefusal: (reply: FastifyReply, status: number, problems: readonly Problem[]) => FastifyReply;
  /** Caches responses; without it every response is made anew. */
  responseCache?: ResponseCacheOptions | undefined;
  /**
   * Holds every reply against the contract, compares cached responses with new ones, and lets operations without a
   * handler respond 501: for development and tests.
   */
  development: boolean;
}

/** What serves one operation. */
export interface Pipeline {
  /** Compile what the operation needs, in steps that take milliseconds each; otherwise its first request does. */
  compilations: readonly (() => void)[];
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** Makes requests that mean the same the same. */
type Normalize = (request: ValidatedRequest) => ValidatedRequest;

/** The pipeline of one operation. */
export function pipeline<Who extends Identity, Context>(
  contract: Contract,
  operation: Operation,
  options: PipelineOptions<Who, Context> & {
    normalize?: Normalize | undefined;
    readValidators?: ReadValidators<Context> | undefined;
  },
): Pipeline {
  const { sendRefusal, responseCache, development, normalize = (request) => request } = options;
  const { parameters = [], requestBody } = operation as OpenAPIV3_1.OperationObject;
  const bodyRequired = requestBody !== undefined && 'required' in requestBody && requestBody.required === true;
  const { fits, compile: compileValidators } = contract.validators;
  const readParameters = parameterReader(parameters, readPathTemplate(operation.path)!, fits);
  const compile = once(() =>
    compiled(operation, () => ({ validators: compileValidators(operation), prepare: preparer() })),
  );
  const cached = responseCache && cachedResponses(operation, responseCache, development);
  const conditional = conditionalReading(operation, options.readValidators);
  const strict = strictHandling(operation);

  function preparer() {
    const prepare = responsePreparer(operation);
    const tag = responseTagger(operation);
    const check = development ? replyChecker(contract.responseValidator, operation) : undefined;
    return async (
      request: FastifyRequest,
      validated: ValidatedRequest,
      address: () => string,
    ): Promise<PreparedResponse> => {
      const outcome = await contract.call(operation, validated, contextOf(request, address));
      const prepared = prepare(outcome);
      const tagged = tag ? tag(prepared) : prepared;
      return check ? check({ ...outcome, headers: tagged.headers }, tagged) : tagged;
    };
  }

  const contextOf = (request: FastifyRequest, address: () => string) =>
    options.context(request, request.identity as Who | null, address);

  return {
    compilations: [compile, () => compile().validators.compileForLargeBodies()],
    handle: async (request, reply) => {
      const { validators, prepare } = compile();
      const body = request.body as Body | undefined;
      if (body === undefined && bodyRequired) return sendRefusal(reply, 400, [emptyBody]);

      const { values, problems } = readParameters(request);
      const isStrict = strict?.takePreference(values.header) ?? false;
      const wrongParameters = [...allParameterProblems(problems, validators.checkParameters(values))];
      if (isStrict) wrongParameters.push(...strict!.unknownParameters(request.query as object));
      if (wrongParameters.length > 0) return sendRefusal(reply, 400, wrongParameters);

      if (body !== undefined) {
        await turnForLarge(body.size);
        const wrong = allBodyProblems(body, body.parsed ? bodyProblems(validators.checkBody(body)) : []);
        if (isStrict && body.parsed) {
          await turnForLarge(body.size);
          wrong.push(...strict!.unknownMembers(body.value));
        }
        if (wrong.length > 0) return sendRefusal(reply, 422, wrong);
        await turnForLarge(body.size);
      }

      const validated = normalize(validatedRequest(values, body));
      const address = () => options.address(request);
      const respond = (link: () => string) => prepare(request, validated, link);
      const read = () => (cached ? cached({ request, validated, address, respond }) : respond(address));
      const made = await (conditional ? conditional(validated, () => contextOf(request, address), read) : read());
      const response = isStrict ? strict!.applied(made) : made;
      if (response.problems === undefined) return send(request, reply, response);
      if (response.headers !== undefined) reply.headers(response.headers);
      return sendRefusal(reply, response.status, response.problems);
    },
  };
}

/** @throws Unservable when a schema cannot be compiled. */
function compiled<T>({ operationId, place }: Operation, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (error instanceof Unservable) throw error;
    throw new Unservable('schema that cannot be compiled', `of ${operationId} (${(error as Error).message})`, place);
  }
}

function validatedRequest({ path, query, header, cookie }: Parameters, body: Body | undefined): ValidatedRequest {
  return { path, query, headers: header, cookies: cookie, body: body?.value };
}
