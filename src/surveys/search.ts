/** What the parameter `q` looks in. No SQL. */
import { fold } from '../database/fold.ts';
import type { SurveyRow } from '../database/tables.ts';

/** The names of a survey as they are searched: in its base language and in the others, a line each. */
export function searchText({ name, translations }: Pick<SurveyRow, 'name' | 'translations'>): string {
  const languages: Record<string, { name?: string | null } | string> = JSON.parse(translations);
  const translated = Object.values(languages).flatMap((texts) => (typeof texts === 'object' ? (texts.name ?? []) : []));
  return [name, ...translated].map(searchable).join('\n');
}

/** A text as it is searched, and as it is looked for. */
export function searchable(text: string): string {
  // In lower case a word ends with another sigma than it has inside, and a search may end within a word.
  return fold(text).replaceAll('ς', 'σ');
}
