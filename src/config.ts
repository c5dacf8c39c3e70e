/** The environment as a typed configuration. Nothing else reads process.env. */

export interface Config {
  host: string;
  port: number;
  databaseUrl: string;
  /** Where clients reach the service, without a slash at the end; unset, links use what a request was sent to. */
  publicUrl?: string;
  logLevel: string;
  /** The largest request body, in bytes. */
  bodyLimit: number;
  /** How much memory the responses kept by one process may take, in bytes; 0 for none. */
  cacheSize: number;
  /** How many processes serve the port. */
  workers: number;
  /** Whether every reply is held against the contract. */
  checkReplies: boolean;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Why the service cannot start: everything that is wrong with the environment, one line each. */
export class ConfigError extends Error {}

/**
 * Reads the configuration. An empty variable counts as unset.
 *
 * @throws ConfigError listing every variable that is wrong, and what would be right.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const wrong: string[] = [];
  const read = <T>(name: string, initial: T, convert: (text: string) => T | undefined, right: string): T => {
    const text = env[name];
    if (text === undefined || text === '') return initial;
    const value = convert(text);
    if (value === undefined) wrong.push(`${name} must be ${right}, not ${JSON.stringify(text)}`);
    return value ?? initial;
  };
  const text = (value: string) => value;
  const config: Config = {
    host: read('HOST', '127.0.0.1', text, 'a host name or address'),
    port: read('PORT', 3000, (value) => wholeNumber(value, 65535), 'a whole number from 0 to 65535'),
    databaseUrl: read(
      'DATABASE_URL',
      'file:./data/service.db',
      fileUrl,
      'file: and a path, such as file:./data/service.db',
    ),
    logLevel: read(
      'LOG_LEVEL',
      'info',
      (value) => logLevels.find((level) => level === value),
      `one of ${logLevels.join(', ')}`,
    ),
    bodyLimit: read(
      'BODY_LIMIT',
      2 ** 20,
      (value) => wholeNumber(value, 2 ** 30),
      'a number of bytes up to 1073741824',
    ),
    cacheSize: read(
      'CACHE_SIZE',
      2 ** 26,
      (value) => wholeNumber(value, 2 ** 34),
      'a number of bytes up to 17179869184, or 0',
    ),
    workers: read('WORKERS', 1, (value) => wholeNumber(value, 64) || undefined, 'a whole number from 1 to 64'),
    checkReplies: ['development', 'test'].includes(env.NODE_ENV ?? ''),
    ...optional(
      'publicUrl',
      read('PUBLIC_URL', undefined, baseUrl, 'an http or https URL without query, such as https://api.example.org'),
    ),
  };
  if (wrong.length > 0)
    throw new ConfigError(`The environment is not right:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  return config;
}

function wholeNumber(text: string, max: number): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

function fileUrl(text: string): string | undefined {
  return /^file:(?!:memory:).+/.test(text) ? text : undefined;
}

function baseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return undefined;
  return text.replace(/\/+$/, '');
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: T };
}
