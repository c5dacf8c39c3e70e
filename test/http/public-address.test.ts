/** Links lead to the address that clients use. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { testService } from '../support/service.ts';
import { dial, parse } from '../support/socket.ts';

test('links lead to the server when a request names no host, which HTTP/1.0 allows', async () => {
  const { app, tokens } = await testService({ PUBLIC_URL: '' });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const { socket, received } = await dial((app.server.address() as AddressInfo).port);
  socket.write(`GET /api/v3/hxl/licenses/1 HTTP/1.0\r\nAuthorization: Bearer ${tokens.user}\r\n\r\n`);
  await once(socket, 'close');
  expect(parse(received()).json.url).toBe(`${origin}/api/v3/hxl/licenses/1`);
});
