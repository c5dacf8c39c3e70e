/** Schemas as JavaScript objects without `$ref`, in which a recursive schema is an object that contains itself. */

export type Schema = Readonly<Record<string, unknown>>;

/** What was made of recursive schemas, so that the same schema is compiled once. */
const known = new WeakMap<object, Schema>();

/** The same schema as Ajv can compile it: what contains itself is moved to `$defs` and referred to. */
export function withoutCycles(schema: Schema): Schema {
  const made = known.get(schema) ?? breakCycles(schema);
  known.set(schema, made);
  return made;
}

function breakCycles(schema: Schema): Schema {
  const names = new Map<object, string>();
  const open = new Set<object>();
  const done = new Set<object>();
  const find = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || done.has(value)) return;
    if (open.has(value)) {
      if (!names.has(value)) names.set(value, `recursive-${names.size + 1}`);
      return;
    }
    open.add(value);
    for (const inner of Object.values(value)) find(inner);
    open.delete(value);
    done.add(value);
  };
  find(schema);
  if (names.size === 0) return schema;

  const copies = new Map<object, unknown>();
  const members = (value: object): object =>
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]));
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const name = names.get(value);
    if (name !== undefined) return { $ref: `#/$defs/${name}` };
    if (!copies.has(value)) copies.set(value, Array.isArray(value) ? value.map(copy) : members(value));
    return copies.get(value);
  };
  const definitions = Object.fromEntries([...names].map(([recursive, name]) => [name, members(recursive)]));
  const top = copy(schema) as Schema;
  return { ...top, $defs: { ...(top.$defs as object | undefined), ...definitions } };
}
