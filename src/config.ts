/**
 * The settings of the service, read from the environment. Nothing else reads process.env, but for what PostgreSQL's own
 * variables say of a server (postgres/url.ts, and `pg`).
 */
import { type ConnectionOptions, initialOptions } from './database/options.ts';

export interface Config {
  host: string;
  port: number;
  databaseUrl: string;
  /** Where a replica of a database server is that reads may go to. */
  databaseReadUrl: string | undefined;
  /** How many connections one process has to a database server at most. */
  databasePoolSize: number;
  /** How long to wait for a connection to a database server, in milliseconds. */
  databaseTimeout: number;
  /** How long one statement may take on a database server, in milliseconds. */
  databaseStatementTimeout: number;
  /** Whether statements are prepared by name on a database server. Some poolers cannot do that. */
  databasePrepare: boolean;
  /** Where clients reach the service, without a slash at the end. Without it, links use what a request was sent to. */
  publicUrl: string | undefined;
  /** The origins whose pages may call the service from a browser: `*` for any, none when it is undefined. */
  corsOrigins: readonly string[] | '*' | undefined;
  /** Whether responses are compressed for the clients that ask for it. A proxy may do it instead. */
  compression: boolean;
  logLevel: string;
  /** The largest request body, in bytes. */
  bodyLimit: number;
  /** The largest survey that is stored, in bytes. */
  surveySizeLimit: number;
  /** Whether a survey is changed and deleted only with the header If-Match, so that nobody's change is lost. */
  ifMatchRequired: boolean;
  /** How much memory the responses cached by one process may take, in bytes; 0 for none. */
  cacheSize: number;
  /** At the end, how long no request may arrive before the server stops listening, in milliseconds; 0 for at once. */
  drainTime: number;
  /** How many processes serve the port. */
  workers: number;
  /**
   * In development and in tests, every response is checked against the contract, and an operation may lack its handler. In
   * development all schemas are compiled before anything is served; many tests need few of them.
   */
  environment: 'production' | 'development' | 'test';
}

