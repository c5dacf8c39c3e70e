/** Stops the server again and again while clients open new connections all the time: no request may be cut off. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, cleaningUp, create, freshPath, start } from '../support/server-process.ts';

export interface StopsFigures {
  stops: number;
  /** How many requests had their whole response. */
  served: number;
  /** How many responses were 503, which says that the server is shutting down. */
  refused: number;
  /** How many requests were sent on an open connection, and had no response or a part of one. */
  reset: number;
  /** How many processes did not end with 0. */
  failed: number;
  /** The longest time from the signal to the end of the process, in milliseconds. */
  longest: number;
}

/** How a request went; `closed` when there is no connection to send it on. */
type Outcome = 'served' | 'refused' | 'reset' | 'closed';

/** How many clients there are, each with one request at a time. */
const clients = 30;

/** Starts and stops a server this many times. */
export function stops(count: number, env: Record<string, string> = {}): Promise<StopsFigures> {
  return cleaningUp((context) => stopInTurn(count, freshPath(context), env));
}

async function stopInTurn(count: number, path: string, env: Record<string, string>): Promise<StopsFigures> {
  const figures: StopsFigures = { stops: 0, served: 0, refused: 0, reset: 0, failed: 0, longest: 0 };
  let token = '';
  while (figures.stops < count) {
    await cleaningUp(async (context) => {
      const server = start(context, path, env);
      const listening = await server.listening();
      while (token === '') [token] = [listening.token, await sleep(10)];
      if (figures.stops === 0) await create(listening.url, token, { name: 'Read by all' });
      const load = Array.from({ length: clients }, (_, client) =>
        sendUntilClosed(listening.port, client, token, figures),
      );
      await sleep(300);
      const { code, ms } = await server.stop();
      await Promise.all(load);
      figures.stops += 1;
      figures.failed += code === 0 ? 0 : 1;
      figures.longest = Math.max(figures.longest, Math.round(ms));
    });
  }
  return figures;
}

/** Sends one request after the other, until the server does not listen. */
async function sendUntilClosed(port: number, client: number, token: string, figures: StopsFigures): Promise<void> {
  const { authorization } = bearer(token);
  const head = (method: string) =>
    `${method} /api/v5/surveys HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`;
  const body = '{"name":"Written under load"}';
  const write = `${head('POST')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const read = `${head('GET').replace('surveys', 'surveys/1')}`;
  // Every third client writes. Half of them leave it to the server to keep a connection open or to close it.
  const request = client % 3 === 0 ? [write, body] : [read, ''];
  const close = client % 2 === 0 ? 'Connection: close\r\n' : '';
  for (;;) {
    const outcome = await exchange(port, `${request[0]}${close}\r\n${request[1]}`);
    if (outcome === 'closed') return;
    figures[outcome] += 1;
  }
}

/** Sends a request on a new connection, and reads its response. */
async function exchange(port: number, request: string): Promise<Outcome> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const closed = once(socket, 'close').catch(() => {});
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  if (!opened) return 'closed';
  let received = '';
  socket.on('error', () => {}).write(request);
  socket.on('data', (text: string) => {
    received += text;
    if (isWhole(received)) socket.end();
  });
  await closed;
  if (!isWhole(received)) return 'reset';
  return received.startsWith('HTTP/1.1 503') ? 'refused' : 'served';
}

/** Whether a response has its whole body. */
function isWhole(response: string): boolean {
  const [head = '', body] = response.split('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return body !== undefined && length !== undefined && body.length >= Number(length);
}
