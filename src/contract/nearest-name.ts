/** Which known name a misspelt one may stand for. Own code: what is published counts a transposition as two mistakes. */

/** What to write instead of an unknown name: the nearest known one, or when none is near, all of them. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  return known.length === 0 ? 'There are none.' : `Known are ${known.join(', ')}.`;
}

/** The most mistakes in a name that is still near: one in three characters, and no more than this. */
const maxMistakes = 3;

/** The known name that differs least; undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = maxMistakes + 1;
  for (const candidate of known) {
    // Names of clients can be long: the length tells most of them apart, and bounds the cost of what is compared.
    if (Math.abs(candidate.length - name.length) > 2 * maxMistakes) continue;
    const allowed = Math.min(maxMistakes, Math.max(1, Math.floor(candidate.length / 3)));
    const mistakes = distance(withoutStyle(name), withoutStyle(candidate));
    if (mistakes > allowed || mistakes >= least) continue;
    nearest = candidate;
    least = mistakes;
  }
  return nearest;
}

/** `baseLanguage`, `base-language` and `Base_Language` are one name in different styles. */
function withoutStyle(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/**
 * How many characters have to be inserted, left out, replaced or exchanged with their neighbour to make one text of the
 * other: the Damerau-Levenshtein distance, where no part is changed twice (optimal string alignment).
 */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = last[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isExchanged) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length]!;
}
