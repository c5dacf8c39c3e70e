/** The paths of a contract as Fastify's router writes them. */

export interface PathTemplate {
  /** What Fastify gets: `/things/:id`. */
  pattern: string;
  /** The parameters in order: their names in the contract and in the pattern, and in which segment each stands. */
  parameters: { name: string; key: string; segment: number; isWholeSegment: boolean }[];
}

/** Reads a path template; undefined when the router cannot serve it. */
export function readPathTemplate(path: string): PathTemplate | undefined {
  if (!path.startsWith('/') || /[*?#\s]/.test(path)) return undefined;
  const parameters: PathTemplate['parameters'] = [];
  const segments = path.split('/').map((text, segment) => {
    const match = /^([^{}]*)\{([^{}]+)\}([^{}]*)$/.exec(text);
    if (match === null) return /[{}]/.test(text) ? undefined : literal(text);
    const [, before = '', name = '', after = ''] = match;
    // The router's names end at a hyphen or dot.
    const key = /^\w+$/.test(name) ? name : `p${parameters.length}`;
    parameters.push({ name, key, segment, isWholeSegment: before === '' && after === '' });
    return after === '' ? `${literal(before)}:${key}` : `${literal(before)}:${key}(^.+)${literal(after)}`;
  });
  if (segments.includes(undefined)) return undefined;
  return { pattern: segments.join('/'), parameters };
}

/** The template without the names of its parameters: two paths with the same one are for the same requests. */
export function templateShape(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}

/** The router takes a colon for the begin of a parameter, unless there are two. */
function literal(text: string): string {
  return text.replaceAll(':', '::');
}
