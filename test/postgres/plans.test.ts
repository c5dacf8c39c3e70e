/** Lists of surveys in an order that has an index read no more rows than they show, however many there are. */
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newSchema } from '../support/schema.ts';
import { testService } from '../support/service.ts';

/** Thousands of copies of the only survey. */
const copies = `insert into surveys select (jsonb_populate_record(survey, jsonb_build_object('id', copy, 'name', 'Survey ' || copy))).*
  from surveys survey, generate_series(2, 20000) copy`;

test.each(['', '&order=DESC', '&only=id,name&offset=100', '&orderby=name'])(
  'GET /api/v5/surveys?limit=10%s uses an index',
  async (query) => {
    const { url, remove } = await newSchema(process.env.TEST_DATABASE_URL!);
    onTestFinished(remove);
    const { send } = await testService({ DATABASE_URL: url });
    await send('POST', '/api/v5/surveys', { name: 'Flood report' });
    const sent = vi.spyOn(Client.prototype, 'query');
    expect((await send('GET', `/api/v5/surveys?limit=10${query}`)).status).toBe(200);
    const statements = sent.mock.calls.map(([config]) => config as unknown as { text: string; values: unknown[] });
    sent.mockRestore();

    const client = new Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(copies);
    await client.query('analyze surveys');
    const pages = statements.filter(({ text }) => /from "surveys"/.test(text));
    expect(pages.length).toBeGreaterThan(0);
    for (const { text, values } of pages) {
      const { rows } = await client.query({ text: `explain ${text}`, values });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Index');
      expect(plan).not.toMatch(/Seq Scan on surveys/);
    }
  },
);
