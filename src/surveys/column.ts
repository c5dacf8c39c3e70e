/** How values are stored in columns, and how what is stored becomes JSON. */

/** A kind of column: `Value` is what it stands for, `Stored` what the database holds. */
export interface Column<Value, Stored> {
  store(value: Value): Stored;
  load(stored: Stored): Value;
  /** The JSON text of the value. */
  toJson(stored: Stored): string;
}

export const text: Column<string, string> = asItIs();
export const nullableText: Column<string | null, string | null> = asItIs();
export const integer: Column<number, number> = { ...asItIs<number>(), toJson: (stored) => `${stored}` };

/** A boolean, stored as 0 or 1. */
export const flag: Column<boolean, 0 | 1> = {
  store: (value) => (value ? 1 : 0),
  load: (stored) => stored === 1,
  toJson: (stored) => (stored === 1 ? 'true' : 'false'),
};

/** Anything that JSON can express, stored as the text that a response holds. */
// biome-ignore lint/suspicious/noExplicitAny: what the text holds is known by the member, not by the column.
export const json: Column<any, string> = { store: JSON.stringify, load: JSON.parse, toJson: (stored) => stored };

function asItIs<T>(): Column<T, T> {
  return { store: (value) => value, load: (stored) => stored, toJson: (stored) => JSON.stringify(stored) };
}
