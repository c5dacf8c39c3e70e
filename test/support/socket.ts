/** The service on a real socket, requests as bytes, and what a refusal must look like. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Role } from '../../src/api/caller.ts';
import { problems, service, type TestResponse } from './service.ts';

export const jsonType = 'application/json';
/** The largest body that the service on a socket accepts. */
export const bodyLimit = 20_000;

export interface Sent {
  /** Without a role the request has no credentials. */
  as?: Role | null;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** A connection, and all that was received on it. It is closed when the test is over. */
export async function dial(port: number): Promise<{ socket: Socket; received: () => string }> {
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { socket, received: () => Buffer.concat(chunks).toString() };
}

/** The parts of a response that was received as text. */
export function parse(text: string): TestResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => [
      header.slice(0, header.indexOf(':')).toLowerCase(),
      header.slice(header.indexOf(':') + 1).trim(),
    ]),
  );
  const body = rest.join('\r\n\r\n');
  return {
    status: Number(line.split(' ')[1]),
    headers,
    text: body,
    json: /json/.test(headers['content-type'] ?? '') && body !== '' ? JSON.parse(body) : undefined,
  };
}

/** A service that listens until all tests of the file are over, and requests to it over sockets. */
export async function listeningService() {
  const { app, tokens, send: inject, close } = await service({ BODY_LIMIT: String(bodyLimit) });
  afterAll(close);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  /** Writes bytes as they are, and waits until the server closes the connection, which it must do by itself. */
  async function raw(...parts: (string | Buffer)[]): Promise<TestResponse> {
    const { socket, received } = await dial(port);
    const end = new Promise((resolve, reject) => {
      socket.once('close', resolve);
      setTimeout(reject, 5000, new Error(`no end after: ${received()}`)).unref();
    });
    for (const part of parts) socket.write(part);
    await end;
    return parse(received());
  }

  /** One request over a socket, with just these headers, a length and the credentials of this role. */
  async function send(
    method: string,
    url: string,
    { as = 'admin', headers = {}, body }: Sent = {},
  ): Promise<TestResponse> {
    const lines = [
      `${method} ${url} HTTP/1.1`,
      'Host: service.test',
      'Connection: close',
      ...(as ? [`Authorization: Bearer ${tokens[as]}`] : []),
      ...Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`)),
      ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ];
    return raw(`${lines.join('\r\n')}\r\n\r\n`, ...(body === undefined ? [] : [body]));
  }

  return {
    app,
    tokens,
    /** Sends a request without a socket. */
    inject,
    /** A connection to the service. */
    dial: () => dial(port),
    raw,
    send,
  };
}

/** The begin of a request as an administrator: its first line, and headers with a line break at the end of each. */
export function head(method: string, url: string, token: string, ...headers: string[]): string {
  return [`${method} ${url} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...headers, ''].join('\r\n');
}

/** The status and the codes of a refusal, after a check of its shape. */
export function refusal(response: TestResponse): [status: number, ...problems: string[]] {
  const { status, headers, json } = response;
  expect({ text: response.text, type: headers['content-type'] }).toEqual({
    text: response.text,
    type: 'application/json; charset=utf-8',
  });
  expect(Object.keys(json)).toEqual(['errors', 'request_id']);
  expect(json.request_id).toMatch(/^[\w-]+$/);
  expect(json.errors.length).toBeGreaterThan(0);
  for (const error of json.errors) {
    expect(error).toMatchObject({
      status,
      message: expect.stringMatching(/^\S.*\.$/),
      code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    });
    expect(Object.keys(error).filter((name) => !['status', 'message', 'code', 'source'].includes(name))).toEqual([]);
    expect(error.message).not.toMatch(/\/work|node_modules|\bat .*:\d+|SQLITE|FST_|select |insert /);
  }
  return [status, ...problems(response)];
}
