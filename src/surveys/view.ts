/** Which members of a survey a caller gets: the `only` and `hydrate` parameters. */
import type { Schema } from '../api/handler.ts';

export type Member = keyof Schema<'Survey'>;

/** Every member in the order of a reply; relations are those that `only` alone does not bring. */
const members = {
  id: 'scalar',
  name: 'scalar',
  description: 'scalar',
  base_language: 'scalar',
  color: 'scalar',
  type: 'scalar',
  require_approval: 'scalar',
  everyone_can_create: 'scalar',
  disabled: 'scalar',
  hide_author: 'scalar',
  hide_time: 'scalar',
  hide_location: 'scalar',
  targeted_survey: 'scalar',
  can_create: 'relation',
  created: 'scalar',
  updated: 'scalar',
  translations: 'relation',
  enabled_languages: 'relation',
  tasks: 'relation',
  allowed_privileges: 'scalar',
} as const satisfies Record<Member, 'scalar' | 'relation'>;

export const allMembers = Object.keys(members) as Member[];

/**
 * The members to answer with, in order. `id` always comes; names that are not members are ignored; an
 * empty `only` is as none, an empty `hydrate` brings no relation.
 */
export function chosenMembers({ only, hydrate }: { only?: string; hydrate?: string }): Member[] {
  const named = only ? names(only) : undefined;
  const hydrated = hydrate === undefined ? undefined : names(hydrate);
  return allMembers.filter((member) => {
    if (member === 'id') return true;
    if (named?.has(member)) return true;
    if (members[member] === 'scalar') return named === undefined;
    return hydrated ? hydrated.has(member) : named === undefined;
  });
}

function names(list: string): Set<string> {
  return new Set(list.split(',').map((name) => name.trim()));
}
