/** Sends what a handler returned, by serialisers compiled from the contract, and checks it when asked to. */
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import build from 'fast-json-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIBackend, Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { Json } from './json-body.ts';
import type { Problem } from './problem.ts';

/** A handler's reply without its static type. */
export interface Outcome {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  problems?: readonly Problem[];
}

interface ReplyOptions {
  refuse: (reply: FastifyReply, status: number, problems: readonly Problem[]) => FastifyReply;
  checkReplies: boolean;
}

type Serialize = (body: unknown) => string;

/** Schemas are shared between operations; so are the serialisers compiled from them. */
const serializers = new WeakMap<object, Serialize>();

/** Returns the function that sends the replies of one operation. */
export function replier(backend: OpenAPIBackend, operation: Operation, { refuse, checkReplies }: ReplyOptions) {
  const responses = operation.responses as Record<string, OpenAPIV3_1.ResponseObject>;
  const serialize = new Map(
    Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/json']?.schema;
      return schema && !isRefusal(Number(status)) ? [[Number(status), serializer(schema)] as const] : [];
    }),
  );

  return async (request: FastifyRequest, reply: FastifyReply, outcome: Outcome): Promise<FastifyReply> => {
    const { status, headers, problems } = outcome;
    if (headers !== undefined) reply.headers(headers);
    if (problems !== undefined) {
      if (checkReplies) checkReply(backend, operation, outcome);
      return refuse(reply, status, problems);
    }
    const toText = serialize.get(status) ?? JSON.stringify;
    const content = outcome.body instanceof Json ? outcome.body.content(toText) : outcome.body && toText(outcome.body);
    const whole = checkReplies && isStream(content) ? (await Array.fromAsync(content)).join('') : content;
    if (checkReplies) checkReply(backend, operation, outcome, whole as string | Buffer | undefined);
    reply.code(status);
    if (whole === undefined) return reply.send();
    reply.header('content-type', 'application/json; charset=utf-8');
    if (!isStream(whole)) return reply.send(whole);
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : Readable.from(whole));
  };
}

function isStream(content: unknown): content is AsyncIterable<string> {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}

function isRefusal(status: number): boolean {
  return status >= 400;
}

function serializer(schema: object): Serialize {
  const known = serializers.get(schema);
  if (known) return known;
  const compiled = build(schema as Parameters<typeof build>[0]) as Serialize;
  serializers.set(schema, compiled);
  return compiled;
}

/**
 * Holds a reply against the contract: what the handler returned, and the text made of it, which is
 * missing when there is no body or the handler refused.
 *
 * @throws a fault named after the operation, when the status is not declared, a body is there that is not
 * declared or the other way round, a body or header does not fit, or a member was returned that is not declared.
 */
function checkReply(backend: OpenAPIBackend, operation: Operation, outcome: Outcome, text?: string | Buffer): void {
  const { status, headers = {}, body, problems } = outcome;
  const fault = (what: string) => new Error(`${operation.operationId} answered ${status} ${what}`);
  const declared = (operation.responses as Record<string, OpenAPIV3_1.ResponseObject>)[status];
  if (declared === undefined) throw fault('which the contract does not declare for it.');

  const required = Object.entries(declared.headers ?? {}).filter(
    ([, header]) => 'required' in header && header.required,
  );
  const sent = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const absent = required.map(([name]) => name).filter((name) => !sent.has(name.toLowerCase()));
  if (absent.length > 0) throw fault(`without the header ${absent.join(', ')}.`);
  const wrongHeaders = backend.validator.validateResponseHeaders(headers, operation, { statusCode: status });
  if (wrongHeaders.errors) throw fault(`with headers that do not fit: ${JSON.stringify(wrongHeaders.errors)}`);

  if (problems !== undefined) return;
  if ((text === undefined) !== (declared.content === undefined))
    throw fault(`${text === undefined ? 'without a' : 'with an undeclared'} body.`);
  if (text === undefined) return;
  const parsed: unknown = JSON.parse(text.toString());
  // The serialiser leaves out what is not declared and converts what has another type: what was returned is looked at.
  const value: unknown = body instanceof Json ? parsed : JSON.parse(JSON.stringify(body));
  const wrong = backend.validator.validateResponse(value, operation, status);
  if (wrong.errors)
    throw fault(
      `with a body that does not fit: ${JSON.stringify(wrong.errors.slice(0, 5), ['instancePath', 'message'])}`,
    );
  if (!isDeepStrictEqual(value, parsed)) throw fault('with a member that the contract does not declare.');
}
