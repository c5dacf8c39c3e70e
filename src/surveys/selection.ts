/** Which members of a survey a response shows: the `only` and `hydrate` parameters. */
import type { Schema } from '../api/handler.ts';
import { surveyMembers } from './members.ts';

export type Member = keyof Schema<'Survey'>;

/** Every member in the order of a response. */
export const allMembers = (Object.keys(surveyMembers) as (keyof typeof surveyMembers)[]).filter(
  (name): name is Member => surveyMembers[name].kind !== 'internal',
);

/** What `only` and `hydrate` say is looked up, not parsed, when it comes again. Clients use few combinations. */
const maxSelections = 200;
const selections = new Map<string, readonly Member[]>();

/**
 * The members that a response shows, in order. `id` always comes; names that are not members are ignored; an
 * empty `only` is as none, an empty `hydrate` brings no relation.
 */
export function selectMembers({ only, hydrate }: { only?: string; hydrate?: string }): readonly Member[] {
  if (!only && hydrate === undefined) return allMembers;
  const key = JSON.stringify([only, hydrate]);
  let members = selections.get(key);
  if (members === undefined) {
    members = select(only ? names(only) : undefined, hydrate === undefined ? undefined : names(hydrate));
    if (selections.size === maxSelections) selections.delete(selections.keys().next().value!);
    selections.set(key, members);
  }
  return members;
}

function select(only: ReadonlySet<string> | undefined, hydrate: ReadonlySet<string> | undefined): Member[] {
  return allMembers.filter((member) => {
    if (member === 'id') return true;
    if (only?.has(member)) return true;
    if (surveyMembers[member].kind === 'scalar') return only === undefined;
    return hydrate ? hydrate.has(member) : only === undefined;
  });
}

function names(list: string): Set<string> {
  return new Set(list.split(',').map((name) => name.trim()));
}
