/** Reads a JSON body: UTF-8, well-formed, of bounded depth, and nothing in it that would be lost when it is stored. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { countNameSequences, scanJson } from './json-scan.ts';
import { boundPointer, type EngineProblem, maxReportedProblems, pointerLabel, pointerTo } from './problem.ts';
import { problemError } from './problem-error.ts';
import { turnForLarge } from './turns.ts';

/** A body as it was read, and the places in it that hold what cannot be stored. */
export interface Body {
  value: unknown;
  /** How large it was, in bytes. */
  size: number;
  problems: readonly EngineProblem[];
  /** Whether the value was parsed; a text that breaks the limits of all bodies is not. */
  parsed: boolean;
}

/** Makes the routes of a scope read JSON, and nothing else, as a `Body`. */
export function readJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  // Before the body is read and may be found too large.
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    const { 'content-encoding': encoding, 'content-type': type = '', 'content-range': range } = request.headers;
    const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1];
    if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
      // RFC 9110, section 15.5.16: this header tells the client that the coding is the reason.
      reply.header('accept-encoding', 'identity');
      done(problemError(415, unsupportedEncoding));
    } else if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
      done(problemError(415, unsupportedCharset(charset)));
    } else if (range !== undefined && request.method === 'PUT') {
      // RFC 9110, section 14.5: the part would be taken for the whole.
      done(problemError(400, partialBody));
    } else {
      done();
    }
  });
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: unknown, bytes: Buffer) =>
    parseBody(bytes),
  );
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

/** How deep a body may be nested. Free-form values may be 32 levels deep, and stand a few levels down. */
const maxDepth = 64;
/** How long the name of a member may be, in bytes. Names become parts of the pointers in error messages. */
const maxNameLength = 1024;

/** How many different sequences of names the objects of a body may begin with: to parse it then takes some 30 ms. */
const maxNameSequences = 15_000;

/** @throws an HTTP error that says why a body is not JSON. */
async function parseBody(bytes: Buffer): Promise<Body> {
  if (!isUtf8(bytes)) throw problemError(400, malformed('The body is not valid UTF-8.'));
  const { depth, longestName, suspicious } = scanJson(bytes);
  const limits = [
    ...(depth > maxDepth ? [tooDeep] : []),
    ...(longestName > maxNameLength ? [nameTooLong] : []),
    ...(hasManyNames(bytes, depth) ? [tooManyNames] : []),
  ];
  if (limits.length > 0) return { value: undefined, size: bytes.length, problems: limits, parsed: false };
  await turnForLarge(bytes.length);
  const value = parseJson(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (!suspicious) return { value, size: bytes.length, problems: [], parsed: true };
  await turnForLarge(bytes.length);
  return { value, size: bytes.length, problems: findUnstorableValues(value), parsed: true };
}

/** A body has room for more sequences of names than that when each takes some bytes: `"a":0,`. */
function hasManyNames(bytes: Buffer, depth: number): boolean {
  return (
    bytes.length > 5 * maxNameSequences && countNameSequences(bytes, depth, maxNameSequences + 1) > maxNameSequences
  );
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw problemError(400, emptyBody);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problemError(400, malformed(`The body is not JSON: ${(error as Error).message}.`));
  }
}

/** All problems of a body. Of a value that cannot be stored, it is not reported that it breaks the schema too. */
export function allBodyProblems({ problems }: Body, schemaProblems: readonly EngineProblem[]): EngineProblem[] {
  const places = new Set(problems.map(({ source }) => JSON.stringify(source)));
  return [...problems, ...schemaProblems.filter(({ source }) => !places.has(JSON.stringify(source)))];
}

/** The first problems of values that cannot be stored. Calls itself at each level; the depth of a body is bounded. */
function findUnstorableValues(body: unknown): EngineProblem[] {
  const problems: EngineProblem[] = [];
  const path: (string | number)[] = [];
  const visitMember = (step: string | number, value: unknown): void => {
    path.push(step);
    visit(value);
    path.pop();
  };
  const visit = (value: unknown): void => {
    if (problems.length === maxReportedProblems) return;
    if (typeof value === 'string' && !isStorable(value)) problems.push(invalidCharacter(path, 'holds'));
    if (value === Infinity || value === -Infinity) problems.push(outOfRange(path));
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at += 1) visitMember(at, value[at]);
      return;
    }
    for (const name in value) {
      if (isStorable(name)) visitMember(name, value[name as keyof object]);
      else if (problems.length < maxReportedProblems)
        problems.push(invalidCharacter(path, 'has a member whose name holds'));
    }
  };
  visit(body);
  return problems;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function outOfRange(path: readonly (string | number)[]): EngineProblem {
  const pointer = pointerTo(path);
  return {
    code: 'too_large',
    message: `${pointerLabel(pointer)} is a number beyond the range of double precision.`,
    source: { pointer: boundPointer(pointer) },
  };
}

function invalidCharacter(path: readonly (string | number)[], verb: string): EngineProblem {
  const pointer = pointerTo(path);
  return {
    code: 'invalid_character',
    message: `${pointerLabel(pointer)} ${verb} a NUL character or half of a surrogate pair.`,
    source: { pointer: boundPointer(pointer) },
  };
}

const tooDeep: EngineProblem = {
  code: 'too_deep',
  message: `The body is nested more than ${maxDepth} levels deep.`,
  source: { pointer: '' },
};

const nameTooLong: EngineProblem = {
  code: 'invalid_name',
  message: `The body has a member whose name is longer than ${maxNameLength} bytes.`,
  source: { pointer: '' },
};

const tooManyNames: EngineProblem = {
  code: 'too_many_members',
  message:
    `The members of the body have too many different names: its objects begin with more than ${maxNameSequences} ` +
    'different sequences of names. Use fewer names, or the same ones in the same order.',
  source: { pointer: '' },
};

const malformed = (message: string): EngineProblem => ({ code: 'malformed_json', message });

/** The problem of a request without the body that its operation requires. */
export const emptyBody = malformed('The body is empty. Send JSON.');

const unsupportedEncoding: EngineProblem = {
  code: 'unsupported_content_encoding',
  message: 'Send the body as it is, without compression.',
  source: { header: 'content-encoding' },
};

const partialBody: EngineProblem = {
  code: 'invalid_header',
  message: 'Send the whole body, without the header Content-Range: a part of it cannot be put.',
  source: { header: 'content-range' },
};

const unsupportedCharset = (charset: string): EngineProblem => ({
  code: 'unsupported_media_type',
  message: `JSON is sent as UTF-8, not as ${charset}.`,
  source: { header: 'content-type' },
});
