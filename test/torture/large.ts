/** Databases that are filled, and how much memory is held while the service works on them. */
import DatabaseFile from 'better-sqlite3';
import { atOnce } from './part.ts';
import { type Database, type Service, startService } from './service.ts';
import { marked } from './stored.ts';

/** A survey may take 4 MiB when it is stored; this is a little less. */
export const largestSurvey = 2 ** 22 - 2 ** 17;

/** How much memory kept responses may take together, in mebibytes: the default of CACHE_SIZE. */
export const cacheBudget = 64;

/**
 * Stores surveys that are nearly as large as they may be, in one request each: so the service is started for it with
 * another limit of bodies.
 */
export async function fillWithLarge(database: Database, count: number): Promise<void> {
  const service = await startService(database, { env: { BODY_LIMIT: String(2 ** 23) } });
  // One character beyond Latin-1: then V8 takes two bytes for each of all of them.
  const options = [`→${'x'.repeat(largestSurvey)}`];
  const survey = {
    name: 'large',
    tasks: [{ label: 'a', fields: [{ label: 'a', type: 'int', input: 'text', options }] }],
  };
  await atOnce(1, Array(count).fill(JSON.stringify(survey)), (body) => post(service, '/api/v5/surveys', body));
  await service.end();
}

/** Stores surveys as people make them, of some 6 KB. */
export async function fillWithOrdinary(service: Service, count: number): Promise<void> {
  const text = JSON.stringify(marked('ordinary', 3, 6, 'What you see and what people tell you. '.repeat(20)));
  await atOnce(8, Array(count).fill(text), (body) => post(service, '/api/v5/surveys', body));
}

/** Stores metadata records: one by the service, the others as copies of it. */
export async function fillWithMetadata(service: Service, count: number): Promise<void> {
  const texts = {
    dataset_title: 'Floods in the lower valley',
    organisation_name: 'Relief',
    organisation_id: 'relief',
    source: 'Survey',
  };
  await post(service, '/api/v3/hxl/metadata', JSON.stringify({ ...texts, license_id: 1, private: false }));
  const file = new DatabaseFile(service.database.path, { timeout: 10_000 });
  const columns = (file.pragma('table_info(hxl_metadata)') as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'id');
  file
    .prepare(
      `insert into hxl_metadata (${columns}) with recursive copies(n) as (select 2 union all select n + 1 from copies
       where n < ?) select ${columns} from hxl_metadata join copies`,
    )
    .run(count);
  file.close();
}

async function post(service: Service, path: string, body: string): Promise<void> {
  const { status, text } = await service.send('POST', path, body);
  if (status !== 201) throw new Error(`POST ${path} returned ${status}: ${text.slice(0, 200)}`);
}
