/** Texts as queries read them: as bytes, only when they are short, and by what they contain. */
import { type RawBuilder, sql } from 'kysely';

/** Where a text is: in the first of these columns that is not null. */
export type TextColumns = readonly [string, ...string[]];

/** The text; null when it has more bytes than `maxSize`. */
export function textIn(columns: TextColumns, maxSize?: number): RawBuilder<string> {
  const text = firstOf(columns.map((column) => sql.ref<string>(column)));
  return maxSize === undefined ? text : sql`case when ${sizeIn(columns)} <= ${sql.lit(maxSize)} then ${text} end`;
}

/** The same as bytes: long ones are read, checked and decoded in half the time that SQLite takes to hand over the text. */
export function bytesIn(columns: TextColumns): RawBuilder<Buffer> {
  return sql`cast(${textIn(columns)} as blob)`;
}

/** How many bytes these texts have together. */
export function sizeOf(texts: readonly TextColumns[]): RawBuilder<number> {
  return sql.join(
    texts.map((columns) => sql`coalesce(${sizeIn(columns)}, 0)`),
    sql` + `,
  );
}

/** `octet_length` of a column, unlike that of an expression, does not read the text. */
function sizeIn(columns: TextColumns): RawBuilder<number> {
  return firstOf(columns.map((column) => sql<number>`octet_length(${sql.ref(column)})`));
}

function firstOf<T>(values: RawBuilder<T>[]): RawBuilder<T> {
  return values.length === 1 ? values[0]! : sql<T>`coalesce(${sql.join(values)})`;
}

/** Whether a text contains another one, letter by letter. */
export function contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return sql`instr(${text}, ${part}) > 0`;
}

/** What comes in the text of a column after the first `mark`, which it contains. */
export function textAfter(mark: string, column: string): RawBuilder<string> {
  return sql`substr(${sql.ref(column)}, instr(${sql.ref(column)}, ${sql.lit(mark)}) + ${sql.lit(mark.length)})`;
}
