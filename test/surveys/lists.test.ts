/** Lists of surveys of every size: what is sent, and that it is read no faster than it is sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Caller } from '../../src/api/caller.ts';
import { list } from '../../src/surveys/list.ts';
import { results } from '../../src/surveys/results.ts';
import { testService } from '../support/service.ts';

const surveys = '/api/v5/surveys';
const admin = new Caller({ id: 1, role: 'admin' });

/** A service that streams: in development replies are put together and checked. */
const production = () => testService({ NODE_ENV: 'production' });

type Service = Awaited<ReturnType<typeof production>>;

/** Creates a survey whose tasks take about so many bytes, a part of which only editors see. */
async function create({ send }: Service, bytes: number, more: object = {}): Promise<number> {
  const options = Array.from({ length: Math.ceil(bytes / 100) }, (_, at) => `${at} ä`.padEnd(96, '.'));
  const fields = Array.from({ length: Math.ceil(options.length / 1000) }, (_, at) => ({
    label: 'Field',
    type: 'varchar',
    input: 'select',
    options: options.slice(at * 1000, at * 1000 + 1000),
  }));
  const tasks = [
    { label: 'Open', fields },
    { label: 'Inner', task_is_internal_only: true },
  ];
  const { status, json } = await send('POST', surveys, { name: 'Survey', tasks, ...more });
  expect(status).toBe(201);
  return json.results[0].id;
}

describe('a list of surveys of all sizes', () => {
  test.each(['', '&orderby=name&order=desc', '&order=desc'])('holds each as it is read alone (%s)', async (order) => {
    const service = await production();
    const sizes = [0, 700_000, 10, 40_000, 40_000, 20_000, 0, 300_000, 600_000, 0];
    for (const [at, size] of sizes.entries())
      await create(service, size, { name: `Survey ${at}`, description: 'ab'.repeat(at * 3000), disabled: at === 4 });
    for (const as of ['admin', 'user'] as const) {
      for (const select of ['', '&only=name', '&only=tasks,description', '&hydrate=translations']) {
        const all: object[] = [];
        for (let id = 1; id <= sizes.length; id += 1) {
          const { status, json } = await service.send('GET', `${surveys}/${id}?${select}`, undefined, { as });
          if (status === 200) all.push(json.results[0]);
        }
        expect(all).toHaveLength(as === 'admin' ? 10 : 9);
        if (order.includes('desc')) all.reverse();
        for (const [limit, offset] of [
          [0, 0],
          [20, 0],
          [3, 0],
          [3, 2],
          [5, 4],
        ] as const) {
          const url = `${surveys}?limit=${limit}&offset=${offset}${select}${order}`;
          const { status, text } = await service.send('GET', url, undefined, { as });
          expect(status).toBe(200);
          expect(text === JSON.stringify({ results: all.slice(offset, limit === 0 ? 10 : offset + limit) }), url).toBe(
            true,
          );
        }
      }
    }
  });

  test('is the same list when every reply is checked', async () => {
    const service = await testService();
    for (const size of [100_000, 10, 500_000]) await create(service, size);
    const { status, json } = await service.send('GET', `${surveys}?limit=20`);
    expect([status, json.results.map(({ id }: { id: number }) => id)]).toEqual([200, [1, 2, 3]]);
  });

  test('is sent as a stream when it is large, and in one piece when it is not', async () => {
    const service = await production();
    for (const size of [50_000, 50_000, 300_000]) await create(service, size);
    const lengths = [];
    for (const limit of [1, 2, 3])
      lengths.push((await service.send('GET', `${surveys}?limit=${limit}`)).headers['content-length'] !== undefined);
    expect(lengths).toEqual([true, true, false]);
    const head = await service.send('HEAD', `${surveys}?limit=3`);
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ]);
  });

  test('leaves out a large survey that was deleted when its turn comes', async () => {
    const service = await production();
    for (const size of [300_000, 300_000, 300_000]) await create(service, size);
    const listing = { limit: 20, offset: 0, orderby: 'id', descending: false } as const;
    const { text } = results((await list(service.db, listing, ['id', 'tasks'], admin)).surveys);
    let sent = '';
    for await (const piece of text as AsyncIterable<string>) {
      if (sent === '') await service.send('DELETE', `${surveys}/2`);
      sent += piece;
    }
    expect(JSON.parse(sent).results.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
  });
});

test('a list is read from the database no faster than its client takes it, one large survey at a time', async () => {
  const service = await production();
  for (let at = 0; at < 30; at += 1) await create(service, 700_000);
  const { app, db, tokens } = service;
  let read = 0;
  const { rows } = db;
  // Only surveys with their tasks are counted.
  db.rows = async (...call) => {
    const found = (await rows.apply(db, call as never)) as { tasks?: string | null }[];
    read += found.filter(({ tasks }) => (tasks?.length ?? 0) > 100_000).length;
    return found as never;
  };
  await app.listen({ port: 0, host: '127.0.0.1' });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(
    `http://127.0.0.1:${(app.server.address() as { port: number }).port}${surveys}?limit=0`,
    {
      // Compressed, all of it would fit into the buffers.
      headers: { authorization: `Bearer ${tokens.admin}`, 'accept-encoding': 'identity' },
      signal: stop.signal,
    },
  );
  expect(response.headers.get('transfer-encoding')).toBe('chunked');
  for (let last = -1; last !== read; await sleep(300)) last = read;
  // The buffers of the system take less than 15 MB.
  expect(read).toBeLessThan(25);
  const { results: all } = (await response.json()) as { results: { id: number }[] };
  expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect(read).toBe(30);
});
