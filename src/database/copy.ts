/** Copies all that is stored from one database to another of any kind. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, DatabaseError, type Db } from './database.ts';
import { isPostgres } from './kind.ts';
import type { Tables } from './tables.ts';

/** The tables that the service writes, those that others refer to first, and how many of their rows are in memory at once. */
const batchSizes = { users: 1000, tokens: 1000, surveys: 20, tasks: 1000, fields: 1000, hxl_metadata: 1000 };
type Copied = keyof typeof batchSizes;
const copied = Object.keys(batchSizes) as Copied[];

/** What the migrations have written: it has to be the same already, because others refer to it. */
const reference = ['hxl_licenses', 'hxl_tags'] as const satisfies (keyof Tables)[];
type Compared = Copied | (typeof reference)[number];

/** What a table has: how many rows, and a digest of all of their values. */
export interface Content {
  table: string;
  count: number;
  digest: string;
}

/**
 * Looks whether there is something to copy.
 *
 * @throws DatabaseError when there is not: every database in use has a user, so this is another one than was meant.
 */
export async function checkSource(from: Database): Promise<void> {
  if ((await rowsAfter(from, 'users', 0, 1)).length === 0)
    throw new DatabaseError('The source has no users, so there is nothing to copy.');
}

/**
 * Copies every row with its identifier, and which identifiers were given out, then compares all of it. It is one
 * transaction: when it fails or the process is killed, the target is as empty as before, and it can be done again.
 *
 * @returns what both have in each table.
 * @throws DatabaseError when the target is not empty, or the source has changed meanwhile.
 */
export async function copyDatabase(from: Database, to: Database): Promise<Content[]> {
  return to.transaction(async (trx) => {
    for (const table of copied)
      if ((await rowsAfter(trx, table, 0, 1)).length > 0)
        throw new DatabaseError(`The target is not empty: its table ${table} has rows.`);
    for (const table of copied)
      for await (const rows of batches(from, table))
        await trx.query
          .insertInto(table)
          .values(rows as never)
          .execute();
    for (const table of copied) await setLastId(trx, table, await lastId(from, table));
    const contents: Content[] = [];
    for (const table of [...reference, ...copied]) {
      const [source, target] = [await contentOf(from, table), await contentOf(trx, table)];
      if (source.count !== target.count || source.digest !== target.digest)
        throw new DatabaseError(
          `The table ${table} differs from the source: ${target.count} rows, and ${source.count} there. ` +
            'Nothing was copied. Stop the service that writes to the source, and copy again.',
        );
      contents.push(target);
    }
    return contents;
  });
}

type Row = Record<string, string | number | null> & { id: number };

async function rowsAfter({ query }: Db, table: Compared, last: number, limit: number): Promise<Row[]> {
  const rows = await query
    .selectFrom(table as 'users')
    .selectAll()
    .where('id', '>', last)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows as unknown as Row[];
}

/** All rows of a table, some at a time. */
async function* batches(db: Db, table: Compared): AsyncGenerator<Row[]> {
  const size = table in batchSizes ? batchSizes[table as Copied] : 1000;
  for (let last = 0; ; ) {
    const rows = await rowsAfter(db, table, last, size);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)!.id;
  }
}

async function contentOf(db: Db, table: Compared): Promise<Content> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of batches(db, table)) {
    count += rows.length;
    // The columns stand in another order in each kind of database.
    for (const row of rows) hash.update(`${JSON.stringify(Object.entries(row).sort(byName))}\n`);
  }
  return { table, count, digest: hash.digest('hex') };
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The largest identifier that a table has ever given out, deleted rows included; 0 when there is none. */
async function lastId({ query }: Db, table: Copied): Promise<number> {
  const { rows } = isPostgres(query)
    ? await sql<{ last: number | null }>`
        select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) as last`.execute(query)
    : await sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${table}`.execute(query);
  return rows[0]?.last ?? 0;
}

/** From now on this table gives out larger identifiers. */
async function setLastId({ query }: Db, table: Copied, last: number): Promise<void> {
  if (last === 0) return;
  if (isPostgres(query)) {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(query);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(query);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(query);
}
