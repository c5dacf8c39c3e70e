/** Reads a JSON payload: UTF-8, well-formed, and nothing in it that would be lost or altered on the way. */
import { isUtf8 } from 'node:buffer';
import { escape, most, named, type Problem } from './problem.ts';

/** What a payload holds, and the places in it that no client could have meant. */
export interface Payload {
  value: unknown;
  problems: readonly Problem[];
}

/**
 * Texts that may hold such a thing; few do. In valid UTF-8, NUL and lone surrogates can only stand as
 * escapes; a number out of range has an exponent or very many digits.
 */
const suspicious = /\\u(?:0000|d[89a-f])|\de\+?\d|\d{300}/i;

/** Parses a request body; a SyntaxError says why it is not JSON. */
export function parsePayload(bytes: Buffer): Payload {
  if (!isUtf8(bytes)) throw new SyntaxError('The body is not valid UTF-8.');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw new SyntaxError('The body is empty. Send JSON.');
  const value: unknown = parse(text);
  return { value, problems: suspicious.test(text) ? unkeepable(value) : [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`The body is not JSON: ${(error as Error).message}.`);
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
  return { code: 'too_large', message: `${named(pointer)} is a number beyond the range of double precision.`, source: { pointer } };
}

function invalidCharacter(pointer: string, verb: string): Problem {
  return {
    code: 'invalid_character',
    message: `${named(pointer)} ${verb} a NUL character or half of a surrogate pair.`,
    source: { pointer },
  };
}
