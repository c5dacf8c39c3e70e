/** Reads the declared parameters of a request: text becomes the values that the contract's types describe. */
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { declaredParameters, type Parameter } from './parameter-declarations.ts';
import { type Parts, type Place, splitter } from './parameter-styles.ts';
import { converter, type Fits, itemsOf, memberOf, membersOf } from './parameter-values.ts';
import type { PathTemplate } from './path-templates.ts';
import { type EngineProblem, nameLabel } from './problem.ts';

/** Parameters by where they stand, as the compiled validator takes them. */
export type Parameters = Record<Place, Record<string, unknown>>;

/** What a request sent in one place. */
type Sent = Record<string, string | string[] | undefined>;

/** Gives the value of one parameter, undefined when it is absent, or what is wrong with its text. */
type Read = (request: FastifyRequest, query: () => QueryText[]) => unknown;

/** A name and its text in a query; the name is decoded. */
interface QueryText {
  name: string;
  raw: string;
}

/** What is wrong with the text of a parameter. */
class Wrong {
  readonly problem: EngineProblem;
  constructor(problem: EngineProblem) {
    this.problem = problem;
  }
}

/**
 * Returns the function that reads the parameters of one operation. What is written as the contract says becomes a value
 * with the type of its schema; text that is no such value stays text, for the validator to refuse. Undeclared parameters
 * are left out. A default stands in for a parameter that is absent.
 */
export function parameterReader(declared: readonly object[], template: PathTemplate, fits: Fits) {
  const parameters = declaredParameters(declared);
  // Most parameters are one value under one name, which Fastify has read already. These are the fast path.
  const simple = parameters.filter(isSimple).map((one) => simpleReader(one, template, fits));
  const [inPath, inQuery, inHeader] = (['path', 'query', 'header'] as const).map((place) =>
    simple.filter((one) => one.place === place),
  );
  const others = parameters
    .filter((one) => !isSimple(one))
    .map((parameter) => ({ parameter, read: reader(parameter, parameters, template, fits) }));

  return (request: FastifyRequest): { values: Parameters; problems: EngineProblem[] } => {
    const { raw } = request;
    const values: Parameters = { path: {}, query: {}, header: {}, cookie: {} };
    const broken = brokenEscape(raw.url!);
    if (broken !== undefined) return { values, problems: [broken] };
    const problems: EngineProblem[] = [];
    readSimple(inPath!, request.params as Sent, values.path, problems);
    readSimple(inQuery!, request.query as Sent, values.query, problems);
    readSimple(inHeader!, request.headers as Sent, values.header, problems);
    if (others.length === 0) return { values, problems };

    let texts: QueryText[] | undefined;
    const queryTexts = () => (texts ??= splitQuery(raw.url!));
    for (const { parameter, read } of others) {
      const value = read(request, queryTexts);
      if (value instanceof Wrong) problems.push(value.problem);
      else if (value !== undefined) values[parameter.place][parameter.key] = value;
      else if (parameter.fallback !== undefined)
        values[parameter.place][parameter.key] = structuredClone(parameter.fallback);
    }
    return { values, problems };
  };
}

function readSimple(
  readers: readonly SimpleReader[],
  sent: Sent,
  values: Record<string, unknown>,
  problems: EngineProblem[],
): void {
  for (const { place, key, name, convert, fallback } of readers) {
    const text = sent[key];
    if (text === undefined) {
      if (fallback !== undefined) values[name] = fallback;
    } else if (typeof text === 'string') values[name] = convert(text);
    else if (Array.isArray(text)) problems.push(repeated(name, place));
  }
}

/** Whether Fastify's reading of the request has the text of this parameter: one value under one name. */
function isSimple({ place, shape, isJson, style, fallback }: Parameter): boolean {
  const isPlain = style === 'form' || style === 'simple';
  return place !== 'cookie' && shape === 'single' && !isJson && isPlain && typeof fallback !== 'object';
}

