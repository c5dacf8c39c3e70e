/** What every part of the torture is, and how it says what it found. */

/** `short` is for CI: all parts together take about a minute. */
export type Scale = 'short' | 'full';

/** What was done and measured, in the order in which it is printed. */
export type Figures = Record<string, string | number>;

/** @throws BrokenPromise when the service did not do what it promises. */
export type Part = (scale: Scale) => Promise<Figures>;

/** What the service promises and did not do, with the figures there are. */
export class BrokenPromise extends Error {
  readonly figures: Figures;

  constructor(message: string, figures: Figures = {}) {
    super(message);
    this.figures = figures;
  }
}

/** @throws BrokenPromise listing all that is wrong, when anything is. */
export function judge(figures: Figures, ...broken: (string | false | undefined)[]): Figures {
  const reasons = broken.filter((reason) => typeof reason === 'string');
  if (reasons.length > 0) throw new BrokenPromise(reasons.join('; '), figures);
  return figures;
}

/** Whole numbers below a bound, the same ones in each run. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // The generator of Numerical Recipes; its upper bits are the better ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Does something for all items, for so many at a time. */
export async function atOnce<T>(count: number, items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const iterator = Iterator.from(items);
  // All take from the one iterator.
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

/** The value below which this part of all values lies. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
