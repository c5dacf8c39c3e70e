/** What the migrations make of a new SQLite database. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { emptyDatabase } from '../support/service.ts';

/**
 * A migration that is merged does not change, so this file only ever changes together with a new migration:
 * `npm test -- test/database/migrations.test.ts --update` writes it.
 */
const schema = '../fixtures/sqlite-schema.sql';

test('a new SQLite file has the tables, indexes and triggers that older files got', async () => {
  const url = emptyDatabase();
  await (await openDatabase(url)).close();
  const path = url.replace('file:', '');
  const file = new Database(path, { readonly: true });
  const statements = file.prepare('select sql from sqlite_schema where sql is not null order by rowid').pluck().all();
  file.close();
  rmSync(path);
  await expect(`${statements.join(';\n')};\n`).toMatchFileSnapshot(schema);
});
