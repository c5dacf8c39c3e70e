/** How values are written in a request: one table from the place, style and `explode` of a parameter to what takes it apart. */

export type Place = 'path' | 'query' | 'header' | 'cookie';
/** Whether a parameter is one value, an array, or an object. */
export type Shape = 'single' | 'array' | 'object';

/** How a text is taken apart. */
interface Style {
  /** What stands before the first value; `{name}` is the name of the parameter. */
  before: string;
  /** What stands between items, or between members. */
  between: string | RegExp;
  /** Whether a name and its value are joined by `=` or stand one after the other. */
  members: '=' | 'alternating';
  /** What each item of an array begins with. */
  item?: string;
  shapes: readonly Shape[];
}

const all = ['single', 'array', 'object'] as const;
const several = ['array', 'object'] as const;

/**
 * The styles that are within one text. Those of the query that spread over several names are in parameters.ts: `form` with
 * `explode` and `deepObject`.
 */
const styles: Record<string, Style> = {
  'path simple': { before: '', between: ',', members: 'alternating', shapes: all },
  'path simple explode': { before: '', between: ',', members: '=', shapes: all },
  'path label': { before: '.', between: ',', members: 'alternating', shapes: all },
  'path label explode': { before: '.', between: '.', members: '=', shapes: all },
  'path matrix': { before: ';{name}=', between: ',', members: 'alternating', shapes: all },
  'path matrix explode': { before: ';', between: ';', members: '=', item: '{name}=', shapes: all },
  'query form': { before: '', between: ',', members: 'alternating', shapes: all },
  // The delimiter itself has to be encoded.
  'query spaceDelimited': { before: '', between: /%20|\+/, members: 'alternating', shapes: several },
  'query pipeDelimited': { before: '', between: /%7C|\|/i, members: 'alternating', shapes: several },
  'header simple': { before: '', between: ',', members: 'alternating', shapes: all },
  'header simple explode': { before: '', between: ',', members: '=', shapes: all },
  'cookie form': { before: '', between: ',', members: 'alternating', shapes: all },
};

/** The styles that spread over several names of the query. */
const spread: Record<string, readonly Shape[]> = {
  'query form explode': several,
  'query deepObject explode': ['object'],
};

export const defaultStyles: Record<Place, string> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};

/** Whether OpenAPI defines how a value of this shape is written. */
export function isStyle(place: Place, style: string, explode: boolean, shape: Shape): boolean {
  const key = styleKey(place, style, explode);
  return (Object.hasOwn(styles, key) ? styles[key]!.shapes : own(spread, key))?.includes(shape) ?? false;
}

function own(table: Record<string, readonly Shape[]>, key: string): readonly Shape[] | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

const styleKey = (place: Place, style: string, explode: boolean) => `${place} ${style}${explode ? ' explode' : ''}`;

/** The parts of a text: one, several, or with names. */
export type Parts = { single: string } | { array: string[] } | { object: [name: string, text: string][] };

/** Returns the function that takes a text apart; it returns undefined when the text is not written in this style. */
export function splitter(
  place: Place,
  style: string,
  explode: boolean,
  shape: Shape,
  name: string,
): (text: string) => Parts | undefined {
  const {
    before,
    between,
    members,
    item = '',
  } = styles[styleKey(place, style, explode)] ?? styles[`${place} ${style}`]!;
  const prefix = before.replace('{name}', name);
  const itemPrefix = item.replace('{name}', name);
  // Lists in headers may have white space (RFC 9110, section 5.6.1), which an expression could search in quadratic time.
  const takeApart = (text: string) =>
    place === 'header' ? text.split(between).map((part) => part.trim()) : text.split(between);
  return (text) => {
    if (!text.startsWith(prefix)) return undefined;
    const rest = text.slice(prefix.length);
    if (shape === 'object') return objectParts(takeApart(rest), members);
    const texts = shape === 'single' ? [rest] : takeApart(rest);
    if (!texts.every((one) => one.startsWith(itemPrefix))) return undefined;
    const array = texts.map((one) => one.slice(itemPrefix.length));
    return shape === 'single' ? { single: array[0]! } : { array };
  };
}

function objectParts(texts: string[], members: Style['members']): Parts | undefined {
  if (members === 'alternating') {
    if (texts.length % 2 !== 0) return undefined;
    const object = texts.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, texts[at + 1]!]] : []));
    return { object };
  }
  const object = texts.map((text): [string, string] => {
    const end = text.indexOf('=');
    return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
  });
  return { object };
}
