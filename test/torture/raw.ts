/** Bytes over a socket, and whether what came back is a row of whole responses. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  statuses: number[];
  /** Why what came back is not a row of responses, the last of which may be cut. */
  garbled?: string;
}

/**
 * Sends pieces, with a pause between them, and receives until the server closes the connection; when it does not, until
 * nothing has come for `quiet` milliseconds.
 *
 * @param midway whether the last piece is sent when a part of the response to the others was received, and no more is
 * read until then.
 */
export async function exchange(port: number, pieces: Buffer[], quiet: number, midway = false): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let [open, latest] = [true, performance.now()];
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  socket.on('data', (chunk) => {
    if (midway && chunks.length === 0) socket.pause();
    chunks.push(chunk);
    latest = performance.now();
  });
  // A reset connection is an end like any other.
  socket.on('error', () => {});
  for (const name of ['end', 'close']) socket.on(name, () => (open = false));
  for (const [at, piece] of pieces.entries()) {
    while (midway && at === pieces.length - 1 && open && chunks.length === 0) await sleep(1);
    if (!open) break;
    socket.write(piece);
    latest = performance.now();
    if (pieces.length > 1) await sleep(1);
  }
  if (midway) await sleep(20);
  socket.resume();
  while (open && performance.now() - latest < quiet) await sleep(5);
  socket.destroy();
  return Buffer.concat(chunks);
}

/** Reads a row of responses. A body that is JSON has to be JSON; what is missing at the end may be missing. */
export function readResponses(bytes: Buffer): Received {
  const statuses: number[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const garbled = (why: string, at = 0) => ({
      statuses,
      garbled: `${why} behind ${statuses.at(-1)}: ${JSON.stringify(rest.toString('latin1', at, at + 80))}`,
    });
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.toString('latin1', 0, end === -1 ? rest.length : end + 2);
    const status = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[\w-]+: [^\r\n]*\r\n)*$/.exec(head)?.[1];
    if (end === -1) return 'HTTP/1.1 '.startsWith(head.slice(0, 9)) ? { statuses } : garbled('no response');
    if (status === undefined) return garbled('a wrong head');
    statuses.push(Number(status));
    const header = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(head)?.[1];
    const body = rest.subarray(end + 4);
    const length = Number(header('content-length') ?? 0);
    const read =
      header('transfer-encoding') === 'chunked' ? readChunks(body) : { text: body.subarray(0, length), length };
    if ('garbledAt' in read) return garbled('a wrong chunk', end + 4 + read.garbledAt);
    if (read.length > body.length) return { statuses };
    if (/json/.test(header('content-type') ?? '') && read.text.length > 0 && !isJson(read.text))
      return garbled('no JSON');
    rest = body.subarray(read.length);
  }
  return { statuses };
}

/** The text of a chunked body and how many bytes it takes, more than there are when it is cut; or where it is wrong. */
function readChunks(bytes: Buffer): { text: Buffer; length: number } | { garbledAt: number } {
  const chunks: Buffer[] = [];
  const cut = { text: Buffer.alloc(0), length: Number.POSITIVE_INFINITY };
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const line = bytes.toString('latin1', at, end === -1 ? bytes.length : end);
    if (!(end === -1 ? /^[0-9a-f]*\r?$/i : /^[0-9a-f]+$/i).test(line)) return { garbledAt: at };
    if (end === -1) return cut;
    const size = Number.parseInt(line, 16);
    const next = end + 2 + size;
    if (next + 2 > bytes.length) return cut;
    if (bytes.toString('latin1', next, next + 2) !== '\r\n') return { garbledAt: next };
    if (size === 0) return { text: Buffer.concat(chunks), length: next + 2 };
    chunks.push(bytes.subarray(end + 2, next));
    at = next + 2;
  }
}

function isJson(text: Buffer): boolean {
  try {
    JSON.parse(text.toString());
    return true;
  } catch {
    return false;
  }
}
