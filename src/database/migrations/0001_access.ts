/** Users and the tokens they own. */
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../kind.ts';

export async function up(db: Kysely<any>): Promise<void> {
  if (isPostgres(db)) await addInstrAndBlob(db);
  await db.schema
    .createTable('users')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('user_id', 'integer', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('expires', 'text')
    .addColumn('revoked', 'text')
    .execute();
  await db.schema.createIndex('tokens_user_id').on('tokens').column('user_id').execute();
}

/** Queries are written once for all databases: they use the function `instr` and the type `blob` of SQLite. */
async function addInstrAndBlob(db: Kysely<any>): Promise<void> {
  await sql`create function instr(whole text, part text) returns integer language sql immutable strict parallel safe
    as 'select strpos(whole, part)'`.execute(db);
  // PostgreSQL sends a text as its bytes, so it can stay what it is.
  await sql`create domain blob as text collate "C"`.execute(db);
}