type SimpleReader = ReturnType<typeof simpleReader>;

function simpleReader(parameter: Parameter, template: PathTemplate, fits: Fits) {
  const { name, key: declaredKey, schema, fallback } = parameter;
  const place = parameter.place as 'path' | 'query' | 'header';
  const key = place === 'path' ? template.parameters.find((one) => one.name === name)!.key : declaredKey;
  return { place, name: declaredKey, key, convert: converter(schema, fits), fallback };
}

function reader(parameter: Parameter, parameters: readonly Parameter[], template: PathTemplate, fits: Fits): Read {
  const { place, style, explode, shape, isJson } = parameter;
  if (isJson) return jsonReader(parameter, textOf(parameter, template));
  if (place === 'query' && explode && shape === 'array') return repeatedNameReader(parameter, fits);
  if (place === 'query' && explode && shape === 'object') return memberReader(parameter, parameters, fits);
  const split = splitter(place, style, explode, shape, parameter.name);
  const assemble = assembler(parameter, fits);
  const text = textOf(parameter, template);
  return (request, query) => {
    const raw = text(request, query);
    if (typeof raw !== 'string') return raw;
    if (raw === '' && parameter.allowsEmpty) return shape === 'array' ? [] : shape === 'object' ? {} : '';
    const parts = split(raw);
    return parts === undefined ? wrong(parameter, `is not written in the style ${style}`) : assemble(parts);
  };
}

/** Makes the value of a parameter of the texts it consists of. */
function assembler(parameter: Parameter, fits: Fits): (parts: Parts) => unknown {
  const { place, schema, shape } = parameter;
  const decode = decoders[place];
  if (shape === 'single') {
    const convert = converter(schema, fits);
    return (parts) => convert(decode((parts as { single: string }).single));
  }
  if (shape === 'array') {
    const convert = converter(itemsOf(schema), fits);
    return (parts) => (parts as { array: string[] }).array.map((text) => convert(decode(text)));
  }
  const convert = memberConverter(parameter, fits);
  return (parts) => {
    const members = (parts as { object: [string, string][] }).object.map(([name, text]) => [
      decode(name),
      decode(text),
    ]) as [string, string][];
    const names = new Set(members.map(([name]) => name));
    if (names.size < members.length) return wrong(parameter, 'has a member more than once');
    return Object.fromEntries(members.map(([name, text]) => [name, convert(name)(text)]));
  };
}

/** The converter of each member of an object, by name; the text of one that the schema does not know stays text. */
function memberConverter({ schema }: Parameter, fits: Fits): (name: string) => (text: string) => unknown {
  const known = new Map(membersOf(schema).names.map((name) => [name, converter(memberOf(schema, name), fits)]));
  // No member has the empty name in a schema, so this is how all others are read.
  const other = converter(memberOf(schema, ''), fits);
  return (name) => known.get(name) ?? other;
}

/** `?id=1&id=2` */
function repeatedNameReader({ name, schema, allowsEmpty }: Parameter, fits: Fits): Read {
  const convert = converter(itemsOf(schema), fits);
  return (_request, query) => {
    const texts = query().filter((one) => one.name === name);
    if (texts.length === 0) return undefined;
    if (allowsEmpty && texts.length === 1 && texts[0]!.raw === '') return [];
    return texts.map(({ raw }) => convert(decodeQuery(raw)));
  };
}

/** `?x=1&y=2` (`form` with `explode`), or `?point[x]=1&point[y]=2` (`deepObject`). */
function memberReader(parameter: Parameter, parameters: readonly Parameter[], fits: Fits): Read {
  const { name, schema, style } = parameter;
  const convert = memberConverter(parameter, fits);
  const { names, others } = membersOf(schema);
  const taken = new Set(parameters.filter((one) => one !== parameter).flatMap(({ queryNames }) => queryNames));
  const memberName =
    style === 'deepObject'
      ? (sent: string) =>
          sent.startsWith(`${name}[`) && sent.endsWith(']') ? sent.slice(name.length + 1, -1) : undefined
      : (sent: string) => (names.includes(sent) || (others && !taken.has(sent)) ? sent : undefined);
  return (_request, query) => {
    const members = new Map<string, unknown>();
    for (const { name: sent, raw } of query()) {
      const member = memberName(sent);
      if (member === undefined) continue;
      if (members.has(member)) return new Wrong(repeated(sent, 'query'));
      members.set(member, convert(member)(decodeQuery(raw)));
    }
    return members.size === 0 ? undefined : Object.fromEntries(members);
  };
}

