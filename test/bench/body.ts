/** Large bodies: for how long nobody else is answered while one is read, checked and stored. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { judged } from './goals.ts';
import { pace, quantile } from './load.ts';
import { countedName, shot } from './operations.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { ask, firstToken, startService } from './server.ts';
import { surveyInput } from './survey.ts';

const goal = 50;
/** Requests per second that see how long the event loop takes. */
const watchers = 1000;

export async function run({ work, quick, services: [folder = ''] }: Bench): Promise<string> {
  const server = await startService('service', join(work, 'service.db'), folder);
  const token = await firstToken(server);
  const large = surveyInput(countedName, 190);
  const wrong = { ...large, tasks: large.tasks.map((task) => ({ ...task, fields: task.fields.map((field) => ({ ...field, label: '', priority: -1 })) })) };
  const watch = { shots: [shot({ method: 'GET', path: '/health/live' }, 200)] };
  const rows: string[][] = [];
  for (const [title, body, status] of [['nothing', undefined, 0], ['a survey', large, 201], ['a survey with thousands of errors', wrong, 422]] as const) {
    const send = async () => {
      for (let count = quick ? 5 : 20; count > 0; count -= 1) {
        if (body !== undefined) {
          const answer = await ask(server, { method: 'POST', path: '/api/v5/surveys', token, body });
          if (answer.status !== status) throw new Error(`${title} is answered with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`);
        }
        await setTimeout(100);
      }
    };
    const latencies = (await pace(server.port, [watch], watchers, 4, send())).get(watch)!;
    const longest = Math.max(...latencies);
    const size = body ? `${number(JSON.stringify(body).length / 1000)} KB: ` : '';
    rows.push([`${size}${title}`, quantile(latencies, 0.5).toFixed(2), quantile(latencies, 0.99).toFixed(1), longest.toFixed(1), `≤ ${goal}`, judged(longest <= goal)]);
  }
  await server.stop();
  return `Latency of \`/health/live\` while bodies are sent, in ms:\n\n${table(['POST of', 'median', 'p99', 'longest', 'Goal', ''], rows)}`;
}
