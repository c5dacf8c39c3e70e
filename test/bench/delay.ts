/** Loaded into a server beside its program: tells every tenth of a second for how long the event loop was blocked at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
setInterval(() => {
  console.error(`blocked for ${(delay.max / 1e6).toFixed(1)} ms`);
  delay.reset();
}, 100).unref();
