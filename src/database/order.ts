/** In which order rows come, on every database. */
import type { OrderByItemBuilder } from 'kysely';

/**
 * Null before everything else, in descending order behind: as SQLite sorts by itself.
 *
 * @param hasNulls whether the column can be null. PostgreSQL uses no index for an order that says where nulls come.
 */
export function order(descending: boolean, hasNulls: boolean) {
  return (column: OrderByItemBuilder) => {
    const sorted = descending ? column.desc() : column.asc();
    if (!hasNulls) return sorted;
    return descending ? sorted.nullsLast() : sorted.nullsFirst();
  };
}
