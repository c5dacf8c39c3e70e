/** How what a client sends becomes values: what it leaves out stays as it is, or gets its initial value. */
import type { ClientMember } from './members.ts';

/** What merging needs of a line in the tables of members.ts. */
interface Line {
  by: 'client' | 'service';
  initial?: unknown;
  sent?: (input: never) => unknown;
}

/**
 * Makes a function that gives the values of the members of a table, in the order of the table. Of those that clients
 * decide, the value is what was sent if anything was, null included; else the previous value; else the initial value.
 * The values of the others are `own`.
 */
export function merger<Value extends object, Input extends object, Table extends Record<string, Line>>(table: Table) {
  const lines = Object.entries(table).filter(([, { by }]) => by === 'client');
  // Copied and then changed, because that is several times as fast as building an object member by member.
  const template = Object.fromEntries(Object.entries(table).map(([name, line]) => [name, line.initial]));
  return (sent: Input, previous: Value | undefined, own: Omit<Value, ClientMember<Table>>): Value => {
    const values = { ...template };
    for (const [name, line] of lines) {
      const value = line.sent === undefined ? sent[name as keyof Input] : line.sent(sent as never);
      const result = value !== undefined ? value : previous?.[name as keyof Value];
      if (result !== undefined) values[name] = result;
    }
    return Object.assign(values, own) as Value;
  };
}
