/** The JSON text of a long list, made while it is being sent. */

/** Items are put together until they are this long, so that they are not sent one by one. */
const pieceLength = 2 ** 15;

/**
 * The text `start`, the items with commas between them, and `end`, in pieces. A batch of items is read when the one
 * before it was sent.
 *
 * What was sent can be collected as garbage, however slowly the rest is read: the array of a batch is emptied, and
 * this is no generator function, because those hold what they yielded until they go on.
 */
export function listText(start: string, batches: AsyncIterable<string[]>, end: string): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => new Pieces(start, batches[Symbol.asyncIterator](), end) };
}

class Pieces implements AsyncIterator<string, undefined> {
  /** What comes before the next item. */
  #separator: string;
  readonly #end: string;
  readonly #batches: AsyncIterator<string[]>;
  #batch: string[] = [];
  #ended = false;

  constructor(start: string, batches: AsyncIterator<string[]>, end: string) {
    this.#separator = start;
    this.#batches = batches;
    this.#end = end;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    while (this.#batch.length === 0) {
      const { done, value } = await this.#batches.next();
      if (done) {
        this.#ended = true;
        return { done: false, value: (this.#separator === ',' ? '' : this.#separator) + this.#end };
      }
      this.#batch = value;
    }
    let piece = '';
    while (this.#batch.length > 0 && piece.length < pieceLength) {
      piece += this.#separator + this.#batch.shift()!;
      this.#separator = ',';
    }
    return { done: false, value: piece };
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#ended = true;
    this.#batch = [];
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }
}
