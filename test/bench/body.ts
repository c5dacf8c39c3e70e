/** Large bodies: for how long the event loop is blocked, so that nobody else is served, while one is read, checked and stored. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { judged } from './goals.ts';
import { median } from './load.ts';
import { countedName } from './operations.ts';
import { number, table } from './report.ts';
import type { Bench } from './run.ts';
import { firstToken, type Server, start } from './server.ts';
import { surveyInput } from './survey.ts';

const goal = 50;

export async function run({ work, quick, services: [folder = ''] }: Bench): Promise<string> {
  const program = ['--import', join(import.meta.dirname, 'delay.ts'), 'src/server.ts'];
  const server = await start('service', program, { DATABASE_URL: `file:${join(work, 'service.db')}` }, folder);
  const token = await firstToken(server);
  const large = surveyInput(countedName, 190);
  const wrong = {
    ...large,
    tasks: large.tasks.map((task) => ({
      ...task,
      fields: task.fields.map((field) => ({ ...field, label: '', priority: -1 })),
    })),
  };
  const empty = {
    ...large,
    tasks: large.tasks.map((task) => ({ ...task, fields: task.fields.flatMap(() => Array(30).fill({})) })),
  };
  const rows: string[][] = [];
  for (const [title, body, status] of [
    ['a survey', large, 201],
    ['a survey with thousands of errors', wrong, 422],
    ['a survey of fields that are empty', empty, 422],
  ] as const) {
    const text = JSON.stringify(body);
    const times: number[] = [];
    // What the service still compiles after its start is not what is measured.
    await setTimeout(1000);
    const before = server.messages().length;
    for (let count = quick ? 5 : 20; count > 0; count -= 1) {
      const began = performance.now();
      await post(server, token, text, status);
      times.push(performance.now() - began);
      await setTimeout(100);
    }
    await setTimeout(200);
    const longest = Math.max(
      ...Array.from(
        server
          .messages()
          .slice(before)
          .matchAll(/blocked for ([\d.]+) ms/g),
        ([, ms]) => Number(ms),
      ),
    );
    rows.push([
      `${number(text.length / 1000)} KB: ${title}`,
      median(times).toFixed(1),
      longest.toFixed(1),
      `≤ ${goal}`,
      judged(longest <= goal),
    ]);
  }
  await server.stop();
  return table(['POST of', 'response after, ms', 'event loop blocked for at most, ms', 'Goal', ''], rows);
}

/** The text is made before, and the response is not parsed. */
async function post({ port }: Server, token: string, body: string, status: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/api/v5/surveys`, { method: 'POST', headers, body });
  const text = await response.arrayBuffer();
  if (response.status !== status)
    throw new Error(`The response to the body is ${response.status}: ${Buffer.from(text).toString().slice(0, 500)}`);
}
