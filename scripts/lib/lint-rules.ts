/** Lint rules for the contract that redocly.yaml cannot express as assertions. Redocly loads this file as a plugin. */

// The command line does not publish its types, so the few that are used here are declared here.
interface Location {
  source: { absoluteRef: string };
  pointer: string;
  child(path: string | number | (string | number)[]): Location;
  key(): Location;
}
interface Context {
  location: Location;
  type: { name: string };
  key: string | number;
  report(problem: { message: string; location: Location }): void;
  resolve<T>(node: T | { $ref: string }, from?: string): { node: T | undefined; location: Location | undefined };
}
interface Schema {
  type?: string | string[];
  format?: string;
  pattern?: string;
  'x-expected'?: string;
  'x-no-control-characters'?: boolean;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  'x-max-depth'?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}
/** A request body or a parameter: both hold schemas in the same two places. */
interface SchemaHolder {
  schema?: Schema;
  content?: Record<string, { schema?: Schema }>;
}

const types = (schema: Schema): string[] => [schema.type ?? []].flat();

/** Calls `check` for a schema and all schemas inside it, once each. Redocly's nested visitors stop at the first one. */
function eachSchema(
  schema: Schema | undefined,
  at: Location,
  context: Context,
  check: (schema: Schema, location: Location) => void,
  seen = new Set<string>(),
): void {
  // `resolve` returns the right location for references only; for other nodes it returns the one that Redocly visits.
  const found = schema && '$ref' in schema && context.resolve<Schema>(schema, at.source.absoluteRef);
  const { node, location = at } = found || { node: schema, location: at };
  const place = `${location.source.absoluteRef}${location.pointer}`;
  if (!node || seen.has(place)) return;
  seen.add(place);
  check(node, location);
  const descend = (inner: Schema | undefined, ...path: (string | number)[]) => {
    if (inner) eachSchema(inner, location.child(path), context, check, seen);
  };
  for (const [name, property] of Object.entries(node.properties ?? {})) descend(property, 'properties', name);
  if (typeof node.additionalProperties === 'object') descend(node.additionalProperties, 'additionalProperties');
  descend(node.propertyNames, 'propertyNames');
  descend(node.items, 'items');
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, inner] of (node[keyword] ?? []).entries()) descend(inner, keyword, index);
  }
}

/** Calls `check` for every schema of a request body or a parameter. */
function eachSentSchema(
  holder: SchemaHolder,
  context: Context,
  check: (schema: Schema, location: Location) => void,
): void {
  if (holder.schema) eachSchema(holder.schema, context.location.child('schema'), context, check);
  for (const [mime, { schema }] of Object.entries(holder.content ?? {})) {
    eachSchema(schema, context.location.child(['content', mime, 'schema']), context, check);
  }
}

/** Components get their names from their files, and generated code gets its names from the components. */
const componentNames = () => ({
  ref(node: { $ref: string }, { location, report }: Context) {
    const [, kind, name] =
      /components\/(\w+)\/([^/]+)\.yaml$/.exec(node.$ref) ?? /^\.\/()([^/]+)\.yaml$/.exec(node.$ref) ?? [];
    if (name === undefined) return;
    const fits = kind === 'examples' ? /^[a-z][A-Za-z0-9]*$/ : /^[A-Z][A-Za-z0-9]*$/;
    if (!fits.test(name)) {
      report({
        message: `Name the file of a component in ${kind === 'examples' ? 'camelCase' : 'PascalCase'}: ${name}.`,
        location: location.child('$ref'),
      });
    }
  },
});

const isDate = (text: unknown): text is string => {
  const time = new Date(`${text}T00:00:00Z`);
  return typeof text === 'string' && !Number.isNaN(time.valueOf()) && time.toISOString().slice(0, 10) === text;
};

/** src/contract/deprecation.ts makes response headers of these members. RFC 9745 needs the date of the deprecation. */
const deprecation = () => {
  let paths: string[] = [];
  return {
    Root(root: { paths?: object }) {
      paths = Object.keys(root.paths ?? {});
    },
    Operation(operation: Record<string, unknown>, { location, report }: Context) {
      const { deprecated, 'x-deprecated-since': since, 'x-sunset': sunset, 'x-successor': successor } = operation;
      const reportAt = (name: string, message: string) => report({ message, location: location.child(name).key() });
      if (deprecated && since === undefined)
        reportAt('deprecated', 'Say in x-deprecated-since from which date the operation is deprecated.');
      for (const name of ['x-deprecated-since', 'x-sunset', 'x-successor'].filter((name) => name in operation)) {
        if (!deprecated) reportAt(name, `An operation with ${name} is deprecated: true.`);
        if (name !== 'x-successor' && !isDate(operation[name])) reportAt(name, `Write ${name} as a date: 2027-06-30.`);
      }
      if (isDate(since) && isDate(sunset) && sunset < since)
        reportAt('x-sunset', 'An operation ends after it was deprecated (RFC 9745, section 4).');
      if (successor !== undefined && !paths.includes(String(successor)) && !URL.canParse(String(successor))) {
        reportAt('x-successor', 'Name the successor by its path in the contract, or by an address.');
      }
    },
  };
};

/** Calls `check` for every schema that clients have to meet, wherever it stands in a request. */
const onRequests = (check: (holder: SchemaHolder, context: Context) => void) => ({
  RequestBody: check,
  Parameter: check,
});