/** `content: application/json` */
function jsonReader(parameter: Parameter, text: Read): Read {
  const decode = decoders[parameter.place];
  return (request, query) => {
    const raw = text(request, query);
    if (typeof raw !== 'string') return raw;
    try {
      return JSON.parse(decode(raw));
    } catch {
      return wrong(parameter, 'is not JSON');
    }
  };
}

/** Gives the text of a parameter that has one name, as it was sent. */
function textOf({ place, name, key }: Parameter, { parameters, pattern }: PathTemplate): Read {
  switch (place) {
    case 'query':
      return (_request, query) => {
        const texts = query().filter((one) => one.name === name);
        return texts.length > 1 ? new Wrong(repeated(name, place)) : texts[0]?.raw;
      };
    case 'header':
      return ({ headers }) => (typeof headers[key] === 'string' ? headers[key] : undefined);
    case 'cookie':
      return ({ headers }) => {
        const cookies = parseCookie(headers.cookie ?? '', { decode: (text) => text });
        return Object.hasOwn(cookies, name) ? cookies[name] : undefined;
      };
    case 'path': {
      const { segment } = parameters.find((one) => one.name === name)!;
      const segments = pattern.split('/').length;
      // The plugin may have been registered with a prefix, which stands before the contract's path.
      return ({ raw, routeOptions }) =>
        raw.url!.split(/[?#]/, 1)[0]!.split('/')[routeOptions.url!.split('/').length - segments + segment];
    }
  }
}

function splitQuery(url: string): QueryText[] {
  const begin = url.indexOf('?');
  if (begin < 0) return [];
  return url
    .slice(begin + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.indexOf('=');
      const name = decodeQuery(end < 0 ? pair : pair.slice(0, end));
      return { name, raw: end < 0 ? '' : pair.slice(end + 1) };
    });
}

/** In a query a plus sign is a space, as forms of web pages and URLSearchParams write it. */
const decodeQuery = (raw: string) => decodeURIComponent(raw.replaceAll('+', ' '));

const decoders: Record<Place, (raw: string) => string> = {
  query: decodeQuery,
  // The router has refused broken escapes.
  path: decodeURIComponent,
  header: (raw) => raw,
  cookie: (raw) => {
    try {
      return decodeURIComponent(raw);
    } catch {
      return raw;
    }
  },
};

/** Fastify takes a broken escape in the query for text. */
function brokenEscape(url: string): EngineProblem | undefined {
  if (!url.includes('%')) return undefined;
  try {
    decodeURIComponent(url.slice(url.indexOf('?') + 1));
    return undefined;
  } catch {
    return malformedQuery;
  }
}

const malformedQuery: EngineProblem = {
  code: 'malformed_url',
  message: 'The query is not a valid URL: percent signs must begin an escape of UTF-8 such as %20.',
};

function repeated(parameter: string, place: Place): EngineProblem {
  return {
    code: 'repeated_parameter',
    message: `${parameter} may be given only once.`,
    source: place === 'header' ? { header: parameter } : { parameter },
  };
}

function wrong({ place, key }: Parameter, what: string): Wrong {
  const isHeader = place === 'header';
  return new Wrong({
    code: isHeader ? 'invalid_header' : 'invalid_parameter',
    message: `${nameLabel(key)} ${what}.`,
    source: isHeader ? { header: key } : { parameter: key },
  });
}
