/** Links lead to the address that clients use. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isLoopback } from '../../src/http/public-address.ts';
import { testService } from '../support/service.ts';
import { dial, parse, refusal } from '../support/socket.ts';

test('links lead to the server when a request names no host, which HTTP/1.0 allows', async () => {
  const { app, tokens } = await testService({ PUBLIC_URL: '' });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const { socket, received } = await dial((app.server.address() as AddressInfo).port);
  socket.write(`GET /api/v3/hxl/licenses/1 HTTP/1.0\r\nAuthorization: Bearer ${tokens.user}\r\n\r\n`);
  await once(socket, 'close');
  expect(parse(received()).json.url).toBe(`${origin}/api/v3/hxl/licenses/1`);
});

/** A service that takes its address from requests, and a request to it with these header lines. */
async function withoutPublicUrl() {
  const { app, tokens } = await testService({ PUBLIC_URL: '' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return async (...lines: string[]) => {
    const { socket, received } = await dial((app.server.address() as AddressInfo).port);
    const fixed = ['GET /api/v3/hxl/licenses/1 HTTP/1.1', 'Connection: close', `Authorization: Bearer ${tokens.user}`];
    socket.write(`${[...fixed, ...lines].join('\r\n')}\r\n\r\n`);
    await once(socket, 'close');
    return parse(received());
  };
}

test('links lead to the host that a request names', async () => {
  const get = await withoutPublicUrl();
  for (const host of [
    'example.org',
    'EXAMPLE.org:8080',
    'my_service',
    '127.0.0.1:3000',
    '[::1]:3000',
    '[2001:db8::7]',
    'xn--bcher-kva.example',
    'a'.repeat(255),
  ]) {
    const { json } = await get(`Host: ${host}`);
    expect(json.url).toBe(`http://${host}/api/v3/hxl/licenses/1`);
  }
});

test('a header Host that is no host is refused', async () => {
  const get = await withoutPublicUrl();
  for (const host of [
    '',
    'exa mple.org',
    'example.org/path',
    'user@example.org',
    'example.org?x',
    'example.org#x',
    'example.org:port',
    'example.org:65536',
    'example.org:80:80',
    'http://example.org',
    'a, b',
    '<script>',
    'a"b',
    'a\\b',
    '%zz',
    '[::1',
    '[::g]',
    '256.256.256.256',
    'b\u00fccher.example',
    'a'.repeat(256),
  ]) {
    const response = await get(`Host: ${host}`);
    expect([host, ...refusal(response)]).toEqual([host, 400, 'malformed_request host']);
  }
});

test('a header Host that is given twice is refused', async () => {
  const get = await withoutPublicUrl();
  for (const second of ['Host: b', 'host: a', 'HOST: a']) {
    expect(refusal(await get('Host: a', second))).toEqual([400, 'malformed_request host']);
  }
});

test('an address is of this machine only, or is not', () => {
  const at = (address: string) => ({ address, family: '', port: 3000 });
  expect(isLoopback([at('127.0.0.1'), at('127.1.2.3'), at('::1'), at('::ffff:127.0.0.1')])).toBe(true);
  for (const address of ['0.0.0.0', '::', '10.0.0.1', '1.127.0.1', 'fe80::1']) {
    expect([address, isLoopback([at('127.0.0.1'), at(address)])]).toEqual([address, false]);
  }
});
