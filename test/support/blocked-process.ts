/** Preloaded into a server: signals block its event loop. */
import { setTimeout as sleep } from 'node:timers/promises';

const moment = new Int32Array(new SharedArrayBuffer(4));
/** Without work for the processor, which the other tests need. */
const block = (ms?: number) => Atomics.wait(moment, 0, 0, ms);

// For ever.
process.on('SIGUSR2', () => block());

// For 20 s, but every three seconds it turns.
process.on('SIGWINCH', async () => {
  for (let turns = 0; turns < 7; turns += 1) {
    block(3000);
    await sleep(1);
  }
});
