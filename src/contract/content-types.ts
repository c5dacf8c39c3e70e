/** The TypeScript types of bodies by their media type; media.ts does at run time what they say. */
import type { Json } from './json-body.ts';
import type { FieldPart, FilePart } from './multipart.ts';

/** `text/csv; charset=utf-8` without its parameters, in lower case. */
type Essence<K> = K extends `${infer Type};${string}` ? Lowercase<Trim<Type>> : Lowercase<K & string>;
type Trim<T extends string> = T extends `${infer Start} ` ? Trim<Start> : T;

type IsJson<E> = E extends 'application/json' | `${string}+json` ? true : false;
type IsLines<E> = E extends `application/${'' | 'x-'}${'ndjson' | 'jsonl' | 'jsonlines'}` ? true : false;
type IsText<E> = E extends
  | `text/${string}`
  | `application/${'xml' | 'yaml' | 'sql' | 'javascript'}`
  | `${string}+${'xml' | 'yaml'}`
  ? true
  : false;
type IsForm<E> = E extends 'application/x-www-form-urlencoded' ? true : false;

/** The parts of a multipart body whose schema has the type `T`. */
type PartsOf<T> = {
  [Name in keyof T & string]: FilePart<Name> | FieldPart<Name, Item<NonNullable<T[Name]>>>;
}[keyof T & string];
type Item<T> = T extends readonly (infer I)[] ? I : T;

/** What a handler gets of a body of the media type `K` whose schema has the type `T`. */
type Received<K, T> = true extends IsJson<Essence<K>> | IsLines<Essence<K>> | IsForm<Essence<K>>
  ? T
  : IsText<Essence<K>> extends true
    ? T & string
    : Essence<K> extends 'multipart/form-data'
      ? AsyncIterable<PartsOf<T>>
      : Buffer;

/** What a handler may return for a body of the media type `K` whose schema has the type `T`. */
type Sent<K, T> =
  IsJson<Essence<K>> extends true
    ? T | Json<T>
    : IsLines<Essence<K>> extends true
      ? T | AsyncIterable<Item<T>>
      : IsText<Essence<K>> extends true
        ? (T & string) | AsyncIterable<string>
        : Uint8Array | AsyncIterable<Uint8Array>;

/** The media types that fit a key of the contract: the key itself, or what a range stands for. */
type Named<K> = K extends '*/*' ? `${string}/${string}` : K extends `${infer Type}/*` ? `${Type}/${string}` : K;

/** Whether it has to be said which type it is: there are several, or one is a range. */
type IsOpen<K> = (K extends `${string}*` ? true : false) | IsUnion<K>;
type IsUnion<T, All = T> = [T] extends [never] ? false : T extends All ? ([All] extends [T] ? false : true) : never;

/** A request body: of several types a union, told apart by `contentType`. */
export type RequestBody<C> = {
  [K in keyof C]: true extends IsOpen<keyof C>
    ? { contentType: Named<K>; body: Received<K, C[K]> }
    : { body: Received<K, C[K]> };
}[keyof C];

/** A response body: of several types a union, told apart by `contentType`. */
export type ResponseBody<C> = {
  [K in keyof C]: true extends IsOpen<keyof C>
    ? { contentType: Named<K>; body: Sent<K, C[K]> }
    : { contentType?: K; body: Sent<K, C[K]> };
}[keyof C];

/** The media type that a client prefers, where the successes of an operation have several. */
export type Accept<K> = true extends IsUnion<K> ? { accept: K } : Record<never, never>;
