/** The changes of the contract as Markdown, for a review. */
import type { Impact } from './version.ts';

/** A change as a reviewer reads it. */
export interface Rated {
  impact: Impact;
  operations: string[];
  place: string;
  what: string;
  /** Who is hurt, and what they have to do. */
  who: string;
}

const sections: [impact: Impact, one: string, more: string][] = [
  ['major', 'breaking change', 'breaking changes'],
  ['minor', 'addition', 'additions'],
  ['patch', 'text', 'texts'],
];

export function report(title: string, rated: Rated[], bump: Impact, refusals: string[]): string {
  const groups = sections.map(([impact, one, more]) => ({
    one,
    more,
    changes: rated.filter((change) => change.impact === impact),
  }));
  const counts = groups
    .map(({ one, more, changes: { length } }) => `${length} ${length === 1 ? one : more}`)
    .join(', ');
  const verdict = `${bump === 'none' ? 'Nothing changes for clients' : `Needs a ${bump} step`}${refusals.length > 0 ? '; refused' : ''}`;
  return [
    `# ${title}`,
    `**${verdict}.** ${counts}.`,
    refusals.map((refusal) => `- ${refusal}`).join('\n'),
    ...groups.flatMap(({ more, changes }) =>
      changes.length > 0 ? [`## ${more[0]!.toUpperCase()}${more.slice(1)}`, table(changes)] : [],
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function table(changes: Rated[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const some = (names: string[]) =>
    names.length > 5 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ') || '–';
  return [
    '| Operations | Place | Change | Who is hurt, and what they have to do |',
    '|---|---|---|---|',
    ...changes.map(({ operations, place, what, who }) =>
      ['', some(operations), cell(place), cell(what), cell(who), ''].join(' | ').trim(),
    ),
  ].join('\n');
}
