/** All SQL about users and their tokens. */
import { timingSafeEqual } from 'node:crypto';
import { Caller, type Role } from '../api/caller.ts';
import type { Database, Db } from '../database/database.ts';
import { prepared } from '../database/prepared.ts';
import { timestamp } from '../database/time.ts';
import { dataVersion } from '../database/version.ts';
import { createToken, hashToken } from './token.ts';

// Not a join: SQLite would plan it anew for each token.
const byHash = prepared((query, value: { hash: string }) =>
  query
    .selectFrom('tokens')
    .select(['user_id as id', 'hash', 'expires'])
    .select((token) =>
      token
        .selectFrom('users')
        .select('role')
        .whereRef('users.id', '=', 'tokens.user_id')
        .$asScalar()
        .$notNull()
        .as('role'),
    )
    .select(dataVersion(query).as('version'))
    .where('hash', '=', value.hash)
    .where('revoked', 'is', null),
);

/**
 * The owner of the token with this hash, also when it has expired; undefined when it is unknown or revoked.
 *
 * @param setVersion gets the version of all data at that moment; null where the database does not tell it with a query.
 */
export async function findCaller(
  db: Db,
  tokenHash: string,
  setVersion: (version: string | null) => void = () => {},
): Promise<Caller | undefined> {
  const [found] = await db.rows(byHash, { hash: tokenHash });
  if (found === undefined || !timingSafeEqual(Buffer.from(found.hash), Buffer.from(tokenHash))) return undefined;
  const { id, role, expires, version } = found;
  setVersion(version);
  return new Caller({ id, role, expires: expires === null ? Infinity : Date.parse(expires) });
}

const byId = prepared((query, value: { id: number }) =>
  query.selectFrom('users').select(['id', 'name', 'role']).where('id', '=', value.id),
);

/** The user with this identifier, or undefined. */
export async function findUser(db: Db, id: number): Promise<{ id: number; name: string; role: string } | undefined> {
  const [user] = await db.rows(byId, { id });
  return user;
}

/** Why a token cannot be given out; the message is for the person at the command line. */
export class TokenError extends Error {}

/**
 * Gives a new token to the user of this name, who is created when there is none. The token itself is
 * returned here and not stored.
 *
 * @param expires until when the token is valid; null for ever.
 * @throws TokenError when the user exists with another role: a token must not change what somebody may do.
 */
export async function grantToken(db: Database, name: string, role: Role, expires: Date | null): Promise<string> {
  return db.transaction(async (trx) => {
    const user = await trx.query.selectFrom('users').select(['id', 'role']).where('name', '=', name).executeTakeFirst();
    if (user !== undefined && user.role !== role)
      throw new TokenError(`The user ${name} exists and is ${user.role}, not ${role}.`);
    return insertToken(trx, user?.id ?? (await insertUser(trx, name, role)), expires);
  });
}

/**
 * Gives the first token, to a new user `admin`, when there is no user at all; undefined otherwise. It is shown only once:
 * so `prepare` does all that has to succeed before. It runs only when a token is given, and once; when it fails, or the process
 * dies meanwhile, there is no user either, and the next start gives the first token.
 */
export async function grantFirstToken(db: Database, prepare = async () => {}): Promise<string | undefined> {
  const isNew = async ({ query }: Db) =>
    (await query.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
  // Most starts are not the first one, and then nobody's write has to wait.
  if (!(await isNew(db))) return undefined;
  // A transaction may run again, and this not.
  let preparing: Promise<void> | undefined;
  return db.transaction(async (trx) => {
    if (!(await isNew(trx))) return undefined;
    const token = await insertToken(trx, await insertUser(trx, 'admin', 'admin'), null);
    preparing ??= prepare();
    await preparing;
    return token;
  });
}

async function insertUser(trx: Db, name: string, role: Role): Promise<number> {
  return (
    await trx.query
      .insertInto('users')
      .values({ name, role, created: timestamp() })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
}

async function insertToken(trx: Db, user_id: number, expires: Date | null): Promise<string> {
  const token = createToken();
  await trx.query
    .insertInto('tokens')
    .values({
      user_id,
      hash: hashToken(token),
      created: timestamp(),
      expires: expires && timestamp(expires),
      revoked: null,
    })
    .execute();
  return token;
}

/** Every token with its user, oldest first; `state` says whether it still works. */
export async function listTokens(db: Db) {
  const tokens = await db.query
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id', 'users.name as user', 'users.role', 'tokens.created', 'tokens.expires', 'tokens.revoked'])
    .orderBy('tokens.id')
    .execute();
  return tokens.map(({ revoked, ...token }) => ({
    ...token,
    state: revoked !== null ? 'revoked' : token.expires !== null && token.expires <= timestamp() ? 'expired' : 'active',
  }));
}

/** Makes a token useless from now on; false when there is no token with this identifier. */
export async function revokeToken(db: Db, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('tokens')
    .set((column) => ({ revoked: column.fn.coalesce('revoked', column.val(timestamp())) }))
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
