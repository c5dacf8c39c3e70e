/** Translations as clients send them: texts by language, and sometimes the original texts among the languages. */

type Translations = Record<string, object | string>;

/** The texts of these names, in each language and beside the languages. The rest of what was sent is not stored. */
export function pickTexts<T extends Translations>(sent: T, names: readonly string[]): T {
  const picked: [string, unknown][] = [];
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== 'string') picked.push([name, pick(value, names)]);
    else if (names.includes(name)) picked.push([name, value]);
  }
  return Object.fromEntries(picked) as T;
}

function pick(value: object, names: readonly string[]): object {
  const picked: Record<string, unknown> = {};
  for (const name in value) if (names.includes(name)) picked[name] = value[name as keyof object];
  return picked;
}

/** The languages in translations: the members that hold texts rather than being one. */
export function translatedLanguages(translations: Translations): string[] {
  return Object.keys(translations).filter((name) => typeof translations[name] === 'object');
}
