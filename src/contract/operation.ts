/** One operation of a contract, as the engine works with it. */
import type { Operation as BackendOperation } from 'openapi-backend';

/** The methods that a path item may have. Its other members are no operations. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** An operation of the contract, with its path, its method in lower case, and no `$ref` left in it. */
export type Operation = BackendOperation & {
  operationId: string;
  /** What stands before its path, once for each server that has another path. */
  basePaths: readonly string[];
  /** Where requests have credentials: the names of headers, in lower case, and names in the query. */
  credentials: { headers: readonly string[]; query: readonly string[] };
  /** Where it is in the document, as a JSON Pointer. */
  place: string;
};
