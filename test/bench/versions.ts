/** Two versions of the service side by side. Of many short rounds the lower quartile counts: other work only ever adds. */
import { flood, quantile } from './load.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { startServices } from './servers.ts';

const connections = 16;

export async function run({ work, quick, services, operations }: Bench): Promise<string> {
  if (services.length < 2) {
    console.error('Two versions are needed: npm run bench -- versions --service . --service OTHER_FOLDER');
    process.exit(1);
  }
  const started = await startServices(work, services);
  const measured = started[0]!.operations.filter(({ name }) => operations?.includes(name) ?? true);
  const costs = new Map(measured.map(({ name }) => [name, started.map(() => [] as number[])]));
  const rounds = quick ? 5 : 25;
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name } of measured) {
      // Nobody is always the second.
      const turns = [...started.entries()];
      for (const [at, { server, operations: own }] of round % 2 === 0 ? turns : turns.reverse()) {
        const cpu = server.cpu();
        const { shots } = own.find((one) => one.name === name)!;
        const { count } = await flood(server.port, shots, connections, round === 0 ? 1.5 : 0.3);
        if (round > 0) costs.get(name)![at]!.push(((server.cpu() - cpu) / count) * 1000);
      }
    }
  }
  await Promise.all(started.map(({ server }) => server.stop()));
  return `CPU time of the server for one response, in µs: lower quartile of ${rounds} rounds of 0.3 s.\n\n${table(
    ['', ...started.map(({ server }) => server.name), 'first / second'],
    measured.map(({ name, title }) => {
      const [first = 0, second = 0, ...others] = costs.get(name)!.map((values) => quantile(values, 0.25));
      return [title, ...[first, second, ...others].map(number), (first / second).toFixed(2)];
    }),
  )}`;
}
