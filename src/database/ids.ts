/** Many identifiers as one value of a query, so that one statement serves however many there are. */
import { type Kysely, sql } from 'kysely';
import { isPostgres } from './kind.ts';

/** The rows, of one column `id`, that this text of a JSON array has. */
export function idsIn(db: Kysely<any>, json: string) {
  const elements = isPostgres(db) ? sql`json_array_elements_text(cast(${json} as json))` : sql`json_each(${json})`;
  return db
    .selectFrom(sql<{ value: unknown }>`${elements}`.as('element'))
    .select(sql<number>`cast(value as bigint)`.as('id'));
}
