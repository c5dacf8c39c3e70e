/** How the connections to a database server are used. No driver is imported here: config.ts reads this too. */

export interface ConnectionOptions {
  /** How many connections there are at most. */
  poolSize: number;
  /** How long to wait for a connection, in milliseconds. */
  timeout: number;
  /** How long one statement may take, in milliseconds. */
  statementTimeout: number;
  /** Whether statements are prepared on the server, by name. */
  prepare: boolean;
  /** Where a replica is that reads may go to. */
  readUrl?: string | undefined;
}

/** What counts where nothing else is said. */
export const initialOptions = {
  poolSize: 10,
  timeout: 5000,
  statementTimeout: 30_000,
  prepare: true,
} as const satisfies ConnectionOptions;
