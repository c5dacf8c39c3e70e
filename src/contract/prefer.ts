/** The header `Prefer`: what a client would like, and can do without (RFC 7240). */

/**
 * The preferences in a header, by their names in lower case; those without a value have the empty one. Of those given twice
 * the first counts, and their parameters, which come after semicolons, are left out. Whatever is malformed is a preference
 * that nobody knows.
 */
export function preferences(header: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const element of header.match(betweenCommas) ?? []) {
    const preference = beforeSemicolon.exec(element)![0];
    const equals = preference.indexOf('=');
    const name = (equals === -1 ? preference : preference.slice(0, equals)).trim().toLowerCase();
    if (name !== '' && !found.has(name))
      found.set(name, equals === -1 ? '' : word(preference.slice(equals + 1).trim()));
  }
  return found;
}

// In quotes, commas and semicolons are text. The alternatives begin with different characters, so each takes linear time.
const betweenCommas = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/gs;
const beforeSemicolon = /^(?:[^";]|"(?:[^"\\]|\\.)*"?)*/s;

/** A value, which may be a token or in quotes. */
function word(text: string): string {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : text;
}
