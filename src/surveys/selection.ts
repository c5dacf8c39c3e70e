/** Which members of a survey a response shows: the `only` and `hydrate` parameters. */
import type { Schema } from '../api/handler.ts';
import { surveyMembers } from './members.ts';

export type Member = keyof Schema<'Survey'>;

/** Every member in the order of a response. */
export const allMembers = (Object.keys(surveyMembers) as (keyof typeof surveyMembers)[]).filter(
  (name): name is Member => surveyMembers[name].kind !== 'internal',
);

/**
 * The members that a response shows, in order. `id` always comes; names that are not members are ignored; an
 * empty `only` is as none, an empty `hydrate` brings no relation.
 */
export function selectMembers({ only, hydrate }: { only?: string; hydrate?: string }): readonly Member[] {
  if (!only && hydrate === undefined) return allMembers;
  const named = only ? names(only) : undefined;
  const hydrated = hydrate === undefined ? undefined : names(hydrate);
  return allMembers.filter((member) => {
    if (member === 'id') return true;
    if (named?.has(member)) return true;
    if (surveyMembers[member].kind === 'scalar') return named === undefined;
    return hydrated ? hydrated.has(member) : named === undefined;
  });
}

function names(list: string): Set<string> {
  return new Set(list.split(',').map((name) => name.trim()));
}
