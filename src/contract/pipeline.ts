/** The way of a request that is authorised: read, validate, call, reply. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Identity } from './authorization.ts';
import { allBodyProblems, type Body, type DeclaredBody, declaredBody, missingBody } from './body.ts';
import { bodyValidators } from './body-validators.ts';
import { acceptedCoding } from './codings.ts';
import { compressible, encoded } from './compression.ts';
import { conditionalReading, type ReadValidators, responseTagger } from './conditional.ts';
import type { Media } from './media.ts';
import { preferred } from './media-type.ts';
import { multipartReader } from './multipart.ts';
import { once } from './once.ts';
import type { Contract, ValidatedRequest } from './openapi.ts';
import type { Operation } from './operation.ts';
import { parameterReader } from './parameters.ts';
import { readPathTemplate } from './path-templates.ts';
import type { EngineProblem, Problem } from './problem.ts';
import { problemError, ReplyFault } from './problem-error.ts';
import { addToHeader, type PreparedResponse, responsePreparer, send } from './reply.ts';
import { replyChecker } from './reply-check.ts';
import { cachedResponses, type ResponseCacheOptions } from './response-cache.ts';
import { declaredResponses } from './responses.ts';
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
  /** Whether responses are compressed for the clients that ask for it. */
  compresses?: boolean;
  /**
   * Holds every reply against the contract, compares cached responses with new ones, and lets operations without a
   * handler respond 501: for development and tests.
   */
  development: boolean;
}

/** What serves one operation. */
export interface Pipeline {
  /** The bodies that the contract declares; undefined when there are none. */
  body: DeclaredBody | undefined;
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
  const { sendRefusal, responseCache, compresses = false, development, normalize = (request) => request } = options;
  const { parameters = [] } = operation as OpenAPIV3_1.OperationObject;
  const declared = declaredBody(operation);
  const responses = declaredResponses(operation);
  const { negotiated } = responses;
  const multipart = declared?.types.find(({ parse }) => parse === undefined)?.declared;
  const { fits, compile: compileValidators } = contract.validators;
  const readParameters = parameterReader(parameters, readPathTemplate(operation.path)!, fits);
  const compile = once(() =>
    compiled(operation, () => ({
      validators: compileValidators(operation),
      bodies: declared && bodyValidators(declared, contract.checks),
      readParts: multipart && multipartReader(multipart, (schema) => contract.checks.all(schema)),
      prepare: preparer(),
    })),
  );
  const cached = responseCache && cachedResponses(operation, responseCache, development);
  const conditional = conditionalReading(operation, options.readValidators, compresses);
  const strict = strictHandling(operation);

  function preparer() {
    const prepare = responsePreparer(responses);
    const tag = responseTagger(operation, responses, compresses);
    const finish = (prepared: PreparedResponse) => {
      const tagged = tag ? tag(prepared) : prepared;
      return compresses ? compressible(tagged) : tagged;
    };
    const checker = development ? replyChecker(responses, contract.checks) : undefined;
    return async (
      request: FastifyRequest,
      validated: ValidatedRequest,
      address: () => string,
    ): Promise<PreparedResponse> => {
      const outcome = await contract.call(operation, validated, contextOf(request, address));
      try {
        if (checker === undefined) return finish(prepare(outcome));
        const collected = await checker.collect(outcome);
        return await checker.check(collected, finish(prepare(collected)));
      } catch (error) {
        if (!(error instanceof ReplyFault)) throw error;
        const message = `${operation.operationId} responded ${outcome.status} ${error.message}`;
        throw development ? problemError(500, { code: 'internal_error', message }) : new Error(message);
      }
    };
  }

  const contextOf = (request: FastifyRequest, address: () => string) =>
    options.context(request, request.identity as Who | null, address);

  return {
    body: declared,
    compilations: [compile, () => compile().bodies?.compileForLargeBodies()],
    handle: async (request, reply) => {
      const { validators, bodies, readParts, prepare } = compile();
      const accept = negotiated.length > 0 ? preferred(request.headers.accept, negotiated) : undefined;
      if (negotiated.length > 0) {
        addToHeader(reply, 'vary', 'accept');
        if (accept === undefined) return sendRefusal(reply, 406, [notAcceptable(negotiated)]);
      }
      const body = request.body as Body | undefined;
      if (body === undefined && declared?.required && request.bodyType === null)
        return sendRefusal(reply, 400, [missingBody(declared)]);

      const { values, problems } = readParameters(request);
      const isStrict = strict?.takePreference(values.header) ?? false;
      const wrongParameters = [...allParameterProblems(problems, validators.checkParameters(values))];
      if (isStrict) wrongParameters.push(...strict!.unknownParameters(request.query as object));
      if (wrongParameters.length > 0) return sendRefusal(reply, 400, wrongParameters);

      if (body !== undefined) {
        await turnForLarge(body.size);
        const wrong = allBodyProblems(body, body.parsed ? bodyProblems(bodies!.check(body)) : []);
        if (isStrict && body.parsed) {
          await turnForLarge(body.size);
          wrong.push(...strict!.unknownMembers(body));
        }
        if (wrong.length > 0) return sendRefusal(reply, 422, wrong);
        await turnForLarge(body.size);
      }

      const parts = body === undefined && request.bodyType !== null ? readParts!(request) : undefined;
      const { contentType } = request.bodyType ?? {};
      const validated = normalize({
        path: values.path,
        query: values.query,
        headers: values.header,
        cookies: values.cookie,
        body: parts ?? body?.value,
        ...(contentType !== undefined && { contentType }),
        ...(accept !== undefined && { accept: accept.name }),
      });
      const address = () => options.address(request);
      const respond = (link: () => string) => prepare(request, validated, link);
      const read = () => (cached ? cached({ request, validated, address, respond }) : respond(address));
      const coding = compresses ? acceptedCoding(request.headers['accept-encoding'] as string | undefined) : undefined;
      const context = () => contextOf(request, address);
      const make = () => (conditional ? conditional(validated, context, read, coding) : read());
      const made = await (parts ? parts.during(reply, make) : make());
      const response = isStrict ? strict!.applied(made) : made;
      if (response.problems === undefined) {
        return send(request, reply, coding === undefined ? response : await encoded(response, coding));
      }
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

const notAcceptable = (available: readonly Media[]): EngineProblem => ({
  code: 'not_acceptable',
  message: `This operation responds with ${available.map(({ name }) => name).join(' or ')}.`,
  source: { header: 'accept' },
});
