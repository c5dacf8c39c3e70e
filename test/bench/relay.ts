/** Stands between a server and its database, and counts the round trips. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Results come this much later, in milliseconds: by then all is sent that does not wait for them. */
const delay = 20;

/** Relays to this port of this machine. */
export async function startRelay(target: number) {
  let trips = 0;
  let isWaiting = false;
  const relay = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    client.on('data', (data) => {
      if (!isWaiting) trips += 1;
      isWaiting = true;
      database.write(data);
    });
    database.on('data', (data) =>
      setTimeout(() => {
        isWaiting = false;
        client.write(data);
      }, delay),
    );
    client.on('error', () => {}).on('close', () => database.destroy());
    database.on('error', () => {}).on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    /** How many times one after the other something was sent and waited for during this work. */
    async count(work: () => Promise<unknown>): Promise<number> {
      const before = trips;
      await work();
      return trips - before;
    },
    close: () => void relay.close(),
  };
}
