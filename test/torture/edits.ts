/** Many clients read one survey, add a field and write it back with If-Match: none may delete what another has added. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figures, judge, type Part } from './part.ts';
import { newDatabase, removeDatabase, startService } from './service.ts';

interface Scene {
  clients: number;
  /** How many changes each client makes. */
  cycles: number;
  /** How many server processes there are. */
  workers: number;
}

/** Makes all the changes, and returns what came of them. */
export async function editTogether({ clients, cycles, workers }: Scene) {
  const database = newDatabase();
  const service = await startService(database, { env: { WORKERS: String(workers) } });
  const figures = { changes: clients * cycles, conflicts: 0, 'other responses (0)': 0, 'lost changes (0)': 0 };
  try {
    // What is added is a number in a text, so that the survey stays small however many changes there are.
    const made = await service.send('POST', '/api/v5/surveys', { name: 'Edited', description: '0' });
    const path = `/api/v5/surveys/${JSON.parse(made.text).results[0].id}`;
    const read = async () => {
      const { headers, text } = await service.send('GET', `${path}?only=description`);
      return { tag: headers.etag as string, number: Number(JSON.parse(text).results[0].description) };
    };
    async function edit(): Promise<void> {
      // Who was refused waits longer each time, as clients should: otherwise nearly all requests are refused.
      for (let done = 0, refused = 0; done < cycles; ) {
        await sleep(Math.random() * 2 ** Math.min(refused, 7));
        const { tag, number } = await read();
        const { status } = await service.send('PUT', path, { description: String(number + 1) }, { 'if-match': tag });
        refused = status === 412 ? refused + 1 : 0;
        if (status === 200) done += 1;
        else if (status === 412) figures.conflicts += 1;
        else figures['other responses (0)'] += 1;
      }
    }
    await Promise.all(Array.from({ length: clients }, edit));
    figures['lost changes (0)'] = figures.changes - (await read()).number;
    return figures;
  } finally {
    await service.end();
    removeDatabase(database);
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
