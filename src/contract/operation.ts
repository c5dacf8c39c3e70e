/** One operation of a contract, as the engine works with it. */
import type { Operation as BackendOperation } from 'openapi-backend';

/** An operation of the contract, with its path, its method in lower case, and no `$ref` left in it. */
export type Operation = BackendOperation & {
  operationId: string;
  /** What stands before its path, once for each server that has another path. */
  basePaths: readonly string[];
  /** The names in the query that hold credentials. */
  queryCredentials: readonly string[];
  /** Where it is in the document, as a JSON Pointer. */
  place: string;
};
