/** Bytes that are no requests, or not quite. */
import { marked } from './stored.ts';

/** Here the garbage is sent when the begin of the list was received. */
export const midway = 'garbage while a list is received';

export type Below = (below: number) => number;

/** Damages bytes: some are changed, taken out, put in or doubled. */
function mutate(bytes: Buffer, below: Below): Buffer {
  let result = Buffer.from(bytes);
  for (let count = 1 + below(4); count > 0; count -= 1) {
    const at = below(result.length);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const noise = Buffer.from(
      ['\0', '\r', '\n', '\r\n', '\r\n\r\n', ':', ' ', '\t', ',', 'é', '%', '0', '-1', '//'][below(14)]!,
    );
    const change = below(5);
    if (change === 0) result = Buffer.concat([before, noise, after]);
    else if (change === 1) result = Buffer.concat([before, after.subarray(1 + below(20))]);
    else if (change === 2) result = Buffer.concat([before, after.subarray(0, below(60)), after]);
    else if (change === 3) result = Buffer.concat([before, Buffer.from([below(256)]), after.subarray(1)]);
    else result = Buffer.from(before.length > 0 ? before : result);
  }
  return result;
}

/** Cuts bytes into pieces. */
export function split(bytes: Buffer, below: Below): Buffer[] {
  const places = Array.from({ length: below(4) }, () => below(bytes.length + 1)).sort((one, other) => one - other);
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length));
}

/** The request, and what comes behind it. */
export function atRequestEnd(bytes: Buffer): Buffer[] {
  const end = bytes.indexOf('\r\n\r\n') + 4;
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

/** The kinds of cases; each makes bytes. `name` is of no other case. */
export function cases(token: string, below: Below): Record<string, (name: string) => Buffer> {
  const authorization = `Authorization: Bearer ${token}`;
  const pick = <T>(...items: T[]) => items[below(items.length)]!;
  const paths = [
    '/api/v5/surveys',
    '/api/v5/surveys?limit=3',
    '/api/v5/surveys/1',
    '/api/v3/hxl/metadata',
    '/docs',
    '/%',
    '/x',
  ];
  const request = (method: string, path: string, headers: string[] = [], body = '') =>
    [`${method} ${path} HTTP/1.1`, 'Host: torture', authorization, ...headers, '', body].join('\r\n');
  const get = () => request('GET', pick(...paths));
  const post = (name: string) => {
    const body = JSON.stringify(marked(name, 1));
    return request(
      'POST',
      '/api/v5/surveys',
      ['Content-Type: application/json', `Content-Length: ${body.length}`],
      body,
    );
  };
  const garbage = () => Buffer.from(Array.from({ length: 1 + below(200) }, () => below(256)));
  const wrongLength = (name: string) =>
    post(name).replace(
      /Content-Length: \d+/,
      pick(
        'Content-Length: 1',
        'Content-Length: 99999999999',
        'Content-Length: -1',
        'Content-Length: 0x10',
        'Content-Length: 2000000',
        'Content-Length: 5\r\nContent-Length: 6',
        'Content-Length: 5, 5',
        'Content-Length:',
        'Content-Length: +7',
        'Content-Length: 20\r\nTransfer-Encoding: chunked',
        'Transfer-Encoding: gzip',
        'Transfer-Encoding: chunked, gzip',
        'Transfer-Encoding: chunked, chunked',
        'Transfer-Encoding: \x0bchunked',
        'Expect: 100-continue\r\nContent-Length: 9',
      ),
    );
  const chunked = (name: string) => {
    const body = JSON.stringify(marked(name, 1));
    const chunks = [
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      `FFFFFFFFFFFFFFFFFF\r\n${body}`,
      `-5\r\n${body}`,
      `zz\r\n${body}`,
      `5;${'x'.repeat(below(20_000))}\r\n${body}`,
      `${body.length.toString(16)}\n${body}\n0\n\n`,
      `5\r\n${body}\r\n0\r\n`,
      `0\r\nTrailer: ${'y'.repeat(below(20_000))}\r\n\r\n`,
      '',
      `1\r\n{\r\n`.repeat(500),
    ];
    return request(
      'POST',
      '/api/v5/surveys',
      ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
      pick(...chunks),
    );
  };
  const header = () =>
    pick(
      'X: \x01',
      ' folded: yes',
      'no colon',
      ': empty',
      `X: ${'x'.repeat(20_000)}`,
      'Host: second',
      'X-É: é',
      'Connection: upgrade\r\nUpgrade: h2c',
      'Connection: close',
      'Content-Type: application/json;charset=\x7f',
      `${'A: b\r\n'.repeat(3000)}C: d`,
      'Authorization: Bearer',
      'Range: bytes=0-1',
    );
  const line = () =>
    pick(
      'GET',
      'GET /',
      'GET / HTTP/9.9',
      'GET / HTTP/2.0',
      'get / HTTP/1.1',
      'GET  / HTTP/1.1',
      'PRI * HTTP/2.0\r\n\r\nSM',
      'GET http://[ HTTP/1.1',
      'GET * HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'CONNECT torture:1 HTTP/1.1',
      'TRACE / HTTP/1.1',
      `GET /${'x'.repeat(20_000)} HTTP/1.1`,
      '\x16\x03\x01\x02\x00\x01',
    );
  return {
    'random bytes': () => garbage(),
    'damaged requests': (name) => mutate(Buffer.from(pick(get(), post(name), chunked(name))), below),
    'wrong first lines': () => Buffer.from(`${line()}\r\nHost: torture\r\n${authorization}\r\n\r\n`),
    'wrong headers': () => Buffer.from(request(pick('GET', 'DELETE', 'PUT'), pick(...paths), [header()])),
    'wrong lengths': (name) => Buffer.from(wrongLength(name)),
    'wrong chunks': (name) => Buffer.from(chunked(name)),
    pipelined: (name) =>
      Buffer.from(Array.from({ length: 2 + below(5) }, (_, at) => pick(get(), post(`${name}-${at}`))).join('')),
    'garbage behind requests': (name) => Buffer.concat([Buffer.from(pick(get(), post(name))), garbage()]),
    [midway]: () => Buffer.concat([Buffer.from(request('GET', '/api/v5/surveys')), garbage()]),
  };
}
