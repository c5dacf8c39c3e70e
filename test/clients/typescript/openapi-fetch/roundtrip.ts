/** The round trip with openapi-fetch over the types that openapi-typescript makes. */
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';
import { check, dataset, faulty, floodReport, photo, refusal } from '../survey.js';

const baseUrl = process.env['API_URL']!;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${process.env['API_TOKEN']}` } });

const created = (await client.POST('/api/v5/surveys', { body: floodReport })).data!.results[0]!;
console.log(`created ${created.name} ${created.color} with ${created.tasks!.length} tasks`);
const path = { id: created.id };

const response = await client.GET('/api/v5/surveys/{id}', { params: { path } });
const read = response.data!.results[0]!;
const header = { 'If-Match': response.response.headers.get('ETag')! };
const task = read.tasks![0]!;
const [settlement, access] = task.fields;
console.log(`read ${access!.label}: ${access!.type} by ${access!.input}, ${access!.options.join(' or ')}, hint ${access!.config['hint']}`);
const { name: beside, es } = read.translations!;
check(typeof beside === 'string' && typeof es === 'object', 'a text is beside the languages');
console.log(`translated ${beside}: ${es.name}`);
const { es: inSpanish, fr: inFrench } = access!.translations;
check(typeof inSpanish === 'object' && Array.isArray(inSpanish.options), 'options are a list');
console.log(`options es: ${inSpanish.options.join(', ')}`);
check(typeof inFrench === 'object', 'there is French');
for (const [index, text] of Object.entries(inFrench.options!)) console.log(`options fr: ${index} is ${text}`);

const same = await client.PUT('/api/v5/surveys/{id}', { params: { path, header }, body: read });
check(same.response.headers.get('ETag') === header['If-Match'], 'what was read and sent back changes nothing');

const change = {
  name: 'Flood report, second round',
  description: null,
  tasks: [{ ...task, fields: [...task.fields, photo] }, ...read.tasks!.slice(1)],
};
const updated = (await client.PUT('/api/v5/surveys/{id}', { params: { path, header }, body: change })).data!.results[0]!;
const { fields } = updated.tasks![0]!;
console.log(`updated ${updated.name}: ${fields.map(({ label }) => label).join(', ')}`);
check(fields[0]!.key === settlement!.key, 'the field kept its key');
check(updated.color === '#0B74B8', 'what was not sent stays');
if (updated.description === null) console.log('+ null');
const late = await client.PUT('/api/v5/surveys/{id}', { params: { path, header }, body: change });
console.log(refusal(late.response.status, late.error!));

const query = { only: 'name', hydrate: 'translations', orderby: 'id', order: 'DESC' } as const;
const listed = (await client.GET('/api/v5/surveys', { params: { query } })).data!.results.find(({ id }) => id === created.id)!;
const spanish = listed.translations!['es'];
check(typeof spanish === 'object' && listed.tasks === undefined, 'only the translations came');
console.log(`listed ${listed.name}: ${spanish.name}`);

const tags: components['schemas']['HxlTag'][] = [];
let pages = 0;
for (let total = 1; tags.length < total; pages++) {
  const page = (await client.GET('/api/v3/hxl/tags', { params: { query: { limit: 20, offset: tags.length, orderby: 'tag_name' } } })).data!;
  tags.push(...page.results);
  total = page.total_count;
}
console.log(`tags ${tags.length} on ${pages} pages, ${tags[0]!.tag_name} has ${Object.keys(tags[0]!.hxl_attributes).length} attributes`);

const license = (await client.GET('/api/v3/hxl/licenses', { params: { query: { code: 'cc-by' } } })).data!.results[0]!;
const added = (await client.POST('/api/v3/hxl/metadata', { body: { ...dataset, license_id: license.id } })).data!;
const metadata = (await client.GET('/api/v3/hxl/metadata/{id}', { params: { path: { id: added.id } } })).data!;
check(metadata.updated === null && metadata.user.id > 0 && metadata.license_id === license.id, 'the metadata are those');
console.log(`metadata ${metadata.dataset_title} under ${license.code}`);

const unauthorised = await createClient<paths>({ baseUrl }).GET('/api/v3/hxl');
console.log(refusal(unauthorised.response.status, unauthorised.error!));
const unprocessable = await client.POST('/api/v5/surveys', { body: faulty });
console.log(refusal(unprocessable.response.status, unprocessable.error!));

const deletion = (await client.DELETE('/api/v5/surveys/{id}', { params: { path } })).data!;
check(deletion.result.deleted === created.id, 'this survey was deleted');
console.log('deleted');
const gone = await client.GET('/api/v5/surveys/{id}', { params: { path } });
console.log(refusal(gone.response.status, gone.error!));
console.log('+ typed errors');
