/** Values kept in memory for keys that come again. */

/**
 * Keeps what was made for a key, for at most `max` keys: then the oldest goes. What clients send may decide which keys
 * there are, so keys and values must be bounded in size by whoever uses this.
 */
export class Memo<Value> {
  readonly #max: number;
  readonly #values = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string, make: () => Value): Value {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      if (this.#values.size === this.#max) this.#values.delete(this.#values.keys().next().value!);
      this.#values.set(key, value);
    }
    return value;
  }
}
