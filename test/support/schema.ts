/** Schemas of a PostgreSQL server: each test has one of its own. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A new schema on this server, as a URL that chooses it. */
export async function newSchema(server: string): Promise<{ url: string; name: string; remove: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `create schema ${name}`);
  const url = new URL(server);
  url.searchParams.set('options', `-c search_path=${name}`);
  return {
    url: url.href,
    name,
    remove: () => onServer(server, `drop schema ${name} cascade`),
  };
}

/** Whether the server has the schema that this URL chooses: a replica has it later than its primary. */
export async function hasSchema(url: string): Promise<boolean> {
  return (await rowsOn(url, 'select current_schema() as name'))[0]!.name !== null;
}

/** Runs SQL on a connection of its own. */
export async function onServer(server: string, sql: string): Promise<void> {
  await rowsOn(server, sql);
}

/** The rows of the last of these statements, on a connection of its own. */
export async function rowsOn(server: string, sql: string): Promise<Record<string, any>[]> {
  const client = new Client(server);
  await client.connect();
  try {
    return [await client.query(sql)].flat().at(-1)!.rows;
  } finally {
    await client.end();
  }
}
