/** `npm run token`: creates, lists and revokes access tokens. */
import { type Role, roles } from '../src/api/caller.ts';
import { ConfigError, connectionOptions, readConfig } from '../src/config.ts';
import { type Database, DatabaseError, openDatabase } from '../src/database/database.ts';
import { grantToken, listTokens, revokeToken, TokenError } from '../src/users/store.ts';
import { commandLine } from './lib/command-line.ts';

const usage = `Usage:
  npm run --silent token -- create --user NAME --role ${roles.join('|')} [--expires 90d]
      prints a new token, alone; the user is created when there is none of this name
  npm run --silent token -- list
      shows every token's number, user, role and state, never the token itself
  npm run --silent token -- revoke NUMBER
      makes a token useless from now on

--expires takes a number of minutes, hours or days: 30m, 12h, 90d.`;

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The command is wrong. The message is for the person who typed it. */
class UsageError extends Error {}

try {
  const text = { type: 'string' } as const;
  const options = { user: text, role: text, expires: text };
  const { positionals, values } = commandLine(usage, { allowPositionals: true, options });
  await run(positionals, values);
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`);
  else if ([ConfigError, DatabaseError, TokenError].some((kind) => error instanceof kind))
    console.error((error as Error).message);
  else throw error;
  process.exitCode = 1;
}

interface Options {
  user?: string;
  role?: string;
  expires?: string;
}

async function run([command, argument, ...more]: string[], options: Options): Promise<void> {
  if (more.length > 0 || (argument !== undefined && command !== 'revoke'))
    throw new UsageError(`There is an argument too many: ${more[0] ?? argument}`);
  const [foreign] = command === 'create' ? [] : Object.keys(options);
  if (foreign !== undefined) throw new UsageError(`--${foreign} is an option of create only.`);
  switch (command) {
    case 'create': {
      const { user, role, until } = grant(options);
      return onDatabase(async (db) => console.log(await grantToken(db, user, role, until)));
    }
    case 'list':
      return onDatabase(async (db) => console.log(table(await listTokens(db))));
    case 'revoke': {
      if (!/^[1-9]\d*$/.test(argument ?? '')) throw new UsageError('revoke needs the number that list shows.');
      return onDatabase(async (db) => {
        if (!(await revokeToken(db, Number(argument)))) throw new TokenError(`There is no token ${argument}.`);
        console.log(`Token ${argument} is revoked.`);
      });
    }
    default:
      throw new UsageError(command === undefined ? 'A command is missing.' : `There is no command ${command}.`);
  }
}

function grant({ user, role, expires }: Options): { user: string; role: Role; until: Date | null } {
  if (user === undefined || !/^.{1,255}$/su.test(user))
    throw new UsageError('create needs --user and a name of 1 to 255 characters.');
  // They would make one name look like another in lists and logs.
  if (/[\p{Cc}\p{Bidi_Control}]/u.test(user))
    throw new UsageError('A user name has no control characters and none that change the direction of writing.');
  const known = roles.find((name) => name === role);
  if (known === undefined) throw new UsageError(`create needs --role and one of ${roles.join(', ')}.`);
  return { user, role: known, until: expires === undefined ? null : new Date(Date.now() + duration(expires)) };
}

/** Milliseconds in `30m`, `12h` or `90d`. */
function duration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw new UsageError(`--expires takes something like 30m, 12h or 90d, not ${text}.`);
  return Number(count) * units[unit]!;
}

async function onDatabase(task: (db: Database) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const db = await openDatabase(config.databaseUrl, undefined, connectionOptions(config));
  try {
    await task(db);
  } finally {
    await db.close();
  }
}

function table(rows: Awaited<ReturnType<typeof listTokens>>): string {
  const lines = [
    ['number', 'user', 'role', 'created', 'expires', 'state'],
    ...rows.map(({ id, user, role, created, expires, state }) => [
      String(id),
      user,
      role,
      created,
      expires ?? 'never',
      state,
    ]),
  ];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
