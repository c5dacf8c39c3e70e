/** Kills the service again and again while surveys are written, and looks for every write that it acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figures, judge, type Part, randomNumbers } from './part.ts';
import { newDatabase, type Service, startService } from './service.ts';
import { inspect, marked } from './stored.ts';

const writers = 8;
/** How many surveys one writer keeps; more are deleted. */
const surveysOfWriter = 6;

/** What is known of one survey. */
interface Known {
  id: number;
  /** The mark that was acknowledged last; undefined when its deletion was. */
  mark: string | undefined;
  /** What a request without a response may have made of it. */
  possible: { mark: string | undefined } | undefined;
}

export const kills: Part = async (scale) => {
  const rounds = scale === 'short' ? 6 : 80;
  const database = newDatabase();
  const random = randomNumbers(1);
  const known = Array.from({ length: writers }, (): Known[] => []);
  const withoutResponse = new Set<string>();
  const sum = { acknowledged: 0, lost: 0, cut: 0 };
  const wrong: string[] = [];
  let mark = 0;

  /** Writes one survey after the other until the service is gone. No two writers write the same survey. */
  async function write(service: Service, mine: Known[]): Promise<void> {
    for (;;) {
      const next = `mark-${(mark += 1)}`;
      const alive = mine.filter((survey) => survey.mark !== undefined);
      const one = alive[random(alive.length)];
      const body = marked(next, 1 + random(12));
      try {
        if (one === undefined || (alive.length < surveysOfWriter && random(2) === 0)) {
          withoutResponse.add(next);
          const { status, text } = await service.send('POST', '/api/v5/surveys', body);
          withoutResponse.delete(next);
          if (status !== 201) wrong.push(`POST returned ${status}: ${text.slice(0, 200)}`);
          else mine.push({ id: JSON.parse(text).results[0].id, mark: next, possible: undefined });
        } else {
          const remove = alive.length >= surveysOfWriter && random(2) === 0;
          one.possible = { mark: remove ? undefined : next };
          const path = `/api/v5/surveys/${one.id}`;
          const { status, text } = await (remove ? service.send('DELETE', path) : service.send('PUT', path, body));
          // A response that is whole is JSON.
          JSON.parse(text);
          if (status !== 200) wrong.push(`${remove ? 'DELETE' : 'PUT'} returned ${status}: ${text.slice(0, 200)}`);
          else one.mark = one.possible.mark;
          one.possible = undefined;
        }
        sum.acknowledged += 1;
      } catch (error) {
        if (error instanceof SyntaxError) wrong.push(`a response is not whole: ${error.message}`);
        else sum.cut += 1;
        return;
      }
    }
  }

  /** Holds what is stored against what was acknowledged. */
  function check(): void {
    const { marks, wrong: half } = inspect(database);
    wrong.push(...half);
    const others = new Map(marks);
    for (const survey of known.flat()) {
      const stored = marks.get(survey.id);
      others.delete(survey.id);
      if (stored !== survey.mark && !(survey.possible && stored === survey.possible.mark)) {
        sum.lost += 1;
        wrong.push(`survey ${survey.id} was acknowledged as ${survey.mark} and is ${stored}`);
      }
      survey.mark = stored;
      survey.possible = undefined;
    }
    for (const [id, name] of others) {
      if (!withoutResponse.has(name)) wrong.push(`survey ${id} is ${name}, which nobody sent`);
      known[0]!.push({ id, mark: name, possible: undefined });
    }
    withoutResponse.clear();
    for (const [at, surveys] of known.entries()) known[at] = surveys.filter((survey) => survey.mark !== undefined);
  }

  for (let round = 0; round < rounds; round += 1) {
    const service = await startService(database);
    const before = sum.acknowledged;
    const load = known.map((mine) => write(service, mine));
    // The first write takes longest; every fourth time it is not waited for.
    while (round % 4 !== 0 && sum.acknowledged === before) await sleep(5);
    await sleep(random(800));
    await service.end('SIGKILL');
    await Promise.all(load);
    wrong.push(...service.faults.slice(0, 3));
    check();
  }
  const service = await startService(database);
  const { status } = await service.send('GET', '/api/v5/surveys');
  const code = await service.end();
  const figures: Figures = {
    kills: rounds,
    'acknowledged writes': sum.acknowledged,
    'requests cut by a kill': sum.cut,
    'lost writes (0)': sum.lost,
    'half surveys, damaged files or wrong responses (0)': wrong.length - sum.lost,
  };
  return judge(
    figures,
    wrong.length > 0 && wrong.slice(0, 5).join('; '),
    sum.acknowledged < rounds && `only ${sum.acknowledged} writes were acknowledged`,
    (status !== 200 || code !== 0) && `after the kills the list returned ${status}, the end ${code}`,
  );
};
