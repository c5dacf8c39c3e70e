/** How what a client sends becomes values: what it leaves out stays as it is, or gets its initial value. */
import type { ClientMember } from './members.ts';

/** What merging needs of a line in the tables of members.ts. */
interface Line {
  by: 'client' | 'service';
  initial?: unknown;
  sent?: (input: never) => unknown;
}

/**
 * Makes a function that gives the members of a table that clients decide, in the order of the table. It takes a request
 * body, or a part of one, and the previous values, if there are any.
 */
export function merger<Value extends object, Input extends object, Table extends Record<string, Line>>(table: Table) {
  const lines = Object.entries(table).filter(([, { by }]) => by === 'client');
  return (sent: Input, previous: Value | undefined): Pick<Value, ClientMember<Table> & keyof Value> => {
    const values: Record<string, unknown> = {};
    for (const [name, line] of lines) {
      const value = line.sent === undefined ? sent[name as keyof Input] : line.sent(sent as never);
      values[name] = sentOrPrevious(value, previous?.[name as keyof Value], line.initial);
    }
    return values as Pick<Value, ClientMember<Table> & keyof Value>;
  };
}

/** What was sent if anything was, null included; else the previous value; else the initial value. */
function sentOrPrevious(sent: unknown, previous: unknown, initial: unknown): unknown {
  return sent !== undefined ? sent : previous !== undefined ? previous : initial;
}
