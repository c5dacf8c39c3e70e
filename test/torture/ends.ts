/** The ends of processes, as parts of the torture: stops, kills, and event loops that stand still. */
import { type Figures, judge, type Part, type Scale } from './part.ts';
import { keepBusyWorkers, killPrimaries, killWorkers, stopWhileStarting, suspendAll } from './processes.ts';
import { stops } from './stops.ts';

export const stopsPart: Part = async (scale) => {
  const figures = await stops(scale === 'short' ? 4 : 200);
  const { reset, failed, refused, longest } = figures;
  return judge(
    { ...figures },
    reset > 0 && `${reset} requests were reset`,
    failed > 0 && `${failed} processes did not end with 0`,
    refused > 0 && `${refused} requests were refused`,
    longest > 10_000 && `one end took ${longest} ms`,
  );
};

/** A part that runs something so many times, and says what is wrong with its figures. */
const part =
  <T extends object>(
    counts: Record<Scale, number>,
    run: (count: number) => Promise<T>,
    wrong: (figures: T) => string | false,
  ): Part =>
  async (scale) => {
    const figures = await run(counts[scale]);
    return judge({ ...figures } as Figures, wrong(figures));
  };

/** Those with several processes. */
export const processParts: Record<string, { title: string; run: Part }> = {
  workers: {
    title: 'SIGKILL of workers while surveys are written',
    run: part({ short: 5, full: 100 }, killWorkers, ({ lost, exitCode, kills, deathsLogged }) =>
      lost > 0 || exitCode !== 0 || deathsLogged < kills ? 'a write, a death or the end is lost' : false,
    ),
  },
  starts: {
    title: 'SIGTERM while workers are starting',
    run: part({ short: 3, full: 40 }, stopWhileStarting, ({ cut, failed }) =>
      cut + failed > 0 ? 'a response was cut, or an end was not in order' : false,
    ),
  },
  primaries: {
    title: 'SIGKILL of the primary process while a worker is blocked',
    run: part({ short: 1, full: 10 }, killPrimaries, ({ left }) => left > 0 && 'a worker is left'),
  },
  busy: {
    title: 'Workers that are busy for 3 s in each turn, for 20 s',
    run: part({ short: 1, full: 1 }, keepBusyWorkers, ({ replaced }) => replaced > 0 && 'a busy worker was killed'),
  },
  suspended: {
    title: 'All processes suspended for 15 s',
    run: part({ short: 1, full: 1 }, suspendAll, ({ replaced }) => replaced > 0 && 'a suspended worker was killed'),
  },
};
