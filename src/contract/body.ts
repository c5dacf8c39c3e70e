/** Reads a JSON body: UTF-8, well-formed, and nothing in it that would be lost or altered when it is stored. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { type EngineProblem, escapePointerStep, maxReportedProblems, pointerLabel } from './problem.ts';
import { problemError } from './problem-error.ts';

/** A body as it was read, and the places in it that hold what cannot be stored. */
export interface Body {
  value: unknown;
  /** How large it was, in bytes. */
  size: number;
  problems: readonly EngineProblem[];
}

/** Makes the routes of a scope read JSON, and nothing else, as a `Body`. */
export function readJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  // Before the body is read and may be found too large.
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    const { 'content-encoding': encoding, 'content-type': type = '' } = request.headers;
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
    if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
      // RFC 9110, section 15.5.16: this header tells the client that the coding is the reason.
      reply.header('accept-encoding', 'identity');
      done(problemError(415, unsupportedEncoding));
    } else if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
      done(problemError(415, unsupportedCharset(charset)));
    } else {
      done();
    }
  });
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseBody(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Where the contract declares no body, a body that is sent is not read, whatever its media type is. */
export function ignoreBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type'];
    done();
  });
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Text in which values may stand that cannot be stored; few texts match. In valid UTF-8, NUL and lone surrogates can
 * only stand as escapes. A number out of range has an exponent of three digits or very many digits.
 */
const suspicious = /\\u(?:0000|d[89a-f])|(?:^|[:[,\s])-?\d[\d.]*e\+?\d{3}|\d{200}/i;

/** @throws an HTTP error that says why a body is not JSON. */
function parseBody(bytes: Buffer): Body {
  if (!isUtf8(bytes)) throw problemError(400, malformed('The body is not valid UTF-8.'));
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw problemError(400, emptyBody);
  try {
    const value: unknown = JSON.parse(text);
    return { value, size: bytes.length, problems: suspicious.test(text) ? findUnstorableValues(value) : [] };
  } catch (error) {
    throw problemError(400, malformed(`The body is not JSON: ${(error as Error).message}.`));
  }
}

/** All problems of a body. Of a value that cannot be stored, it is not reported that it breaks the schema too. */
export function allBodyProblems({ problems }: Body, schemaProblems: readonly EngineProblem[]): EngineProblem[] {
  const places = new Set(problems.map(({ source }) => JSON.stringify(source)));
  return [...problems, ...schemaProblems.filter(({ source }) => !places.has(JSON.stringify(source)))];
}

/** Walks with a list of its own, because a body may be nested deeper than the call stack is. */
function findUnstorableValues(body: unknown): EngineProblem[] {
  const problems: EngineProblem[] = [];
  const open: { value: unknown; pointer: string }[] = [{ value: body, pointer: '' }];
  for (let next = open.pop(); next !== undefined && problems.length < maxReportedProblems; next = open.pop()) {
    const { value, pointer } = next;
    if (typeof value === 'string' && !isStorable(value)) problems.push(invalidCharacter(pointer, 'holds'));
    if (value === Infinity || value === -Infinity) problems.push(outOfRange(pointer));
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (isStorable(name)) open.push({ value: member, pointer: `${pointer}/${escapePointerStep(name)}` });
      else problems.push(invalidCharacter(pointer, 'has a member whose name holds'));
    }
  }
  return problems;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function outOfRange(pointer: string): EngineProblem {
  return {
    code: 'too_large',
    message: `${pointerLabel(pointer)} is a number beyond the range of double precision.`,
    source: { pointer },
  };
}

function invalidCharacter(pointer: string, verb: string): EngineProblem {
  return {
    code: 'invalid_character',
    message: `${pointerLabel(pointer)} ${verb} a NUL character or half of a surrogate pair.`,
    source: { pointer },
  };
}

const malformed = (message: string): EngineProblem => ({ code: 'malformed_json', message });

/** The problem of a request without the body that its operation requires. */
export const emptyBody = malformed('The body is empty. Send JSON.');

const unsupportedEncoding: EngineProblem = {
  code: 'unsupported_content_encoding',
  message: 'Send the body as it is, without compression.',
  source: { header: 'content-encoding' },
};

const unsupportedCharset = (charset: string): EngineProblem => ({
  code: 'unsupported_media_type',
  message: `JSON is sent as UTF-8, not as ${charset}.`,
  source: { header: 'content-type' },
});
