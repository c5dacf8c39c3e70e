/** Translations as clients send them: texts by language, and sometimes the original texts among the languages. */

type Translations = Record<string, object | string>;

/** What is kept of the translations: the named members, for each language and beside the languages. */
export function keptTranslations<T extends Translations>(sent: T, members: readonly string[]): T {
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]): [string, unknown][] => {
      if (typeof value === 'string') return members.includes(name) ? [[name, value]] : [];
      return [[name, Object.fromEntries(Object.entries(value).filter(([member]) => members.includes(member)))]];
    }),
  ) as T;
}

/** The languages in translations: the members that hold texts rather than being one. */
export function translatedLanguages(translations: Translations): string[] {
  return Object.keys(translations).filter((name) => typeof translations[name] === 'object');
}
