/** Cursors: the place in a list of surveys from which a client goes on, as opaque text in links. No SQL. */
import { createHash } from 'node:crypto';

/** A place between two surveys of a list: behind or before this one, which may be gone meanwhile. */
export interface Cursor {
  direction: 'after' | 'before';
  id: number;
  /** The value of the member that the list is sorted by; null where it has none, or where that is the identifier. */
  value: string | 0 | 1 | null;
}

/** What a list is of. Its cursors are of no use in a list of anything else. */
export function listName(list: object): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 8);
}

/** The text of a cursor in the list of this name. */
export function encodeCursor({ direction, id, value }: Cursor, list: string): string {
  return Buffer.from(JSON.stringify([list, direction, id, value])).toString('base64url');
}

/** The cursor behind a text; undefined when it is none, or one of another list. */
export function decodeCursor(text: string, list: string): Cursor | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== list) return undefined;
  const [, direction, id, value] = parts;
  const isValue = [null, 0, 1].includes(value) || typeof value === 'string';
  if ((direction !== 'after' && direction !== 'before') || !Number.isSafeInteger(id) || !isValue) return undefined;
  return { direction, id, value };
}
