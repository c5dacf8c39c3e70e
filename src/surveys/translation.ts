/** Translations as clients send them: texts by language, and sometimes the original texts among the languages. */

type Translations = Record<string, object | string>;

/** The texts of these names, in each language and beside the languages. The rest of what was sent is not stored. */
export function pickTexts<T extends Translations>(sent: T, names: readonly string[]): T {
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]): [string, unknown][] => {
      if (typeof value === 'string') return names.includes(name) ? [[name, value]] : [];
      return [[name, Object.fromEntries(Object.entries(value).filter(([member]) => names.includes(member)))]];
    }),
  ) as T;
}

/** The languages in translations: the members that hold texts rather than being one. */
export function translatedLanguages(translations: Translations): string[] {
  return Object.keys(translations).filter((name) => typeof translations[name] === 'object');
}
