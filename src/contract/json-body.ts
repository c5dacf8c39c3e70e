/** A response body whose JSON text exists already. */

/**
 * JSON text, in one piece or streamed, that is sent as it is. `T` is the type of what it parses to. Whoever makes the
 * text is responsible for it; in development it is held against the contract.
 */
export class Json<T> {
  declare readonly parsed: T;
  readonly text: string | AsyncIterable<string>;

  constructor(text: string | AsyncIterable<string>) {
    this.text = text;
  }
}
