/** The URL of a PostgreSQL database: where its servers are, and how to connect to one. */
import { type ClientConfig, defaults } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/** A server that may have the database. */
export interface Host {
  host: string;
  port: number;
}

export interface PostgresUrl {
  /** In the order in which they are tried. */
  hosts: Host[];
  /** What is the same for all hosts. */
  config: ClientConfig;
  /** Whether only a server will do that takes writes. */
  writable: boolean;
  /** How the database is named in messages: without user and password. */
  shown: string;
}

/** Which servers will do, as libpq names them: where the service writes, those that only read are of no use. */
const sessionAttributes = {
  writes: ['any', 'read-write', 'primary'],
  reads: ['any', 'read-only', 'standby', 'prefer-standby'],
};

/** The others of libpq leave it to the server whether the connection is encrypted. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** What a URL may say beside where the database is. The rest is refused: to ignore it might be dangerous. */
const parameters = [
  ...['host', 'port', 'user', 'password', 'target_session_attrs', 'application_name', 'options'],
  ...['sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation'],
  ...['lock_timeout', 'idle_in_transaction_session_timeout'],
];

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?PARAMETERS`, with parameters of libpq.
 *
 * @param use whether the service writes there too, or only reads.
 * @throws when it is no such URL, without the URL in the message: it may hold a password.
 */
export function readUrl(url: string, use: 'writes' | 'reads' = 'writes'): PostgresUrl {
  const [, scheme, user = '', authority, rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined) throw new Error('the URL is not right');
  const sent = new URLSearchParams(/\?(.*)$/s.exec(rest!)?.[1]);
  // Which one it is may be a part of a password with a question mark.
  if (![...sent.keys()].every((name) => parameters.includes(name)))
    throw new Error(`the URL has a parameter that is not known; known are ${parameters.join(', ')}`);
  if (!sent.getAll('sslmode').every((mode) => sslModes.includes(mode)))
    throw new Error(`sslmode must be ${sslModes.join(', ')}`);
  const parsed = authority!.split(',').map((address) => {
    if (!URL.canParse(`${scheme}${address}/`)) throw new Error('the URL names a host that is not right');
    // With the meaning that `sslmode` has everywhere else.
    return toClientConfig(parse(`${scheme}${user}${address}${rest}`, { useLibpqCompat: true }));
  });
  const { target_session_attrs: attributes = 'any', ...config } = parsed[0] as ClientConfig & Record<string, string>;
  if (!sessionAttributes[use].includes(attributes))
    throw new Error(`target_session_attrs must be ${sessionAttributes[use].join(', ')}`);
  const writable = use === 'writes' && attributes !== 'any';
  const hosts = parsed.map(({ host, port }) => ({
    host: host || process.env.PGHOST || 'localhost',
    port: Number(port ?? process.env.PGPORT ?? defaults.port),
  }));
  const addresses = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  const shown = `postgres://${addresses}/${config.database ?? ''}`;
  return { hosts, config, writable, shown };
}
