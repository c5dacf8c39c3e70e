/** How servers are measured side by side: all respond the same, and each gets its turn in each round. */
import { isDeepStrictEqual } from 'node:util';
import { flood, median } from './load.ts';
import type { Operation } from './operations.ts';
import { ask, type Server } from './server.ts';
import type { Measurable } from './servers.ts';

interface Turn {
  /** 0 is for warming up. */
  round: number;
  server: Server;
  operation: Operation;
}

/** Every operation of these names on every server, in each round. */
export function* turns(measured: readonly Measurable[], names: readonly string[], rounds: number): Generator<Turn> {
  for (let round = 0; round <= rounds; round += 1) {
    process.stderr.write(round === 0 ? 'warming up\n' : `round ${round} of ${rounds}\n`);
    for (const name of names) {
      // Nobody is always the one after the slowest.
      for (const { server, operations } of rotated(measured, round))
        yield { round, server, operation: operations.find((one) => one.name === name)! };
    }
  }
}

/** Sends an operation as fast as responses come. */
export async function measure({ server, operation }: Turn, connections: number, seconds: number) {
  const cpu = server.cpu();
  const started = performance.now();
  const { rate, count, latencies, busy } = await flood(server.port, operation.shots, connections, seconds).catch(
    (error: Error) => Promise.reject(new Error(`${server.name}, ${operation.name}: ${error.message}`)),
  );
  const used = server.cpu() - cpu;
  return {
    rate,
    /** CPU time of the server for one response, in microseconds. */
    cost: (used / count) * 1000,
    latency: median(latencies),
    busy,
    /** The part of its core that the server had. */
    share: used / (performance.now() - started),
  };
}

/** What servers make up themselves, and the wording of refusals, may differ. */
const own = new Set(['request_id', 'key', 'created', 'updated', 'message']);

/** Sends one request to all and fails unless all respond the same. */
export async function checkSame(measured: readonly Measurable[], name: string): Promise<void> {
  const responses = await Promise.all(
    measured.map(async ({ server, operations }) => {
      const { sample, status } = operations.find((one) => one.name === name)!;
      const response = await ask(server, sample);
      if (response.status !== status)
        throw new Error(`${server.name} responds to ${name} with ${response.status}: ${JSON.stringify(response.body)}`);
      return {
        server: server.name,
        body: JSON.parse(JSON.stringify(response.body, (member, value) => (own.has(member) ? null : value))) as unknown,
      };
    }),
  );
  for (const { server, body } of responses.slice(1)) {
    if (isDeepStrictEqual(body, responses[0]!.body)) continue;
    throw new Error(
      `${server} responds to ${name} differently:\n${JSON.stringify(body)}\n${responses[0]!.server}:\n${JSON.stringify(responses[0]!.body)}`,
    );
  }
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}
