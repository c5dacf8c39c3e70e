/** The log of the process: lines on standard output, which may be lost but never keep anybody waiting. */
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';

/** What takes the lines of the log, one or several at once. */
export interface LogOutput {
  write: (lines: string) => void;
}

/**
 * A logger for this process, and what it writes to: JSON lines on standard output, or readable text on a terminal. The
 * printer is loaded only for a terminal: it makes a start slower.
 */
export async function createLogger(level: string): Promise<{ logger: Logger; output: LogOutput }> {
  // To read process.stdout has an effect, too: it makes a pipe non-blocking. This process must be the only one that
  // uses the pipe: when a process is started, Node.js makes those that it inherits blocking again, for everybody.
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const output = pretty({ ignore: 'pid,hostname' });
    return { logger: pino({ level }, output), output };
  }
  const output = new StandardOutput((count) => logger.error({ count }, `${count} log lines were dropped`));
  const logger = pino({ level }, output);
  process.once('exit', () => output.end());
  return { logger, output };
}

/** How much waits in memory while it cannot be written, in bytes. What comes then is dropped. */
const maxWaitingBytes = 2 ** 20;
/** After how many milliseconds it is tried again. A pipe holds 64 KiB: its reader may read 3 MB a second. */
const retryInterval = 20;
/** How long the end of the process waits for a reader that is slow, in milliseconds. */
const endTimeout = 500;

/**
 * Standard output without waiting. Lines are written at once, so that none is lost when the process dies. While that is
 * not possible, because the disk or a pipe is full, they wait in memory; more of them are dropped and counted.
 *
 * Not pino.destination(): in its synchronous mode, it waits for a full pipe, and pino's `fatal` for a full disk, for
 * ever. In its asynchronous mode, it writes nothing more once its `maxLength` is reached, and both again when the
 * process ends.
 */
class StandardOutput implements LogOutput {
  readonly #reportDropped: (count: number) => void;
  /** The first may be the rest of what was written in part. */
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #retry: NodeJS.Timeout | undefined;

  /** @param reportDropped is called when lines were dropped and writing works again. */
  constructor(reportDropped: (count: number) => void) {
    this.#reportDropped = reportDropped;
  }

  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#dropped += lines.split('\n').length - 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#retry === undefined) this.#flush();
  }

  /** Tries for a moment to write what waits. */
  end(): void {
    const moment = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; !this.#flush() && waited < endTimeout; waited += retryInterval) {
      Atomics.wait(moment, 0, 0, retryInterval);
    }
  }

  /** Writes what waits, and returns whether that was possible. */
  #flush(): boolean {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
        const written = writeSync(process.stdout.fd, first);
        this.#waitingBytes -= written;
        if (written < first.length) this.#waiting[0] = first.subarray(written);
        else this.#waiting.shift();
      }
    } catch {
      // Whatever the reason is, it may pass; and there is no other place to tell it.
      this.#retry = setTimeout(() => this.#flush(), retryInterval).unref();
      return false;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#reportDropped(dropped);
    return true;
  }
}
