/** How Kysely uses PostgreSQL. Its own dialect prepares nothing by name, and does not tell what a lost connection means. */
import {
  type CompiledQuery,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  type RawBuilder,
  sql,
  type TableMetadata,
} from 'kysely';
import type { QueryResult as PgResult, PoolClient } from 'pg';
import { isIndependent, isUnawaited, onlyReads } from '../prepared.ts';
import type { Session, SessionDialect } from '../session.ts';
import type { VersionedAdapter } from '../version.ts';
import { Compiler } from './compiler.ts';
import type { Connections } from './connections.ts';
import { breaksConnection, explain, isAborted, isCut, uncertain } from './faults.ts';
import type { Queries } from './queries.ts';

/** A dialect for Kysely on these connections. Destroying Kysely leaves them open. */
export class PostgresDialect implements SessionDialect, VersionedAdapter {
  /** Told by whoever opens the database, before it is used. */
  dataVersion: RawBuilder<string | null> | undefined;
  readonly #connections: Connections;
  readonly #queries: Queries;

  constructor(connections: Connections, queries: Queries) {
    this.#connections = connections;
    this.#queries = queries;
  }

  createDriver(): Driver {
    return {
      init: async () => {},
      acquireConnection: async () => this.session(),
      releaseConnection: async () => {},
      beginTransaction: async (connection) => (connection as Connection).begin(),
      commitTransaction: async (connection) => (connection as Connection).commit(),
      rollbackTransaction: async (connection) => (connection as Connection).rollback(),
      destroy: async () => {},
    };
  }

  session(): Session {
    return new Connection(this.#connections, this.#queries);
  }

  createAdapter() {
    return new Adapter(this);
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

class Adapter extends PostgresAdapter implements VersionedAdapter {
  readonly #versioned: VersionedAdapter;

  constructor(versioned: VersionedAdapter) {
    super();
    this.#versioned = versioned;
  }

  get dataVersion() {
    return this.#versioned.dataVersion;
  }

  // All migrations run in one transaction, which takes a lock of its own: a lock of the session would outlive it where a
  // pooler gives each transaction another session.
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** What one query or one transaction of Kysely runs on: a query gets a connection for itself, a transaction keeps one. */
class Connection implements Session {
  readonly #connections: Connections;
  readonly #queries: Queries;
  #client: PoolClient | undefined;
  /** Whether the transaction has ended, or is about to: what comes now would be stored alone. */
  #isOver = false;
  /** Why the transaction cannot go on. */
  #failure: unknown;
  /** The begin of the transaction: a query that is not undone, or a single write, does without. */
  #begun: Promise<unknown> | undefined;
  /** What nobody waits for. It goes with what comes next. */
  #unsent: CompiledQuery[] = [];

  constructor(connections: Connections, queries: Queries) {
    this.#connections = connections;
    this.#queries = queries;
  }

  async begin(): Promise<void> {
    this.#client = await this.#connections.acquire();
  }

  async commit(): Promise<void> {
    this.#isOver = true;
    const last = this.#unsent.splice(0);
    // When it has failed, so has the transaction, whatever became of what was sent behind it.
    if (this.#begun !== undefined || last.length > 1) await this.#begin();
    const sent = last.map((query) => this.#queries.send(this.#client!, query));
    try {
      await Promise.all([...sent, this.#begun && this.#commit()]);
    } catch (error) {
      this.#failure ??= error;
      throw isCut(error) ? uncertain(error) : explain(error);
    }
    this.#end();
  }

  async #commit(): Promise<void> {
    const { command } = await this.#queries.command(this.#client!, 'commit');
    // The server undoes a transaction of which a statement has failed.
    if (command !== 'COMMIT') throw new Error('A statement of the transaction has failed, so nothing was committed.');
  }

  /** The server undoes by itself what was not committed on a connection that is gone. */
  async rollback(): Promise<void> {
    this.#isOver = true;
    if (this.#client === undefined) return;
    let failure = this.#failure;
    if (this.#begun !== undefined && (failure === undefined || !breaksConnection(failure))) {
      try {
        await this.#queries.command(this.#client, 'rollback');
      } catch (error) {
        failure = error;
      }
    }
    this.#end(failure);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#checkOpen();
    if (this.#client === undefined) return resultOf(await this.#queries.alone(query, onlyReads(query)));
    if (isUnawaited(query)) {
      this.#unsent.push(query);
      return { rows: [] };
    }
    if (isIndependent(query) && this.#unsent.length === 0) return resultOf(await this.#inTransaction(query));
    const queries = [...this.#unsent.splice(0), query];
    // Without a transaction, a write would be committed at once.
    const begun = this.#begin();
    if (!queries.every(onlyReads)) await begun;
    this.#checkOpen();
    const results = await Promise.all([begun, ...queries.map((each) => this.#inTransaction(each))]);
    return resultOf(results.at(-1) as PgResult);
  }

  streamQuery(): never {
    throw new Error('Read in chunks: a cursor would keep its connection from others for as long as a client reads.');
  }

  #checkOpen(): void {
    if (this.#isOver) throw new Error('This transaction has ended.');
  }

  #begin(): Promise<unknown> {
    this.#begun ??= this.#orExplain(this.#queries.command(this.#client!, 'begin isolation level read committed'));
    return this.#begun;
  }

  #inTransaction(query: CompiledQuery): Promise<PgResult> {
    return this.#orExplain(this.#queries.send(this.#client!, query));
  }

  async #orExplain(result: Promise<PgResult>): Promise<PgResult> {
    try {
      return await result;
    } catch (error) {
      this.#failure ??= error;
      // What comes after it fails only because of it.
      throw explain(isAborted(error) ? this.#failure : error);
    }
  }

  #end(error?: unknown): void {
    const client = this.#client;
    this.#client = undefined;
    this.#begun = undefined;
    this.#unsent = [];
    if (client !== undefined) this.#connections.release(client, error);
  }
}

function resultOf<Row>({ rows, rowCount }: PgResult): QueryResult<Row> {
  return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
}
