/** Which members of a survey a response shows: the `only` and `hydrate` parameters. */
import type { Schema } from '../api/handler.ts';
import { surveyMembers } from './members.ts';
import { Memo } from './memo.ts';

export type Member = keyof Schema<'Survey'>;

/** Every member in the order of a response. */
export const allMembers = (Object.keys(surveyMembers) as (keyof typeof surveyMembers)[]).filter(
  (name): name is Member => surveyMembers[name].kind !== 'internal',
);

/** How a client says which members it wants. */
interface Selection {
  only?: string;
  hydrate?: string;
}

/** What it says: the members, and the one way to say that in `only`, if not all are wanted. */
interface Meaning {
  members: readonly Member[];
  only: string | undefined;
}

/** What a selection says is looked up, not parsed, when it comes again. Clients use few, and short ones. */
const meanings = new Memo<Meaning>(200);
const maxSelectionLength = 500;

/**
 * The members that a response shows, in order. `id` always comes; names that are not members are ignored; an
 * empty `only` is as none, an empty `hydrate` brings no relation.
 */
export function selectMembers(selection: Selection): readonly Member[] {
  return understood(selection).members;
}

/** A selection of the same members that is the same for all of these. */
export function canonicalSelection(selection: Selection): { only?: string } {
  const { only } = understood(selection);
  return only === undefined ? {} : { only };
}

const everything: Meaning = { members: allMembers, only: undefined };

function understood({ only, hydrate }: Selection): Meaning {
  if (!only && hydrate === undefined) return everything;
  const key = JSON.stringify([only, hydrate]);
  const understand = () => {
    const members = select(only ? names(only) : undefined, hydrate === undefined ? undefined : names(hydrate));
    // `id` is always among them, so this is never empty, which would mean all.
    return members.length === allMembers.length ? everything : { members, only: members.join() };
  };
  return key.length <= maxSelectionLength ? meanings.get(key, understand) : understand();
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
