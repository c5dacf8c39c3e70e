/**
 * The load generator: keep-alive connections on bare sockets, one request at a time on each (no pipelining). A
 * request takes some 10 µs of its core, where wrk takes 7 and autocannon 17; the fastest peer takes more than that
 * of its own. Unlike wrk it holds each response against the status it must have, and can make each body different.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A request as bytes, and the one status that its response must have. */
export interface Shot {
  bytes: Buffer;
  status: number;
  /** Where in it stand digits that are counted up, so that no two are the same. */
  counter?: number;
}

export interface Measured {
  /** Responses per second. */
  rate: number;
  count: number;
  /** From when a request was due to the end of its response, in milliseconds. */
  latencies: number[];
  /** The part of its core that the generator used: near 1, the rate is its limit and not the server's. */
  busy: number;
}

/** Sends these requests in turn as fast as responses come: on each connection the next after the last response. */
export async function flood(
  port: number,
  shots: readonly Shot[],
  connections: number,
  seconds: number,
): Promise<Measured> {
  const lines = await open(port, connections);
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  const started = performance.now();
  const end = started + seconds * 1000;
  const next = cycle(shots);
  await Promise.all(
    lines.map(
      (line) =>
        new Promise<void>((resolve, reject) => {
          let sent = started;
          const send = () => {
            sent = performance.now();
            if (sent > end) resolve();
            else line.send(next(), receive);
          };
          const receive = (wrong?: Error) => {
            if (wrong) return reject(wrong);
            latencies.push(performance.now() - sent);
            send();
          };
          send();
        }),
    ),
  );
  const elapsed = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  for (const line of lines) line.close();
  return {
    rate: (latencies.length / elapsed) * 1000,
    count: latencies.length,
    latencies,
    busy: (user + system) / 1000 / elapsed,
  };
}

/**
 * Sends at a fixed rate whatever the responses do: a request that waits for a connection waits on its own account,
 * so a server that stalls cannot hide it. `mix` holds each kind of requests as often as its share is.
 *
 * @param until the end, when it is not a time that is known.
 * @returns the latencies of each kind, in milliseconds.
 */
export async function pace<Kind extends { shots: readonly Shot[] }>(
  port: number,
  mix: readonly Kind[],
  rate: number,
  connections: number,
  until: number | Promise<unknown>,
): Promise<Map<Kind, number[]>> {
  const lines = await open(port, connections);
  const idle = [...lines];
  const latencies = new Map(mix.map((kind) => [kind, [] as number[]]));
  const next = new Map(mix.map((kind) => [kind, cycle(kind.shots)]));
  const waiting: { kind: Kind; due: number }[] = [];
  const started = performance.now();
  let over = false;
  void (typeof until === 'number' ? setTimeout(until * 1000) : until).then(() => void (over = true));
  let sent = 0;
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    const dispatch = () => {
      while (idle.length > 0 && waiting.length > 0) {
        const line = idle.pop()!;
        const { kind, due } = waiting.shift()!;
        line.send(next.get(kind)!(), (wrong) => {
          if (wrong) return reject(wrong);
          latencies.get(kind)!.push(performance.now() - due);
          received += 1;
          idle.push(line);
          dispatch();
        });
      }
    };
    const tick = () => {
      const now = performance.now();
      const due = over ? sent : Math.floor(((now - started) / 1000) * rate);
      for (; sent < due; sent += 1) waiting.push({ kind: mix[sent % mix.length]!, due: now });
      dispatch();
      if (over && received === sent) resolve();
      // Timers come too late for thousands of requests a second, and the core is the generator's own.
      else setImmediate(tick);
    };
    tick();
  });
  for (const line of lines) line.close();
  return latencies;
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** How many digits a counter has. */
export const counterDigits = 10;
let counted = 0;

function cycle(shots: readonly Shot[]): () => Shot {
  let at = 0;
  return () => {
    const shot = shots[at++ % shots.length]!;
    if (shot.counter !== undefined)
      shot.bytes.write(String((counted += 1)).padStart(counterDigits, '0'), shot.counter, 'latin1');
    return shot;
  };
}

async function open(port: number, connections: number): Promise<Line[]> {
  const lines = Array.from({ length: connections }, () => new Line(port));
  await Promise.all(lines.map((line) => line.opened));
  return lines;
}

const headEnd = '\r\n\r\n';
const lastChunk = `0${headEnd}`;

/** One connection: sends a request and reads just enough of the response to know its status and its end. */
class Line {
  readonly opened: Promise<void>;
  private readonly socket: Socket;
  private head = '';
  /** Bytes of the body still to come; -1 while it comes in chunks. */
  private rest = 0;
  private tail = '';
  private done: ((wrong?: Error) => void) | undefined;
  private expected = 0;

  constructor(port: number) {
    const buffer = Buffer.allocUnsafe(65_536);
    this.socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer, callback: (length) => this.read(buffer, length) },
    });
    this.opened = new Promise((resolve, reject) => this.socket.once('connect', resolve).once('error', reject));
    this.socket.on('error', (error) => this.done?.(error));
    this.socket.on('close', () => this.done?.(new Error('The server closed a connection.')));
  }

  send({ bytes, status }: Shot, done: (wrong?: Error) => void): void {
    this.done = done;
    this.expected = status;
    this.socket.write(bytes);
  }

  close(): void {
    this.done = undefined;
    this.socket.destroy();
  }

  private read(buffer: Buffer, length: number): boolean {
    if (this.rest === 0) this.start(buffer, length);
    else if (this.rest > 0) this.advance(length);
    else this.chunk(buffer, length);
    return true;
  }

  private start(buffer: Buffer, length: number): void {
    const earlier = this.head.length;
    // A head is short, and nearly always comes in one piece.
    this.head += buffer.toString('latin1', 0, Math.min(length, 2048));
    const end = this.head.indexOf(headEnd);
    if (end < 0) return;
    const head = this.head.slice(0, end);
    this.head = '';
    if (Number(head.slice(9, 12)) !== this.expected) {
      this.end(new Error(`Expected ${this.expected}, got:\n${buffer.toString('latin1', 0, length)}`));
      return;
    }
    const size = /content-length: (\d+)/i.exec(head);
    this.rest = size ? Number(size[1]) : -1;
    if (size) this.advance(length - (end + headEnd.length - earlier));
    else this.chunk(buffer, length);
  }

  private advance(length: number): void {
    this.rest -= length;
    if (this.rest === 0) this.end();
  }

  private chunk(buffer: Buffer, length: number): void {
    this.tail = (this.tail + buffer.toString('latin1', Math.max(0, length - lastChunk.length), length)).slice(
      -lastChunk.length,
    );
    if (this.tail !== lastChunk) return;
    this.tail = '';
    this.rest = 0;
    this.end();
  }

  private end(wrong?: Error): void {
    const { done } = this;
    this.done = undefined;
    done?.(wrong);
  }
}
