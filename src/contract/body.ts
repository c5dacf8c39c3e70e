/** Reads a JSON payload: UTF-8, well-formed, and nothing in it that would be lost or altered on the way. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { failure } from './http-error.ts';
import { escape, most, named, type Problem } from './problem.ts';

/** What a payload holds, and the places in it that no client could have meant. */
export interface Payload {
  value: unknown;
  /** How large it was, in bytes. */
  size: number;
  problems: readonly Problem[];
}

/** Makes the routes of a scope take JSON, and nothing else, as a `Payload`. */
export function parseJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  // Before the body is read and found too large.
  scope.addHook('preParsing', (request, _reply, _payload, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
    done(charset === undefined || /^utf-?8$/i.test(charset) ? null : failure(415, unsupportedCharset(charset)));
  });
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parsePayload(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Where the contract declares no body, one that is sent is not read, whatever it claims to be. */
export function ignorePayloads(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type'];
    done();
  });
  scope.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null);
  });
}

/**
 * Texts that may hold such a thing; few do. In valid UTF-8, NUL and lone surrogates can only stand as
 * escapes; a number out of range has an exponent of three digits or very many digits.
 */
const suspicious = /\\u(?:0000|d[89a-f])|(?:^|[:[,\s])-?\d[\d.]*e\+?\d{3}|\d{200}/i;

/** @throws a failure that says why a body is not JSON. */
function parsePayload(bytes: Buffer): Payload {
  if (!isUtf8(bytes)) throw failure(400, malformed('The body is not valid UTF-8.'));
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw failure(400, emptyBody);
  try {
    const value: unknown = JSON.parse(text);
    return { value, size: bytes.length, problems: suspicious.test(text) ? unkeepable(value) : [] };
  } catch (error) {
    throw failure(400, malformed(`The body is not JSON: ${(error as Error).message}.`));
  }
}

/** All problems of a body; where it cannot be kept as it is, that it does not fit either is not worth telling. */
export function payloadProblems({ problems }: Payload, unfitting: readonly Problem[]): readonly Problem[] {
  const places = new Set(problems.map(({ source }) => JSON.stringify(source)));
  return [...problems, ...unfitting.filter(({ source }) => !places.has(JSON.stringify(source)))];
}

/** Walks with a list of its own, because a body may be nested deeper than the call stack is. */
function unkeepable(body: unknown): Problem[] {
  const problems: Problem[] = [];
  const open: { value: unknown; pointer: string }[] = [{ value: body, pointer: '' }];
  for (let next = open.pop(); next !== undefined && problems.length < most; next = open.pop()) {
    const { value, pointer } = next;
    if (typeof value === 'string' && !acceptable(value)) problems.push(invalidCharacter(pointer, 'holds'));
    if (value === Infinity || value === -Infinity) problems.push(outOfRange(pointer));
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      if (acceptable(name)) open.push({ value: member, pointer: `${pointer}/${escape(name)}` });
      else problems.push(invalidCharacter(pointer, 'has a member whose name holds'));
    }
  }
  return problems;
}

function acceptable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function outOfRange(pointer: string): Problem {
  return {
    code: 'too_large',
    message: `${named(pointer)} is a number beyond the range of double precision.`,
    source: { pointer },
  };
}

function invalidCharacter(pointer: string, verb: string): Problem {
  return {
    code: 'invalid_character',
    message: `${named(pointer)} ${verb} a NUL character or half of a surrogate pair.`,
    source: { pointer },
  };
}

const malformed = (message: string): Problem => ({ code: 'malformed_json', message });

/** What is wrong when nothing is sent where something is needed. */
export const emptyBody = malformed('The body is empty. Send JSON.');

const unsupportedCharset = (charset: string): Problem => ({
  code: 'unsupported_media_type',
  message: `JSON is sent as UTF-8, not as ${charset}.`,
  source: { header: 'content-type' },
});