/** One environment variable: its value when it is unset, how its text is read, and what a right text is. */
interface Setting<Value> {
  variable: string;
  initial: Value;
  /** Returns undefined when the text is not right. */
  read: (text: string) => Value | undefined;
  expected: string;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Every setting. A new one gets a member of Config, an entry here and a line in README.md. */
const settings: { [Name in keyof Config]: Setting<Config[Name]> } = {
  host: {
    variable: 'HOST',
    initial: '127.0.0.1',
    read: (text) => text,
    expected: 'a host name or address',
  },
  port: {
    variable: 'PORT',
    initial: 3000,
    read: (text) => wholeNumber(text, 0, 65_535),
    expected: 'a whole number from 0 to 65535',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    initial: 'file:./data/service.db',
    read: databaseUrl,
    expected: 'file: and a path, such as file:./data/service.db, or a URL that begins with postgres://',
  },
  databaseReadUrl: {
    variable: 'DATABASE_READ_URL',
    initial: undefined,
    read: (text) => (isServerUrl(text) ? text : undefined),
    expected: 'a URL that begins with postgres://',
  },
  databasePoolSize: {
    variable: 'DATABASE_POOL_SIZE',
    initial: initialOptions.poolSize,
    // A transaction holds one, and a start needs a second one beside it.
    read: (text) => wholeNumber(text, 2, 1000),
    expected: 'a whole number from 2 to 1000',
  },
  databaseTimeout: {
    variable: 'DATABASE_TIMEOUT',
    initial: initialOptions.timeout,
    read: (text) => wholeNumber(text, 1, 600_000),
    expected: 'a number of milliseconds from 1 to 600000',
  },
  databaseStatementTimeout: {
    variable: 'DATABASE_STATEMENT_TIMEOUT',
    initial: initialOptions.statementTimeout,
    read: (text) => wholeNumber(text, 1, 600_000),
    expected: 'a number of milliseconds from 1 to 600000',
  },
  databasePrepare: {
    variable: 'DATABASE_PREPARE',
    initial: initialOptions.prepare,
    read: trueOrFalse,
    expected: 'true or false',
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    initial: 'info',
    read: (text) => logLevels.find((level) => level === text),
    expected: `one of ${logLevels.join(', ')}`,
  },
  bodyLimit: {
    variable: 'BODY_LIMIT',
    initial: 2 ** 20,
    read: (text) => wholeNumber(text, 0, 2 ** 30),
    expected: 'a number of bytes up to 1073741824',
  },
  surveySizeLimit: {
    variable: 'SURVEY_SIZE_LIMIT',
    initial: 2 ** 22,
    // Below 4096 bytes no survey could be created, and above 64 MiB one would stop everybody else for seconds.
    read: (text) => wholeNumber(text, 2 ** 12, 2 ** 26),
    expected: 'a number of bytes from 4096 to 67108864',
  },
  ifMatchRequired: {
    variable: 'REQUIRE_IF_MATCH',
    initial: false,
    read: trueOrFalse,
    expected: 'true or false',
  },
  compression: {
    variable: 'COMPRESSION',
    initial: true,
    read: trueOrFalse,
    expected: 'true or false',
  },
  cacheSize: {
    variable: 'CACHE_SIZE',
    initial: 2 ** 26,
    read: (text) => wholeNumber(text, 0, 2 ** 34),
    expected: 'a number of bytes up to 17179869184, or 0',
  },
  drainTime: {
    variable: 'DRAIN_TIME',
    initial: 500,
    read: (text) => wholeNumber(text, 0, 5000),
    expected: 'a number of milliseconds up to 5000',
  },
  workers: {
    variable: 'WORKERS',
    initial: 1,
    read: (text) => wholeNumber(text, 1, 64),
    expected: 'a whole number from 1 to 64',
  },
  environment: {
    variable: 'NODE_ENV',
    initial: 'production',
    // Other programs read this variable too, so every text is right.
    read: (text) => (text === 'development' || text === 'test' ? text : 'production'),
    expected: 'the name of an environment',
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    initial: undefined,
    read: httpUrl,
    expected: 'an http or https URL without query, such as https://api.example.org',
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    initial: undefined,
    read: originList,
    expected: 'origins with commas between them, such as https://editor.example.org,http://localhost:5173, or *',
  },
};

/** Why the service cannot start: everything that is wrong with the environment, one line each. */
export class ConfigError extends Error {}

/**
 * Reads the configuration. An empty variable counts as unset.
 *
 * @throws ConfigError listing every variable that is wrong, and what would be right.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const wrong: string[] = [];
  const values = Object.entries(settings).map(([name, { variable, initial, read, expected }]) => {
    const text = env[variable] ?? '';
    const value = text === '' ? initial : read(text);
    if (value === undefined && text !== '')
      wrong.push(`${variable} must be ${expected}${mayHoldPassword(text) ? '' : `, not ${JSON.stringify(text)}`}`);
    return [name, value];
  });
  if (wrong.length > 0)
    throw new ConfigError(`The environment is not right:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  return Object.fromEntries(values) as Config;
}

/** Such a text is not shown. */
function mayHoldPassword(text: string): boolean {
  return /:.*@/s.test(text);
}

function trueOrFalse(text: string): boolean | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}

/** Every setting in lines of text: its variable, what it takes, and its value when it is unset. */
export function describeSettings(): string {
  const all = Object.values(settings);
  const width = Math.max(...all.map(({ variable }) => variable.length)) + 2;
  return all
    .map(({ variable, initial, expected }) => {
      const value = initial === undefined ? '' : `; ${initial} when unset`;
      return `  ${variable.padEnd(width)}${expected}${value}`;
    })
    .join('\n');
}

function wholeNumber(text: string, minimum: number, maximum: number): number | undefined {
  return /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum ? Number(text) : undefined;
}

/** A database in memory is not one: it would be gone with the process. */
function databaseUrl(text: string): string | undefined {
  return /^file:(?!:memory:)./.test(text) || isServerUrl(text) ? text : undefined;
}

function isServerUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text);
}

/** How the connections to a database server are used. */
export function connectionOptions(config: Config): ConnectionOptions {
  const { databaseReadUrl, databasePoolSize, databaseTimeout, databaseStatementTimeout, databasePrepare } = config;
  return {
    readUrl: databaseReadUrl,
    poolSize: databasePoolSize,
    timeout: databaseTimeout,
    statementTimeout: databaseStatementTimeout,
    prepare: databasePrepare,
  };
}

/** Browsers send an origin without a slash at its end, in lower case, and without the usual port: compared as it is. */
function originList(text: string): string[] | '*' | undefined {
  if (text === '*') return text;
  const origins = text.split(',').map((origin) => origin.trim());
  return origins.every((origin) => /^https?:[^*]+$/.test(origin) && URL.parse(origin)?.origin === origin)
    ? origins
    : undefined;
}

function httpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return undefined;
  return text.replace(/\/+$/, '');
}
