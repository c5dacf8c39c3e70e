/** Sends what is no request, or not quite one: no 5xx, no response inside another, and the service goes on. */
import { atOnce, type Figures, judge, type Part, randomNumbers } from './part.ts';
import { exchange, readResponses } from './raw.ts';
import { atRequestEnd, cases, midway, split } from './request-cases.ts';
import { newDatabase, startService } from './service.ts';
import { marked } from './stored.ts';

/** An encoding of the transfer that is not implemented is refused with 501. */
const allowedFaults = [501];

export const requests: Part = async (scale) => {
  const count = scale === 'short' ? 600 : 20_000;
  const below = randomNumbers(3);
  const service = await startService(newDatabase());
  const surveys = Array.from({ length: 60 }, (_, number) => marked(`list-${number}`, 20, 10));
  await atOnce(4, surveys, (survey) => service.send('POST', '/api/v5/surveys', survey));
  const kinds = Object.entries(cases(service.database.token, below));
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  /** The cases whose first response was a refusal. */
  const refused: string[] = [];
  await atOnce(16, Iterator.from(Array(count).keys()), async (number) => {
    const [kind, make] = kinds[number % kinds.length]!;
    const name = `case-${number}`;
    const bytes = make(name);
    // A connection that stays open has nothing more to say.
    const pieces = kind === midway ? atRequestEnd(bytes) : split(bytes, below);
    const { statuses: received, garbled } = readResponses(await exchange(service.port, pieces, 150, kind === midway));
    for (const status of received) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const sent = JSON.stringify(bytes.toString('latin1').replaceAll(service.database.token, '…').slice(0, 300));
    const fault = received.find((status) => status >= 500 && !allowedFaults.includes(status));
    if (fault !== undefined) wrong.push(`${kind}: ${fault} for ${sent}`);
    if (garbled !== undefined) wrong.push(`${kind}: ${garbled}`);
    if (received[0] !== undefined && received[0] >= 400) refused.push(name);
    if (!service.isRunning()) throw new Error(`The service ended at ${kind}: ${sent}\n${service.messages()}`);
  });
  const { status, text } = await service.send('GET', '/api/v5/surveys?only=name');
  const stored = new Set<string>((JSON.parse(text).results as { name: string }[]).map((survey) => survey.name));
  const untrue = refused.filter((name) => stored.has(name));
  const faults = service.faults.length;
  const code = await service.end();
  const figures: Figures = {
    cases: count,
    responses: [...statuses]
      .sort(([one], [other]) => one - other)
      .map(([of, times]) => `${of}: ${times}`)
      .join(', '),
    '5xx, or a response inside another (0)': wrong.length,
    'refused, although it was stored (0)': untrue.length,
    'faults in the log (0)': faults,
  };
  return judge(
    figures,
    wrong.length > 0 && `${wrong.length} wrong responses: ${wrong.slice(0, 3).join('; ')}`,
    untrue.length > 0 && `${untrue.length} were told 4xx, and their survey is there: ${untrue.slice(0, 3).join(', ')}`,
    faults > 0 && `the log has faults: ${service.faults.slice(0, 2).join(' ').slice(0, 1000)}`,
    (status !== 200 || code !== 0) && `afterwards the list returned ${status}, the end ${code}`,
  );
};
