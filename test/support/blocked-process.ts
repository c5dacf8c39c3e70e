/** Preloaded into a server: on SIGUSR2 its event loop stands still for ever. */
process.on('SIGUSR2', () => {
  // Without work for the processor, which the other tests need.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});

export {};
