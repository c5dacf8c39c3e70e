/** Cuts off or damages the write-ahead log as a power cut would, and starts the service on what is left. */
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { atOnce, type Figures, judge, type Part, randomNumbers } from './part.ts';
import { type Database, newDatabase, removeDatabase, type Service, startService } from './service.ts';
import { copyCrashed, inspect, marked } from './stored.ts';

/** The sizes of https://www.sqlite.org/fileformat2.html#the_write_ahead_log in bytes. */
const [logHeader, frameHeader, pageSize] = [32, 24, 4096];
const frameSize = frameHeader + pageSize;

/** An acknowledged write, and where in the log it ended. */
interface Write {
  id: number;
  mark: string | undefined;
  log: string;
  frames: number;
}

/** Which log is being written, and how many frames of it are valid, from the index of the log. */
function logPosition({ path }: Database): { log: string; frames: number } {
  const index = readFileSync(`${path}-shm`);
  return { log: index.toString('hex', 32, 40), frames: index.readUInt32LE(16) };
}

/** Writes surveys one after the other, some of them several times. */
async function write(service: Service, count: number, random: (below: number) => number): Promise<Write[]> {
  const writes: Write[] = [];
  for (let number = 0; number < count; number += 1) {
    const before = writes[random(writes.length * 3)];
    const deletes = before?.mark !== undefined && number % 7 === 0;
    const changes = before?.mark !== undefined && writes.findLast(({ id }) => id === before.id)!.mark !== undefined;
    const mark = `mark-${number}`;
    const path = `/api/v5/surveys/${before?.id}`;
    const body = marked(mark, 1 + random(10), 6);
    const { status, text } = !changes
      ? await service.send('POST', '/api/v5/surveys', body)
      : deletes
        ? await service.send('DELETE', path)
        : await service.send('PUT', path, body);
    if (status >= 300) throw new Error(`A write returned ${status}: ${text.slice(0, 200)}`);
    const id = changes ? before.id : (JSON.parse(text).results[0].id as number);
    writes.push({ id, mark: changes && deletes ? undefined : mark, ...logPosition(service.database) });
  }
  return writes;
}

/** Cuts the log at any byte, and every second time damages a byte in the last frame; returns how many frames are intact. */
function damage({ path }: Database, random: (below: number) => number, frames: number): number {
  const log = `${path}-wal`;
  // Most cuts are in the part of the log that is valid; older frames may stand behind it.
  const end = random(Math.min(statSync(log).size, logHeader + (frames + 2) * frameSize) + 1);
  truncateSync(log, end);
  const intact = Math.max(0, Math.floor((end - logHeader) / frameSize));
  if (intact === 0 || random(2) === 0) return intact;
  const bytes = readFileSync(log);
  bytes[logHeader + (intact - 1) * frameSize + random(frameSize)]! ^= 1 + random(255);
  writeFileSync(log, bytes);
  return intact - 1;
}

export const cuts: Part = async (scale) => {
  const [logs, cutsOfLog] = scale === 'short' ? [2, 5] : [8, 25];
  const random = randomNumbers(2);
  const sum = { cuts: 0, started: 0, lost: 0, kept: 0 };
  const wrong: string[] = [];

  /** Starts the service on a copy whose log was cut, and holds what it serves against what was acknowledged. */
  async function cut(crashed: Database, writes: Write[]): Promise<void> {
    const copy = copyCrashed(crashed);
    const last = writes.at(-1)!;
    const intact = damage(copy, random, last.frames);
    const safe = writes.filter(({ log, frames }) => log !== last.log || frames <= intact);
    const expected = new Map(safe.map(({ id, mark }) => [id, mark]));
    sum.cuts += 1;
    try {
      const service = await startService(copy);
      const { text, status } = await service.send('GET', '/api/v5/surveys?only=name');
      const code = await service.end();
      if (status !== 200 || code !== 0) throw new Error(`the list returned ${status}, the end ${code}`);
      sum.started += 1;
      const { marks, wrong: half } = inspect(copy);
      wrong.push(...half);
      if (JSON.parse(text).results.length !== marks.size) wrong.push('the list and the file differ');
      for (const [id, mark] of expected) {
        if (marks.get(id) === mark) sum.kept += 1;
        else {
          sum.lost += 1;
          wrong.push(`survey ${id} was acknowledged as ${mark} and is ${marks.get(id)}`);
        }
      }
      for (const [id, mark] of marks)
        if (!expected.has(id)) wrong.push(`survey ${id}, ${mark}, came out of a cut write`);
    } catch (error) {
      wrong.push(`with ${intact} of ${last.frames} frames: ${(error as Error).message}`);
    }
    removeDatabase(copy);
  }

  for (let number = 0; number < logs; number += 1) {
    const database = newDatabase();
    // The first start prepares the file; its end empties the log.
    await (await startService(database)).end();
    const service = await startService(database);
    // Every second time so many that SQLite begins the log anew, before what was in it.
    const writes = await write(service, number % 2 === 0 ? 40 + random(60) : 300, random);
    await service.end('SIGKILL');
    await atOnce(2, Array(cutsOfLog).fill(0), () => cut(database, writes));
    removeDatabase(database);
  }
  const figures: Figures = {
    cuts: sum.cuts,
    'started on what was left': sum.started,
    'acknowledged before the last intact commit, and there': sum.kept,
    'lost (0)': sum.lost,
    'half surveys or damaged files (0)': wrong.length - sum.lost,
  };
  return judge(figures, wrong.length > 0 && wrong.slice(0, 5).join('; '));
};
