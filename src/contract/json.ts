/** JSON that is text already: a handler that has the finished text need not parse it to be typed. */

/**
 * A body that is sent as it stands, in one piece or as a stream of pieces. `T` is what it parses to;
 * whoever makes one vouches for that, and `checkReplies` holds them to it.
 */
export class Json<T> {
  declare readonly parsed: T;
  readonly text: string | AsyncIterable<string>;

  constructor(text: string | AsyncIterable<string>) {
    this.text = text;
  }

  /** The whole text, read to its end. */
  async whole(): Promise<string> {
    return typeof this.text === 'string' ? this.text : (await Array.fromAsync(this.text)).join('');
  }
}
