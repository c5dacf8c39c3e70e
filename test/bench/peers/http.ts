/** What all peers share of HTTP: where they listen, and how they refuse. */
import { readFileSync } from 'node:fs';

export const port = Number(process.env.PORT);
/** The absolute URL of a path of this server. */
export const url = (path: string) => `${process.env.PUBLIC_URL}${path}`;
/** The contract, for the peers that are made from it. */
export const contract = () => JSON.parse(readFileSync(process.env.CONTRACT!, 'utf8'));

export interface Problem {
  code: string;
  message: string;
  source?: object;
}

export function errorBody(status: number, problems: readonly Problem[], requestId: string) {
  return { errors: problems.map((problem) => ({ status, ...problem })), request_id: requestId };
}

export const unauthorized: Problem = {
  code: 'unauthorized',
  message: "Send a valid access token in the header 'Authorization: Bearer <ACCESS_TOKEN>'.",
  source: { header: 'authorization' },
};
export const insufficientScope = (scope: string): Problem => ({
  code: 'insufficient_scope',
  message: `This operation needs the scope ${scope}, which this access token does not have.`,
});
export const noSurvey = (id: unknown): Problem => ({ code: 'not_found', message: `Survey ${id} does not exist.` });
export const noPath = (path: string): Problem => ({
  code: 'not_found',
  message: `There is nothing at ${path.split('?', 1)[0]}.`,
});
export const tooShort = (pointer: string, limit: number): Problem => ({
  code: 'too_short',
  message: `${pointer.slice(1)} must have at least ${limit} characters.`,
  source: { pointer },
});
export const wrongFormat = (pointer: string, pattern: string): Problem => ({
  code: 'invalid_format',
  message: `${pointer.slice(1)} must match the pattern ${pattern}.`,
  source: { pointer },
});

/** A refusal on its way to where a framework responds to errors. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly problems: readonly Problem[];

  constructor(statusCode: number, ...problems: Problem[]) {
    super(problems[0]?.message);
    this.statusCode = statusCode;
    this.problems = problems;
  }
}

interface AjvError {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, any>;
}

/** What Ajv found wrong with a body. */
export function bodyProblem({ keyword, instancePath: pointer, message = '', params }: AjvError): Problem {
  switch (keyword) {
    case 'minLength':
      return tooShort(pointer, params.limit);
    case 'pattern':
      return wrongFormat(pointer, params.pattern);
    default:
      return { code: keyword, message: `${pointer} ${message}.`, source: { pointer } };
  }
}
