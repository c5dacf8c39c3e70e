/** Handlers that return the contract's examples: a client can be written against them before the service exists. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { readContract } from './document.ts';
import { exampleBody } from './media.ts';
import type { Operation } from './operation.ts';
import { preferences } from './prefer.ts';
import { problemError } from './problem-error.ts';
import type { Outcome } from './types.ts';

/** The context that these handlers need: the request's `Prefer` header. */
export interface Preference {
  prefer: string | undefined;
}

/** The responses of one declared status: the headers it requires, and its examples by name. */
interface ExampleResponse {
  /** As the contract has it, and which one is sent. */
  declared: string;
  status: number;
  headers: Record<string, unknown>;
  bodies: readonly ExampleBody[];
}

interface ExampleBody {
  name: string;
  contentType: string;
  body: unknown;
}

/** Makes a value that fits a schema. */
export type Sample = (schema: object) => unknown;

/**
 * A handler for each operation of the contract. It returns the first example of the first success; with
 * `Prefer: code=404` the first one of that status, with `Prefer: example=name` the one of that name (RFC 7240).
 *
 * @param sample makes the examples that the contract lacks.
 * @throws when the contract lacks an example that is needed, and there is no `sample`.
 */
export function exampleHandlers(document: object, sample?: Sample) {
  const { operations } = readContract(document);
  return Object.fromEntries(operations.map((operation) => [operation.operationId, exampleHandler(operation, sample)]));
}

function exampleHandler(operation: Operation, sample: Sample | undefined) {
  const responses = Object.entries(operation.responses as Record<string, OpenAPIV3_1.ResponseObject>);
  // Successes come first: an object has its keys in the order of numbers, where they are numbers.
  const declared = responses.map(([status, response]) =>
    exampleResponse(status, statusOf(status, responses.length), response, `${operation.operationId} ${status}`, sample),
  );

  return async ({ accept }: { accept?: string }, { prefer = '' }: Preference): Promise<Outcome> => {
    const preferred = preferences(prefer);
    const code = preferred.get('code');
    const name = preferred.get('example');

    const ofCode = declared.filter(
      ({ status, declared }) => code === undefined || [declared, String(status)].includes(code),
    );
    if (ofCode.length === 0)
      throw unavailable(
        'status',
        code!,
        declared.map(({ status }) => status),
      );
    const has = ({ bodies }: ExampleResponse) => bodies.some((example) => example.name === name);
    const chosen = name === undefined ? ofCode[0]! : ofCode.find(has);
    if (chosen === undefined)
      throw unavailable(
        'example',
        name!,
        ofCode.flatMap(({ bodies }) => bodies.map((example) => example.name)),
      );

    const { status, headers, bodies } = chosen;
    const named = bodies.filter((example) => name === undefined || example.name === name);
    const example = named.find(({ contentType }) => contentType === accept) ?? named[0];
    const applied = ['code', 'example']
      .filter((key) => preferred.has(key))
      .map((key) => `${key}=${preferred.get(key)}`);
    return {
      status,
      headers: { ...headers, vary: 'prefer', ...(applied.length > 0 && { 'preference-applied': applied.join(', ') }) },
      ...(example && { contentType: example.contentType, body: example.body }),
    };
  };
}

/** A status for a range of them, and for `default`: a failure where there are others. */
function statusOf(declared: string, count: number): number {
  if (declared === 'default') return count === 1 ? 200 : 500;
  return Number(declared.replace(/XX$/i, '00'));
}

function exampleResponse(
  declared: string,
  status: number,
  { headers = {}, content = {} }: OpenAPIV3_1.ResponseObject,
  place: string,
  sample: Sample | undefined,
): ExampleResponse {
  const required = Object.entries(headers as Record<string, OpenAPIV3_1.HeaderObject>).filter(
    ([, header]) => header.required,
  );
  const bodies = Object.entries(content).flatMap(([type, media]) =>
    examplesOf(media, `${place} ${type}`, sample).map(([name, value]) => ({
      name,
      // Of a range any type is an example.
      contentType: type.replace('*/*', 'application/octet-stream').replace('/*', '/x-example'),
      body: exampleBody(type, value),
    })),
  );
  return {
    declared,
    status,
    headers: Object.fromEntries(
      required.map(([name, header]) => [name, examplesOf(header, `${place} ${name}`, sample)[0]![1]]),
    ),
    bodies,
  };
}

type Exemplified = Pick<OpenAPIV3_1.MediaTypeObject, 'example' | 'examples' | 'schema'>;

function examplesOf(
  { example, examples = {}, schema = {} }: Exemplified,
  place: string,
  sample: Sample | undefined,
): [name: string, value: unknown][] {
  const named = Object.entries(examples as Record<string, OpenAPIV3_1.ExampleObject>).flatMap(
    ([name, { value }]): [string, unknown][] => (value === undefined ? [] : [[name, value]]),
  );
  const all = example === undefined ? named : [...named, ['example', example] as [string, unknown]];
  if (all.length > 0) return all;
  if (sample === undefined) throw new Error(`The contract has no example for ${place}.`);
  return [['sample', sample(schema) ?? null]];
}

function unavailable(what: string, wanted: string, available: unknown[]): Error {
  const choice = available.length === 0 ? 'there is none' : `there is ${available.join(', ')}`;
  const message = `The contract has no ${what} ${JSON.stringify(wanted)} here; ${choice}.`;
  return problemError(400, { code: 'invalid_header', message, source: { header: 'prefer' } });
}
