/** Holds replies against the contract, in development and tests: what does not fit is a fault with a clear message. */
import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIValidator, Operation } from 'openapi-backend';
import type { OpenAPIV3_1 } from 'openapi-types';
import { Json } from './json-body.ts';
import { isStream, type PreparedResponse } from './reply.ts';
import type { Outcome } from './types.ts';

/** What the contract calls a response, and how to say that a reply is none. */
interface Declaration {
  operation: Operation;
  response: OpenAPIV3_1.ResponseObject;
  fault: (what: string) => Error;
}

/**
 * Returns the function that checks what a handler returned and what was prepared of it. It gives the response back,
 * in one piece when it was a stream.
 *
 * @throws a fault named after the operation, when the status is not declared, a body is there that is not declared
 * or the other way round, a body or header does not fit, or a member was returned that is not declared.
 */
export function replyChecker(validator: OpenAPIValidator, operation: Operation) {
  return async (outcome: Outcome, prepared: PreparedResponse): Promise<PreparedResponse> => {
    const { status, body } = outcome;
    const fault = (what: string) => new Error(`${operation.operationId} responded ${status} ${what}`);
    const response = (operation.responses as Record<string, OpenAPIV3_1.ResponseObject>)[status];
    if (response === undefined) throw fault('which the contract does not declare for it.');
    const declaration = { operation, response, fault };
    checkHeaders(validator, declaration, outcome);
    if (prepared.problems !== undefined) return prepared;

    const { content: parts } = prepared;
    const content = isStream(parts) ? (await Array.fromAsync(parts)).join('') : parts;
    if ((content === undefined) !== (response.content === undefined)) {
      throw fault(`${content === undefined ? 'without a' : 'with an undeclared'} body.`);
    }
    if (content !== undefined) checkBody(validator, declaration, body, status, String(content));
    return { ...prepared, content };
  };
}

function checkHeaders(
  validator: OpenAPIValidator,
  { operation, response, fault }: Declaration,
  { status, headers = {} }: Outcome,
): void {
  const required = Object.entries(response.headers ?? {}).filter(
    ([, header]) => 'required' in header && header.required,
  );
  const sent = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const absent = required.map(([name]) => name).filter((name) => !sent.has(name.toLowerCase()));
  if (absent.length > 0) throw fault(`without the header ${absent.join(', ')}.`);
  const { errors } = validator.validateResponseHeaders(headers, operation, { statusCode: status });
  if (errors) throw fault(`with headers that do not fit: ${JSON.stringify(errors)}`);
}

function checkBody(
  validator: OpenAPIValidator,
  { operation, fault }: Declaration,
  body: unknown,
  status: number,
  text: string,
): void {
  const parsed: unknown = JSON.parse(text);
  // The serialiser leaves out what is not declared and converts what has another type: what was returned is checked.
  const value: unknown = body instanceof Json ? parsed : JSON.parse(JSON.stringify(body));
  const { errors } = validator.validateResponse(value, operation, status);
  if (errors) {
    const first = JSON.stringify(errors.slice(0, 5), ['instancePath', 'message']);
    throw fault(`with a body that does not fit: ${first}`);
  }
  if (!isDeepStrictEqual(value, parsed)) throw fault('with a member that the contract does not declare.');
}
