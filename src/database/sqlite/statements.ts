/** Statements that are prepared once. */
import type Database from 'better-sqlite3';

/** How many statements are kept. The program has some dozens, and some more for lists of various lengths. */
const keptStatements = 500;

export type Statements = (sql: string) => Database.Statement<unknown[]>;

/** Prepares each statement once for as long as it is in use. */
export function statementsOf(sqlite: Database.Database): Statements {
  const statements = new Map<string, Database.Statement<unknown[]>>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = sqlite.prepare<unknown[]>(sql);
      if (statements.size === keptStatements) statements.delete(statements.keys().next().value!);
      statements.set(sql, statement);
    }
    return statement;
  };
}
