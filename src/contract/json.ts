/** Bodies that need no serialising, or not again. */

/**
 * A body whose text is at hand. `T` is what it parses to.
 *
 * - `new Json(text)`: JSON that is finished, in one piece or streamed. Whoever makes it vouches for it, and
 *   `checkReplies` holds them to it.
 * - `Json.of(value)`: a value that is serialised when it is first sent; sent again, it costs nothing more.
 */
export class Json<T> {
  declare readonly parsed: T;
  #content: string | AsyncIterable<string> | Buffer;
  #value: { value: T } | undefined;

  constructor(text: string | AsyncIterable<string>) {
    this.#content = text;
  }

  static of<T>(value: T): Json<T> {
    const json = new Json<T>('');
    json.#value = { value };
    return json;
  }

  /** The bytes to send, or the pieces of a stream. */
  content(serialize: (value: T) => string): Buffer | AsyncIterable<string> {
    if (this.#value !== undefined) {
      this.#content = serialize(this.#value.value);
      this.#value = undefined;
    }
    // A string would be encoded again each time it is sent.
    if (typeof this.#content === 'string') this.#content = Buffer.from(this.#content);
    return this.#content;
  }
}
