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
  #sent = false;

  constructor(text: string | AsyncIterable<string>) {
    this.#content = text;
  }

  static of<T>(value: T): Json<T> {
    const json = new Json<T>('');
    json.#value = { value };
    return json;
  }

  /** What to send: text, its bytes, or the pieces of a stream. */
  content(serialize: (value: T) => string): string | Buffer | AsyncIterable<string> {
    if (this.#value !== undefined) {
      this.#content = serialize(this.#value.value);
      this.#value = undefined;
    }
    if (this.#sent && typeof this.#content === 'string' && !isShort(this.#content))
      this.#content = Buffer.from(this.#content);
    this.#sent = true;
    return this.#content;
  }
}

/**
 * Whether text is sent as fast as its bytes are. Longer text, that is sent again, would be encoded each time. But a
 * buffer is memory outside of the heap, and so is what Node.js needs to send it behind the headers: when each answer
 * has its own, V8 collects garbage all the time.
 */
function isShort(text: string): boolean {
  return text.length < 4096;
}
