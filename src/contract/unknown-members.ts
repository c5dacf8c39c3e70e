/** Finds the members of a body that its schema does not name, for requests that ask to have them refused. */
import { describesNoMember, memberShape, type Shape, shapeOfItem, shapeOfMember } from './member-shape.ts';
import { suggestion } from './nearest-name.ts';
import {
  boundPointer,
  type EngineProblem,
  maxReportedProblems,
  nameLabel,
  pointerLabel,
  pointerTo,
} from './problem.ts';

/**
 * Returns the function that finds the first problems of this kind. Which members are known: see member-shape.ts.
 */
export function unknownMemberFinder(schema: object): (body: unknown) => EngineProblem[] {
  const bodyShape = memberShape(schema);
  return (body) => {
    const problems: EngineProblem[] = [];
    const path: (string | number)[] = [];
    const visitMember = (step: string | number, value: unknown, inner: () => Shape): void => {
      if (typeof value !== 'object' || value === null) return;
      path.push(step);
      visit(value, inner());
      path.pop();
    };
    // Calls itself at each level; the depth of a body is bounded.
    const visit = (value: object, shape: Shape): void => {
      const { members, ignored, isFree } = shape;
      if (Array.isArray(value)) {
        if (shape.items === undefined && shape.prefix.length === 0) return;
        for (let at = 0; at < value.length && problems.length < maxReportedProblems; at += 1) {
          const inner = shapeOfItem(shape, at);
          if (inner !== undefined) visitMember(at, value[at], inner);
        }
        return;
      }
      if (describesNoMember(shape)) return;
      for (const name in value) {
        if (problems.length === maxReportedProblems) return;
        const inner = shapeOfMember(shape, name);
        if (inner !== undefined) visitMember(name, value[name as keyof object], inner);
        else if (!(isFree || ignored.has(name))) problems.push(unknownMember(path, name, [...members.keys()]));
      }
    };
    if (typeof body === 'object' && body !== null) visit(body, bodyShape());
    return problems;
  };
}

function unknownMember(path: readonly (string | number)[], name: string, known: string[]): EngineProblem {
  const place = path.length === 0 ? 'the body' : pointerLabel(pointerTo(path));
  return {
    code: 'unknown_member',
    message: `${nameLabel(name)} is not a member of ${place}. ${suggestion(name, known)}`,
    source: { pointer: boundPointer(pointerTo([...path, name])) },
  };
}
