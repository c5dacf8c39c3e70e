/** Many clients read one survey, add a field and write it back with If-Match: none may delete what another has added. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, freshPath, start } from '../support/server-process.ts';
import { type Figures, judge, type Part } from './part.ts';

interface Scene {
  clients: number;
  /** How many changes each client makes. */
  cycles: number;
  /** How many server processes there are. */
  workers: number;
}

/** Makes all the changes, and returns what came of them. */
export async function editTogether({ clients, cycles, workers }: Scene) {
  const ends: (() => unknown)[] = [];
  const server = start({ onTestFinished: (end) => void ends.push(end as () => unknown) }, freshPath(), {
    WORKERS: String(workers),
  });
  try {
    const listening = await server.listening();
    while (listening.token === '') await sleep(10);
    const headers = { ...bearer(listening.token), 'content-type': 'application/json' };
    const surveys = `${listening.url}/api/v5/surveys`;
    // What is added is a number in a text, so that the survey stays small however many changes there are.
    const made = await fetch(surveys, { method: 'POST', headers, body: '{"name":"Edited","description":"0"}' });
    const url = made.headers.get('location')!;
    const figures = { changes: 0, conflicts: 0, 'other responses (0)': 0, 'lost changes (0)': 0 };

    async function edit(): Promise<void> {
      for (let done = 0; done < cycles; ) {
        const read = await fetch(`${url}?only=description`, { headers });
        const { results } = (await read.json()) as { results: [{ description: string }] };
        const body = JSON.stringify({ description: String(Number(results[0].description) + 1) });
        const ifMatch = { 'if-match': read.headers.get('etag')! };
        const written = await fetch(url, { method: 'PUT', headers: { ...headers, ...ifMatch }, body });
        await written.arrayBuffer();
        if (written.status === 200) done += 1;
        else if (written.status === 412) figures.conflicts += 1;
        else figures['other responses (0)'] += 1;
      }
    }
    await Promise.all(Array.from({ length: clients }, edit));
    figures.changes = clients * cycles;
    const { results } = (await (await fetch(url, { headers })).json()) as { results: [{ description: string }] };
    figures['lost changes (0)'] = figures.changes - Number(results[0].description);
    return figures;
  } finally {
    for (const end of ends) await end();
  }
}

export const edits: Part = async (scale) => {
  const figures: Figures = await editTogether(
    scale === 'short' ? { clients: 16, cycles: 10, workers: 2 } : { clients: 64, cycles: 500, workers: 2 },
  );
  return judge(
    figures,
    figures['lost changes (0)'] !== 0 && 'changes were lost',
    figures['other responses (0)'] !== 0 && 'a request had neither 200 nor 412',
  );
};
