/** Statements that are prepared once. */
import type Database from 'better-sqlite3';

/** The program has some dozens of statements, and some more for lists of various lengths. */
const maxStatements = 500;

/** Gives the prepared statement of this SQL. */
export type Statements = (sql: string) => Database.Statement<unknown[]>;

/** Prepares each statement of a connection once, and drops the oldest when there are too many. */
export function statementsOf(sqlite: Database.Database): Statements {
  const statements = new Map<string, Database.Statement<unknown[]>>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = sqlite.prepare<unknown[]>(sql);
      if (statements.size === maxStatements) statements.delete(statements.keys().next().value!);
      statements.set(sql, statement);
    }
    return statement;
  };
}
