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

/** Runs SQL on a connection of its own. */
export async function onServer(server: string, sql: string): Promise<void> {
  const client = new Client(server);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
