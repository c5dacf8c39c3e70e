/** Leaves out of what a handler returned what its schema does not declare; all else stays as it is. */
import { describesNoMember, memberShape, type Shape, shapeOfItem, shapeOfMember } from './member-shape.ts';

/**
 * Returns the function that gives a value back without the members that its schema does not know: the value itself when
 * there are none, otherwise a copy. Which members are known: see member-shape.ts.
 */
export function declaredMembers(schema: object): (value: unknown) => unknown {
  const shape = memberShape(schema);
  return (value) => (typeof value === 'object' && value !== null ? keepDeclared(value, shape(), '') : value);
}

function keepDeclared(returned: object, shape: Shape, name: string): unknown {
  const value = 'toJSON' in returned && typeof returned.toJSON === 'function' ? returned.toJSON(name) : returned;
  if (typeof value !== 'object' || value === null) return returned;
  const kept = Array.isArray(value) ? keepInItems(value, shape) : keepInMembers(value, shape);
  return kept === value ? returned : kept;
}

function keepInItems(values: unknown[], shape: Shape): unknown[] {
  if (shape.items === undefined && shape.prefix.length === 0) return values;
  let copy: unknown[] | undefined;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    const inner = shapeOfItem(shape, at);
    if (typeof value !== 'object' || value === null || inner === undefined) continue;
    const kept = keepDeclared(value, inner(), String(at));
    if (kept !== value) (copy ??= [...values])[at] = kept;
  }
  return copy ?? values;
}

function keepInMembers(value: object, shape: Shape): object {
  if (describesNoMember(shape)) return value;
  let changed: Map<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const inner = shapeOfMember(shape, name);
    const member: unknown = value[name as keyof object];
    if (inner === undefined) {
      if (!shape.isFree) (changed ??= new Map()).set(name, undefined);
    } else if (typeof member === 'object' && member !== null) {
      const kept = keepDeclared(member, inner(), name);
      if (kept !== member) (changed ??= new Map()).set(name, kept);
    }
  }
  if (changed === undefined) return value;
  // JSON has no member whose value is undefined.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, changed.has(name) ? changed.get(name) : member]),
  );
}
