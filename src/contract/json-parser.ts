/** Parses JSON: UTF-8, well-formed, of bounded depth, and nothing in it that would be lost when it is stored. */
import { isUtf8 } from 'node:buffer';
import { countNameSequences, scanJson } from './json-scan.ts';
import { boundPointer, type EngineProblem, maxReportedProblems, pointerLabel, pointerTo } from './problem.ts';
import { problemError } from './problem-error.ts';
import { turnAfterLong, turnForLarge } from './turns.ts';

/** What a body holds, and the places in it that hold what cannot be stored. */
export interface Parsed {
  value: unknown;
  problems: readonly EngineProblem[];
  /** Whether the value was parsed; a text that breaks the limits of all bodies is not. */
  parsed: boolean;
}

/** How deep a body may be nested. Free-form values may be 32 levels deep, and stand a few levels down. */
const maxDepth = 64;
/** How long the name of a member may be, in bytes. Names become parts of the pointers in error messages. */
const maxNameLength = 1024;

/** How many different sequences of names the objects of a body may begin with: to parse it then takes some 30 ms. */
const maxNameSequences = 15_000;

/**
 * Parses a JSON text.
 *
 * @throws an HTTP error that says why it is none.
 */
export function parseJsonBody(bytes: Buffer): Promise<Parsed> {
  return parseWithin(bytes, parseJson);
}

/**
 * Parses JSON texts, one on each line that is not empty, as an array.
 *
 * @throws an HTTP error that says which line is none.
 */
export function parseJsonLines(bytes: Buffer): Promise<Parsed> {
  return parseWithin(bytes, async (text) => {
    const lines = text.split('\n');
    const values: unknown[] = [];
    const parseSome = (from: number) => {
      for (let at = from; at < lines.length && at < from + linesInOneTurn; at += 1)
        if (lines[at]!.trim() !== '') values.push(parseText(lines[at]!, `Line ${at + 1}`));
    };
    for (let at = 0; at < lines.length; at += linesInOneTurn) await turnAfterLong(() => parseSome(at));
    return values;
  });
}

/** After so many lines it is looked whether parsing takes long. */
const linesInOneTurn = 1000;

/** Parses UTF-8 bytes with the limits of all JSON. Nothing is parsed when they are broken. */
async function parseWithin(bytes: Buffer, parse: (text: string) => unknown): Promise<Parsed> {
  if (!isUtf8(bytes)) throw problemError(400, malformed('The body is not valid UTF-8.'));
  const { depth, longestName, suspicious } = scanJson(bytes);
  const limits = [
    ...(depth > maxDepth ? [tooDeep] : []),
    ...(longestName > maxNameLength ? [nameTooLong] : []),
    ...(hasManyNames(bytes, depth) ? [tooManyNames] : []),
  ];
  if (limits.length > 0) return { value: undefined, problems: limits, parsed: false };
  await turnForLarge(bytes.length);
  const value = await parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (!suspicious) return { value, problems: [], parsed: true };
  await turnForLarge(bytes.length);
  return { value, problems: findUnstorableValues(value), parsed: true };
}

/** A body has room for more sequences of names than that when each takes some bytes: `"a":0,`. */
function hasManyNames(bytes: Buffer, depth: number): boolean {
  return (
    bytes.length > 5 * maxNameSequences && countNameSequences(bytes, depth, maxNameSequences + 1) > maxNameSequences
  );
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw problemError(400, emptyBody);
  return parseText(text, 'The body');
}

function parseText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problemError(400, malformed(`${what} is not JSON: ${(error as Error).message}.`));
  }
}

/** The first problems of values that cannot be stored. Calls itself at each level; the depth of a body is bounded. */
export function findUnstorableValues(body: unknown): EngineProblem[] {
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
