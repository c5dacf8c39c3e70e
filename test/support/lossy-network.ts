/** A network that swallows what is sent on some connections, without an error for anybody. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Relays to this port of this machine, until the running test has finished. */
export async function lossyNetwork(target: number) {
  const open = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  let loses = false;
  const listener = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    open.add(client);
    const relay = (from: Socket, to: Socket) =>
      from.on('data', (data) => {
        if (loses) lost.add(client);
        if (!lost.has(client)) to.write(data);
      });
    relay(client, server);
    relay(server, client);
    client
      .on('error', () => {})
      .on('close', () => {
        open.delete(client);
        server.destroy();
      });
    server.on('error', () => {}).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    for (const client of open) client.destroy();
    listener.close();
  });
  return {
    port: (listener.address() as AddressInfo).port,
    /** How many connections there are. */
    connections: () => open.size,
    /** From now on, a connection on which something is sent is lost for ever, or no longer. */
    lose: (now: boolean) => {
      loses = now;
    },
  };
}
