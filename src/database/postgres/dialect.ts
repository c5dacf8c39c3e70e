/** How Kysely uses PostgreSQL. Its own dialect prepares nothing by name, and does not tell what a lost connection means. */
import {
  CompiledQuery as Compiled,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  sql,
  type TableMetadata,
} from 'kysely';
import type { QueryResult as PgResult, PoolClient } from 'pg';
import { isUnawaited } from '../prepared.ts';
import { Compiler } from './compiler.ts';
import type { Connections } from './connections.ts';
import { breaksConnection, explain, isAborted, isCut, uncertain } from './faults.ts';
import type { Queries } from './queries.ts';

/** A dialect for Kysely on these connections. Destroying Kysely leaves them open. */
export class PostgresDialect implements Dialect {
  readonly #connections: Connections;
  readonly #queries: Queries;

  constructor(connections: Connections, queries: Queries) {
    this.#connections = connections;
    this.#queries = queries;
  }

  createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: async () => new Connection(this.#connections, this.#queries),
      releaseConnection: async () => {},
      beginTransaction: async (connection) => (connection as Connection).begin(),
      commitTransaction: async (connection) => (connection as Connection).commit(),
      rollbackTransaction: async (connection) => (connection as Connection).rollback(),
      destroy: async () => {},
    };
  }

  createAdapter() {
    return new Adapter();
  }

  createQueryCompiler() {
    return new Compiler();
  }

  createIntrospector(db: Kysely<any>) {
    return new Introspector(db);
  }
}

/**
 * Tells which tables there are, in the schema of the service alone. Kysely's own looks at all columns in the database, and
 * fails when somebody drops another schema meanwhile.
 */
class Introspector extends PostgresIntrospector {
  readonly #db: Kysely<any>;

  constructor(db: Kysely<any>) {
    super(db);
    this.#db = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ name: string; schema: string }>`
      select relname as name, current_schema() as schema from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`.execute(this.#db);
    return rows.map((row) => ({ ...row, isView: false, isForeign: false, columns: [] }));
  }
}

class Adapter extends PostgresAdapter {
  // All migrations run in one transaction, which takes a lock of its own: a lock of the session would outlive it where a
  // pooler gives each transaction another session.
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** What one query or one transaction of Kysely runs on: a query gets a connection for itself, a transaction keeps one. */
class Connection implements DatabaseConnection {
  readonly #connections: Connections;
  readonly #queries: Queries;
  #client: PoolClient | undefined;
  /** Why the transaction cannot go on. */
  #failure: unknown;
  /** The begin of the transaction, until it has been waited for. */
  #beginning: Promise<PgResult> | undefined;
  /** What was sent in the transaction and not waited for. */
  #sent: Promise<PgResult>[] = [];

  constructor(connections: Connections, queries: Queries) {
    this.#connections = connections;
    this.#queries = queries;
  }

  async begin(): Promise<void> {
    this.#client = await this.#connections.acquire();
    // Not waited for: what is sent next most often only reads.
    this.#beginning = this.#inTransaction(Compiled.raw('begin isolation level read committed'));
    this.#beginning.catch(() => {});
  }

  async commit(): Promise<void> {
    // Sent behind what was not waited for: when some of that has failed, the server undoes the transaction.
    const results = await Promise.all([...this.#sent, this.#queries.send(this.#client!, Compiled.raw('commit'))]).catch(
      (error: unknown) => {
        this.#failure = error;
        throw isCut(error) ? uncertain(error) : explain(error);
      },
    );
    this.#end();
    if (results.at(-1)!.command !== 'COMMIT')
      throw new Error('A statement of the transaction has failed, so nothing was committed.');
  }

  /** The server undoes by itself what was not committed on a connection that is gone. */
  async rollback(): Promise<void> {
    if (this.#client === undefined) return;
    let failure = this.#failure;
    if (failure === undefined || !breaksConnection(failure)) {
      try {
        await this.#client.query('rollback');
      } catch (error) {
        failure = error;
      }
    }
    this.#end(failure);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#beginning !== undefined) {
      // Without a transaction, a write would be committed at once.
      const [, result] = await Promise.all([
        this.#beginning,
        onlyReads(query) ? this.#inTransaction(query) : undefined,
      ]);
      this.#beginning = undefined;
      if (result !== undefined) return resultOf(result);
    }
    if (this.#client !== undefined && isUnawaited(query)) {
      const sent = this.#queries.send(this.#client, query);
      sent.catch((error: unknown) => {
        this.#failure ??= error;
      });
      this.#sent.push(sent);
      return { rows: [] };
    }
    return resultOf(
      this.#client === undefined
        ? await this.#queries.alone(query, query.query.kind === 'SelectQueryNode')
        : await this.#inTransaction(query),
    );
  }

  streamQuery(): never {
    throw new Error('Read in chunks: a cursor would keep its connection from others for as long as a client reads.');
  }

  async #inTransaction(query: CompiledQuery): Promise<PgResult> {
    try {
      return await this.#queries.send(this.#client!, query);
    } catch (error) {
      this.#failure ??= error;
      // What comes after it fails only because of it.
      throw explain(isAborted(error) ? this.#failure : error);
    }
  }

  #end(error?: unknown): void {
    const client = this.#client;
    this.#client = undefined;
    this.#beginning = undefined;
    this.#sent = [];
    if (client !== undefined) this.#connections.release(client, error);
  }
}

function onlyReads({ sql }: CompiledQuery): boolean {
  return /^\s*select\b/i.test(sql);
}

function resultOf<Row>({ rows, rowCount }: PgResult): QueryResult<Row> {
  return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
}
