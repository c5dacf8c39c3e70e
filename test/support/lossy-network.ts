/** A network that swallows what is sent on some connections, without an error for anybody. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Relays to this port of this machine, until the running test has finished. */
export async function lossyNetwork(target: number) {
  const open = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  let loses = false;
  const relay = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    open.add(client);
    client.on('data', (data) => {
      if (loses) lost.add(client);
      if (!lost.has(client)) server.write(data);
    });
    server.on('data', (data) => {
      if (!lost.has(client)) client.write(data);
    });
    client
      .on('error', () => {})
      .on('close', () => {
        open.delete(client);
        server.destroy();
      });
    server.on('error', () => {}).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  onTestFinished(() => {
    for (const client of open) client.destroy();
    relay.close();
  });
  return {
    port: (relay.address() as AddressInfo).port,
    /** How many connections there are. */
    connections: () => open.size,
    /** From now on, a connection on which something is sent is lost for ever, or no longer. */
    lose: (now: boolean) => {
      loses = now;
    },
  };
}
