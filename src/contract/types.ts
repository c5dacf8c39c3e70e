/** The types of handlers, computed from the `operations` that openapi-typescript writes for a contract. */
import type { Json } from './json-body.ts';
import type { Validators } from './preconditions.ts';
import type { Problem } from './problem.ts';

interface Operation {
  parameters: { path?: unknown; query?: unknown; header?: unknown; cookie?: unknown };
  requestBody?: { content: object } | undefined;
  responses: object;
}
/** The shape of every `operations` interface; an interface has no index signature, hence the mapped type. */
export type Operations<Ops> = { [Id in keyof Ops]: Operation };

/** A type with no members that are known. */
type Nothing = Record<never, never>;
type Group<T> = [NonNullable<T>] extends [never] ? Nothing : NonNullable<T>;
/** Headers by their names in lower case, without `Prefer`: the engine takes it out (strict.ts). */
type LowercaseKeys<T> = { [K in keyof T as Exclude<Lowercase<K & string>, 'prefer'>]: T[K] };
/** The named members of a type that also has an index signature, as generated response headers have. */
type Declared<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type Body<R> = R extends { content: infer C } ? { body: C[keyof C] | Json<C[keyof C]> } : { body?: never };
/** Headers that a handler gives. It may leave out the entity tag of what it reads: the engine makes one of the content. */
type Given<H> = Omit<H, 'ETag'> & { [Name in keyof H & 'ETag']?: H[Name] };
type Headers<R> = R extends { headers: infer H }
  ? Nothing extends Given<Declared<H>>
    ? { headers?: Given<Declared<H>> }
    : { headers: Given<Declared<H>> }
  : Nothing;
/** A client or server error may be returned as its problems alone: the application makes the body of them. */
type Refusal<S, R> = S extends number
  ? `${S}` extends `4${string}` | `5${string}`
    ? {
        status: S;
        problems: readonly Problem[];
        body?: never;
        headers?: R extends { headers: infer H } ? Declared<H> : never;
      }
    : never
  : never;

/** A reply without its static type. */
export interface Outcome {
  status: number;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  problems?: readonly Problem[] | undefined;
}

/** A validated request: parameters coerced and defaulted, body checked; `cookies` where some are declared. */
export type Request<Ops extends Operations<Ops>, Id extends keyof Ops> = {
  path: Group<Ops[Id]['parameters']['path']>;
  query: Group<Ops[Id]['parameters']['query']>;
  headers: LowercaseKeys<Group<Ops[Id]['parameters']['header']>>;
  body: Ops[Id]['requestBody'] extends { content: infer C } ? C[keyof C] : undefined;
} & ([NonNullable<Ops[Id]['parameters']['cookie']>] extends [never]
  ? Nothing
  : { cookies: NonNullable<Ops[Id]['parameters']['cookie']> });

/** One of the responses the contract declares, told apart by its status. */
export type Reply<Ops extends Operations<Ops>, Id extends keyof Ops> = {
  [S in keyof Ops[Id]['responses']]:
    | ({ status: S } & Headers<Ops[Id]['responses'][S]> & Body<Ops[Id]['responses'][S]>)
    | Refusal<S, Ops[Id]['responses'][S]>;
}[keyof Ops[Id]['responses']];

/** Performs one operation: gets a validated request and returns one of the declared responses. */
export type Handler<Ops extends Operations<Ops>, Id extends keyof Ops, Context> = (
  request: Request<Ops, Id>,
  context: Context,
) => Promise<Reply<Ops, Id>>;

/** Exactly one handler for every operationId. */
export type Handlers<Ops extends Operations<Ops>, Context> = {
  [Id in keyof Ops]: Handler<Ops, Id, Context>;
};

/** For any operationId that reads, what tells the state of what it would read. */
export type ValidatorReaders<Ops extends Operations<Ops>, Context> = {
  [Id in keyof Ops]?: (request: Request<Ops, Id>, context: Context) => Promise<Validators | undefined>;
};

/** For any operationId, what makes requests that mean the same the same. */
export type Normalizers<Ops extends Operations<Ops>> = {
  [Id in keyof Ops]?: (request: Request<Ops, Id>) => Request<Ops, Id>;
};
