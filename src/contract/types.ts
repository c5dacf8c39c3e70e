/** The types of handlers, computed from the `operations` that openapi-typescript writes for a contract. */
import type { Accept, RequestBody, ResponseBody } from './content-types.ts';
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
/** A status without a body may be one of several that share a declaration. */
type Body<S, R> = R extends { content: infer C } ? (S extends 204 | 205 | 304 ? NoBody : ResponseBody<C>) : NoBody;
type NoBody = { body?: never; contentType?: never };
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

/** The statuses that a client may get: `2XX` stands for those of its class, `default` for all that are not declared. */
interface Classes {
  '2XX': 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
  '3XX': 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;
  '4XX': 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | OtherClientErrors;
  '5XX': 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
}
type OtherClientErrors = 415 | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451;
type StatusesOf<Key, Declared> = Key extends number
  ? Key
  : Key extends keyof Classes
    ? Exclude<Classes[Key], Declared>
    : Exclude<Classes[keyof Classes], Declared | Classes[Declared & keyof Classes]>;

/** A reply without its static type. */
export interface Outcome {
  status: number;
  headers?: Record<string, unknown> | undefined;
  /** The media type of the body, where the contract declares several. */
  contentType?: string | undefined;
  body?: unknown;
  problems?: readonly Problem[] | undefined;
}

/** The statuses of an operation's successes, as the contract has them: `default` only where it has no other. */
type Successes<Responses> = {
  [S in keyof Responses]: `${S & (string | number)}` extends `2${string}` ? S : never;
}[keyof Responses];
type SuccessOf<Responses> = [Successes<Responses>] extends [never] ? 'default' & keyof Responses : Successes<Responses>;

/** The media types of an operation's successes. */
type SuccessTypes<Responses> = {
  [S in SuccessOf<Responses>]: Responses[S] extends { content: infer C } ? keyof C : never;
}[SuccessOf<Responses>];

/** The body of a request: without `contentType` where it has one type only, undefined where it may be left out. */
type RequestBodyOf<Declared> = [NonNullable<Declared>] extends [never]
  ? { body: undefined }
  : NonNullable<Declared> extends { content: infer C }
    ? RequestBody<C> | (undefined extends Declared ? { body: undefined; contentType?: undefined } : never)
    : { body: undefined };

/** A validated request: parameters coerced and defaulted, body checked; `cookies` where some are declared. */
export type Request<Ops extends Operations<Ops>, Id extends keyof Ops> = {
  path: Group<Ops[Id]['parameters']['path']>;
  query: Group<Ops[Id]['parameters']['query']>;
  headers: LowercaseKeys<Group<Ops[Id]['parameters']['header']>>;
} & ([NonNullable<Ops[Id]['parameters']['cookie']>] extends [never]
  ? Nothing
  : { cookies: NonNullable<Ops[Id]['parameters']['cookie']> }) &
  RequestBodyOf<Ops[Id]['requestBody']> &
  Accept<SuccessTypes<Ops[Id]['responses']>>;

/** One of the responses the contract declares, told apart by its status. */
export type Reply<Ops extends Operations<Ops>, Id extends keyof Ops> = {
  [Key in keyof Ops[Id]['responses']]: ReplyOf<StatusesOf<Key, keyof Ops[Id]['responses']>, Ops[Id]['responses'][Key]>;
}[keyof Ops[Id]['responses']];

/** The replies of each of these statuses, which share a declaration. */
type ReplyOf<S, R> = S extends unknown ? ({ status: S } & Headers<R> & Body<S, R>) | Refusal<S, R> : never;

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