/** An error message says in words what is right: src/contract/validation-problems.ts takes them from here. */
const expectedInWords = () =>
  onRequests((holder, context) =>
    eachSentSchema(holder, context, (schema, location) => {
      const keyword = (['pattern', 'x-no-control-characters'] as const).find((name) => schema[name] !== undefined);
      if (keyword === undefined || schema['x-expected']?.trim()) return;
      context.report({
        message:
          'Say in x-expected what the pattern takes, as the end of "must be": a language code such as en or pt-BR.',
        location: location.child(keyword).key(),
      });
    }),
  );

/** Every property, and every schema with a file of its own, has a description: generated clients show it. */
const described = () => ({
  SchemaProperties(properties: Record<string, Schema>, { location, report, resolve }: Context) {
    for (const [name, property] of Object.entries(properties)) {
      if (!resolve(property).node?.description) {
        report({ message: `Describe the property ${name}.`, location: location.child(name).key() });
      }
    }
  },
  NamedSchemas: {
    Schema(schema: Schema, { location, report }: Context) {
      if (!schema.description) report({ message: 'Describe the schema.', location: location.key() });
    },
  },
});

/** Without a format, generators choose the width of an integer themselves, each in its own way. */
const integerFormat = () => ({
  Schema(schema: Schema, { location, report }: Context) {
    if (types(schema).includes('integer') && !['int32', 'int64'].includes(schema.format ?? '')) {
      report({ message: 'Give the integer a format, int32 or int64.', location: location.child('type') });
    }
  },
});

/** Redocly knows the scopes of OAuth 2 schemes only; a bearer scheme lists its own in `x-scopes`. */
const knownScopes = () => {
  const known = new Map<string, string[]>();
  const used: { scheme: string; scopes: string[]; location: Location }[] = [];
  return {
    SecurityScheme(scheme: { 'x-scopes'?: string[] }, { key }: Context) {
      known.set(String(key), scheme['x-scopes'] ?? []);
    },
    SecurityRequirement(requirement: Record<string, string[]>, { location }: Context) {
      for (const [scheme, scopes] of Object.entries(requirement)) {
        used.push({ scheme, scopes, location: location.child(scheme) });
      }
    },
    Root: {
      leave(_: unknown, { report }: Context) {
        for (const { scheme, scopes, location } of used) {
          for (const scope of scopes.filter((scope) => !known.get(scheme)?.includes(scope))) {
            report({ message: `The scope ${scope} is not in x-scopes of the security scheme ${scheme}.`, location });
          }
        }
      },
    },
  };
};

/** Several generators send the default of a member that the caller left out. A PUT would then reset its value. */
const noBodyDefault = () => ({
  RequestBody(body: SchemaHolder, context: Context) {
    eachSentSchema(body, context, (schema, location) => {
      if (schema.default === undefined) return;
      context.report({
        message: 'Say the default of a body member in its description.',
        location: location.child('default'),
      });
    });
  },
});

/** Several generators make code that does not compile from named properties beside a schema for all others. */
const noMixedMap = () => ({
  Schema({ properties, additionalProperties }: Schema, { location, report }: Context) {
    if (properties && typeof additionalProperties === 'object') {
      report({
        message: 'Use either properties or a schema in additionalProperties.',
        location: location.child('additionalProperties').key(),
      });
    }
  },
});

/**
 * Generated clients compile a pattern with the regular expressions of their language. Ruby cannot load `\x9F`, PHP takes it for
 * a byte; `\u` and `\p` are unknown to others.
 */
const portablePattern = () => ({
  Schema({ pattern = '' }: Schema, { location, report }: Context) {
    if (/^[\x20-\x7e]*$/.test(pattern) && !/(?<!\\)(?:\\\\)*\\(?:x[89a-f]|[up])/i.test(pattern)) return;
    report({
      message:
        'Write the pattern so that every language takes it: in ASCII, without \\u and \\p, and without \\x above \\x7F.',
      location: location.child('pattern'),
    });
  },
});

/** Several generators lose keywords beside a $ref in a schema. The built-in rule allows them in 3.1. */
const refAlone = () => ({
  ref(node: { $ref: string }, { location, report, type }: Context) {
    if (type.name !== 'Schema') return;
    for (const keyword of Object.keys(node).filter((keyword) => keyword !== '$ref')) {
      report({
        message: `Move ${keyword} into the schema that is referred to.`,
        location: location.child(keyword).key(),
      });
    }
  },
});

/** Everything a client sends has an upper bound. */
const requestBounds = () =>
  onRequests((holder, context) =>
    eachSentSchema(holder, context, (schema, location) => {
      if (schema.enum || schema.const !== undefined) return;
      const requireBound = (bound: keyof Schema) => {
        if (schema[bound] !== undefined) return;
        context.report({ message: `Give what a client sends a bound: ${bound}.`, location });
      };
      for (const type of types(schema)) {
        if (type === 'string') requireBound('maxLength');
        if (type === 'array') requireBound('maxItems');
        if (type === 'integer' || type === 'number') {
          requireBound('minimum');
          requireBound('maximum');
        }
        // A free-form object is bounded by its depth and by the size of the body.
        if (type === 'object' && schema.additionalProperties && !schema['x-max-depth']) requireBound('maxProperties');
      }
    }),
  );

export default () => ({
  id: 'contract',
  rules: {
    oas3: {
      'component-names': componentNames,
      deprecation,
      described,
      'expected-in-words': expectedInWords,
      'integer-format': integerFormat,
      'known-scopes': knownScopes,
      'no-body-default': noBodyDefault,
      'no-mixed-map': noMixedMap,
      'portable-pattern': portablePattern,
      'ref-alone': refAlone,
      'request-bounds': requestBounds,
    },
  },
});
