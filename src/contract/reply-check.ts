/** Holds replies against the contract, in development and tests: what does not fit is a fault with a clear message. */
import { isDeepStrictEqual } from 'node:util';
import type { SchemaChecks } from './body-validators.ts';
import { Json } from './json-body.ts';
import { isStream, type Media } from './media.ts';
import { pointerLabel } from './problem.ts';
import { ReplyFault } from './problem-error.ts';
import { chosenType, type PreparedResponse } from './reply.ts';
import type { DeclaredResponse, DeclaredResponses } from './responses.ts';
import type { Outcome } from './types.ts';
import { unknownMemberFinder } from './unknown-members.ts';
import { bodyProblems } from './validation-problems.ts';

export interface ReplyChecker {
  /** What a handler returned, with its body in one piece when it was a stream of values. */
  collect: (outcome: Outcome) => Promise<Outcome>;
  /**
   * Checks what was prepared of it, and gives it back, in one piece when it was a stream.
   *
   * @throws ReplyFault, which names the place and what the contract wants.
   */
  check: (outcome: Outcome, prepared: PreparedResponse) => Promise<PreparedResponse>;
}

/** Checks the replies of one operation. */
export function replyChecker(responses: DeclaredResponses, checks: SchemaChecks): ReplyChecker {
  const check = (schema: object, value: unknown): string[] => {
    return bodyProblems(checks.all(schema)(value)).map(({ message, source }) => {
      const { pointer } = source as { pointer: string };
      return pointer === '' || pointer === `/${pointerLabel(pointer)}`
        ? message
        : message.replace(/\.$/, ` (at ${pointer}).`);
    });
  };

  return {
    collect: async (outcome) => {
      const media = chosenType(outcome, responses.of(outcome.status)?.types ?? []);
      if (media?.replies === undefined || !isStream(outcome.body)) return outcome;
      return { ...outcome, body: media.replies.collect(await Array.fromAsync(outcome.body)) };
    },
    check: async (outcome, prepared) => {
      const { status } = outcome;
      const declared = responses.of(status);
      const fail = (what: string): never => {
        throw new ReplyFault(what);
      };
      if (declared === undefined) return fail('which the contract does not declare for it.');
      checkHeaders(declared, { ...prepared.headers, ...outcome.headers }, check, fail);
      if (prepared.problems !== undefined) return prepared;

      const { content: parts } = prepared;
      const content = isStream<string>(parts) ? (await Array.fromAsync(parts)).join('') : parts;
      const media = chosenType(outcome, declared.types) ?? declared.types[0];
      if (content === undefined) {
        const mayBeEmpty = media === undefined || [204, 205, 304].includes(status);
        return mayBeEmpty ? prepared : fail('without a body; the contract declares one.');
      }
      checkBody(media!, outcome.body, content as string | Buffer, check, fail);
      return { ...prepared, content };
    },
  };
}

type CheckSchema = (schema: object, value: unknown) => string[];

function checkHeaders(
  { headers: declared }: DeclaredResponse,
  returned: Record<string, unknown>,
  check: CheckSchema,
  fail: (what: string) => never,
): void {
  const values = new Map(Object.entries(returned).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, { required = false, schema }] of Object.entries(declared)) {
    const value = values.get(name.toLowerCase());
    if (value === undefined) {
      if (required) fail(`without the header ${name}, which the contract requires.`);
      continue;
    }
    const [wrong] = schema === undefined ? [] : check(schema, value);
    if (wrong !== undefined) fail(`with a header that does not fit the contract: ${wrong.replace('The body', name)}`);
  }
}

function checkBody(
  { schema, validated, replies }: Media,
  body: unknown,
  content: string | Buffer,
  check: CheckSchema,
  fail: (what: string) => never,
): void {
  const sent = replies!.read(content);
  // A handler may return what JSON has no word for, and members that are not declared: what it returned is checked.
  const isPlain = typeof sent !== 'string' && !Buffer.isBuffer(sent) && !(body instanceof Json);
  const value: unknown = isPlain ? JSON.parse(JSON.stringify(body)) : sent;
  const problems = validated === undefined ? [] : check(validated, value).slice(0, 5);
  if (problems.length > 0) fail(`with a body that does not fit the contract: ${problems.join(' ')}`);
  if (isDeepStrictEqual(value, sent)) return;
  const unknown = unknownMemberFinder(schema)(value).map(({ message, source }) => {
    const { pointer } = source as { pointer: string };
    return `${message} (at ${pointer})`;
  });
  fail(`with what the contract does not declare: ${unknown.slice(0, 5).join(' ')}`);
}
