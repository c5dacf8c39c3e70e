/** Reads whatever may be kept in memory, in as many spellings as possible. */
import { cacheBudget, fillWithLarge, fillWithMetadata, fillWithOrdinary, largestSurvey } from './large.ts';
import { atOnce, type Figures, judge, type Part } from './part.ts';
import { newDatabase, type Service, startService } from './service.ts';
import { marked } from './stored.ts';

const clients = 4;

/**
 * What may be held beside the kept responses, in mebibytes: for each of the clients a page of its list, which is at
 * least one survey, as text of two bytes a character, joined with its envelope, as bytes for the socket, and once more
 * as garbage that is not collected yet; and 64 for garbage of all that is small.
 */
const pages = (clients * largestSurvey * (2 + 2 + 1 + 5)) / 2 ** 20 + 64;

type Read = [path: string, headers?: Record<string, string>];

/** The reads of each kind. */
function attempts(count: number): Record<string, Read[]> {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const some = numbers.slice(0, count / 5);
  const host = (number: number, length: number) => ({
    host: `h${number}.${'a'.repeat(60)}.${'b.'.repeat(length)}test`,
  });
  /** What is asked for a second time is kept. */
  const twice = (read: Read): Read[] => [read, read];
  const listings = ['tags', 'licenses', 'metadata', 'organisations'].map((name) => `/api/v3/hxl/${name}`);
  return {
    'lists of 20 large surveys': numbers
      .slice(0, count / 20)
      .map((number) => [
        `/api/v5/surveys?limit=20&only=tasks,${numbers.slice(0, 1 + (number % 67)).map((at) => `x${at}`)}`,
      ]),
    'spellings of a large survey': some.map((number) => [`/api/v5/surveys/1?only=tasks,x${number}`]),
    'spellings of a survey that is kept': numbers.flatMap((number) =>
      twice([`/api/v5/surveys/21?only=tasks,x${number}`]),
    ),
    'other spellings of it': numbers.flatMap((number) =>
      twice([`/api/v5/surveys/21?only=${number.toString(2).replaceAll('0', 'name,').replaceAll('1', 'tasks,')}`]),
    ),
    'names of Host': numbers.flatMap((number) => twice(['/api/v3/hxl/tags', host(number, 2)])),
    'long names of Host': some.flatMap((number) => twice(['/api/v3/hxl/tags?limit=40', host(number, 3000)])),
    'pages of HXL': some.flatMap((number) =>
      listings.flatMap((path) => twice([`${path}?limit=${1000 - (number % 500)}&offset=${number}`])),
    ),
    'filters of HXL': numbers.map((number) => [`${listings[2]}?limit=1000&name=${'n'.repeat(5000)}${number}`]),
  };
}

export const memory: Part = async (scale) => {
  const database = newDatabase();
  await fillWithLarge(database, 20);
  const service = await startService(database);
  await service.send('POST', '/api/v5/surveys', marked('kept', 120, 5));
  await fillWithOrdinary(service, 100);
  await fillWithMetadata(service, 3000);
  const { now: before } = service.memory();
  const figures: Figures = { 'before, MB': before };
  for (const [kind, reads] of Object.entries(attempts(scale === 'short' ? 60 : 1000))) {
    const done = await readAll(service, reads);
    if (!service.isRunning()) {
      figures[kind] = `${done} requests, then the process ended`;
      return judge(figures, `the process ended at ${kind}: ${service.messages().slice(-600)}`);
    }
    figures[kind] = `${done} requests, ${service.memory().most} MB at most so far`;
  }
  const { most } = service.memory();
  const bound = Math.round(before + cacheBudget + pages);
  figures['at most, MB'] =
    `${most}, bound ${bound}: ${before} before + ${cacheBudget} for responses + ${Math.round(pages)}`;
  const code = await service.end();
  return judge(
    figures,
    most > bound && `${most} MB were held, the bound is ${bound}`,
    code !== 0 && `the end is ${code}`,
  );
};

/** Sends these reads, and returns how many had a response before the process ended, if it did. */
async function readAll(service: Service, reads: Read[]): Promise<number> {
  let done = 0;
  await atOnce(clients, reads, async ([path, headers]) => {
    try {
      const { status } = await service.send('GET', path, undefined, headers);
      // A Host so long may be refused, and so may a long filter.
      if (status >= 500) throw new Error(`GET ${path.slice(0, 100)} returned ${status}`);
      done += 1;
    } catch (error) {
      if (service.isRunning()) throw error;
    }
  });
  return done;
}
