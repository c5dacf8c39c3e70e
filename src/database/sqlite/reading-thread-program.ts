/** What runs in the thread of reading-thread.ts: reads one query after the other, and sends the rows in parts. */
import { parentPort, workerData } from 'node:worker_threads';
import { openReader } from './connection.ts';
import type { Read, ReadPart } from './reading-thread.ts';
import { statementsOf } from './statements.ts';

/** To receive so many rows takes the main thread some milliseconds. */
const partSize = 5000;

const statements = statementsOf(openReader(workerData as string));

/** The rows that are not sent yet, by the identifier of their read. */
const unsent = new Map<number, unknown[]>();

parentPort!.on('message', (read: Read) => {
  parentPort!.postMessage(part(read));
});

function part({ id, query }: Read): ReadPart {
  try {
    const rows = query === undefined ? unsent.get(id)! : statements(query.sql).all(query.parameters);
    const sent = rows.splice(0, partSize);
    if (rows.length > 0) unsent.set(id, rows);
    else unsent.delete(id);
    return { id, rows: sent, isLast: rows.length === 0 };
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    return { id, code, message };
  }
}
