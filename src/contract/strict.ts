/** `Prefer: handling=strict` (RFC 7240, section 4.4): what the contract does not know is refused instead of ignored. */
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Body } from './body.ts';
import { suggestion } from './nearest-name.ts';
import type { Operation } from './operation.ts';
import { queryNamesOf } from './parameter-declarations.ts';
import { preferences } from './prefer.ts';
import { type EngineProblem, maxReportedProblems, nameLabel } from './problem.ts';
import type { PreparedResponse } from './reply.ts';
import { unknownMemberFinder } from './unknown-members.ts';

/** How one operation serves requests that ask for strict handling. */
export interface StrictHandling {
  /**
   * Takes the header out of a request's headers, and returns whether it asks for strict handling. What is read does not
   * depend on it, so it must not get into the key of a cached response; and a preference is never wrong, only unknown.
   */
  takePreference: (headers: Record<string, unknown>) => boolean;
  unknownParameters: (query: object) => EngineProblem[];
  unknownMembers: (body: Body) => EngineProblem[];
  /** The response that says so, where the contract declares the header for it. */
  applied: (response: PreparedResponse) => PreparedResponse;
}

/** Serves strict handling; undefined where the contract does not declare the header `Prefer`. */
export function strictHandling(operation: Operation): StrictHandling | undefined {
  const { parameters = [], responses } = operation;
  const declared = parameters as OpenAPIV3_1.ParameterObject[];
  if (!declared.some(({ name, in: place }) => place === 'header' && name.toLowerCase() === 'prefer')) return undefined;
  const { names: known, isKnown } = queryNamesOf(operation);
  const finders = new Map<object, ReturnType<typeof unknownMemberFinder>>();
  const findUnknownMembers = (schema: object, body: unknown) => {
    const find = finders.get(schema) ?? unknownMemberFinder(schema);
    finders.set(schema, find);
    return find(body);
  };
  const announced = new Set(
    Object.entries(responses as Record<string, OpenAPIV3_1.ResponseObject>)
      .filter(([, { headers = {} }]) => 'Preference-Applied' in headers)
      .map(([status]) => Number(status)),
  );
  return {
    takePreference: (headers) => {
      const { prefer } = headers;
      if (prefer === undefined) return false;
      delete headers.prefer;
      return preferences(String(prefer)).get('handling') === 'strict';
    },
    unknownParameters: (query) =>
      Object.keys(query)
        .filter((name) => !isKnown(name))
        .slice(0, maxReportedProblems)
        .map((parameter) => ({
          code: 'unknown_parameter',
          message: `${nameLabel(parameter)} is not a parameter of this operation. ${suggestion(parameter, known)}`,
          source: { parameter },
        })),
    unknownMembers: ({ media, value }) => (media.validated ? findUnknownMembers(media.validated, value) : []),
    applied: (response) => {
      const { status, headers = {} } = response;
      if (!announced.has(status)) return response;
      // The handler may have applied other preferences.
      const all = [headers['preference-applied'], 'handling=strict'].filter(Boolean).join(', ');
      return { ...response, headers: { ...headers, 'preference-applied': all } };
    },
  };
}
