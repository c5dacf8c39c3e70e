/** The round trip with the fetch client of orval. */
import {
  createHxlMetadata, createSurvey, deleteSurvey, getHxlMetadata, getSurvey, listHxlLicenses, listHxlTagNames, listHxlTags,
  listSurveys, updateSurvey, type HxlTag,
} from './client.js';
import { check, dataset, faulty, floodReport, photo, refusal } from '../survey.js';

const authorised = { headers: { Authorization: `Bearer ${process.env['API_TOKEN']}` } };

/** The body of a response that has to have this status. */
function body<Response extends { status: number; data: unknown }, Status extends Response['status']>(status: Status, response: Response) {
  check(response.status === status, `the status is ${status}`);
  return response.data as Extract<Response, { status: Status }>['data'];
}

const created = body(201, await createSurvey(floodReport, authorised)).results[0]!;
console.log(`created ${created.name} ${created.color} with ${created.tasks!.length} tasks`);
const { id } = created;

const response = await getSurvey(id, undefined, authorised);
const read = body(200, response).results[0]!;
// Its functions take no headers; those of the options are sent.
const ifMatch = { headers: { ...authorised.headers, 'If-Match': response.headers.get('ETag')! } };
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

const same = await updateSurvey(id, read, ifMatch);
check(same.headers.get('ETag') === ifMatch.headers['If-Match'], 'what was read and sent back changes nothing');

const change = {
  name: 'Flood report, second round',
  description: null,
  tasks: [{ ...task, fields: [...task.fields, photo] }, ...read.tasks!.slice(1)],
};
const updated = body(200, await updateSurvey(id, change, ifMatch)).results[0]!;
const { fields } = updated.tasks![0]!;
console.log(`updated ${updated.name}: ${fields.map(({ label }) => label).join(', ')}`);
check(fields[0]!.key === settlement!.key, 'the field kept its key');
check(updated.color === '#0B74B8', 'what was not sent stays');
if (updated.description === null) console.log('+ null');
const late = await updateSurvey(id, change, ifMatch);
console.log(refusal(late.status, body(412, late)));

const query = { only: 'name', hydrate: 'translations', orderby: 'id', order: 'DESC' } as const;
const listed = body(200, await listSurveys(query, authorised)).results.find((survey) => survey.id === id)!;
const spanish = listed.translations!['es'];
check(typeof spanish === 'object' && listed.tasks === undefined, 'only the translations came');
console.log(`listed ${listed.name}: ${spanish.name}`);

const tags: HxlTag[] = [];
let pages = 0;
for (let total = 1; tags.length < total; pages++) {
  const page = body(200, await listHxlTags({ limit: 20, offset: tags.length, orderby: 'tag_name' }, authorised));
  tags.push(...page.results);
  total = page.total_count;
}
console.log(`tags ${tags.length} on ${pages} pages, ${tags[0]!.tag_name} has ${Object.keys(tags[0]!.hxl_attributes).length} attributes`);

const license = body(200, await listHxlLicenses({ code: 'cc-by' }, authorised)).results[0]!;
const added = body(201, await createHxlMetadata({ ...dataset, license_id: license.id }, authorised));
const metadata = body(200, await getHxlMetadata(added.id, authorised));
check(metadata.updated === null && metadata.user.id > 0 && metadata.license_id === license.id, 'the metadata are those');
console.log(`metadata ${metadata.dataset_title} under ${license.code}`);

const unauthorised = await listHxlTagNames();
console.log(refusal(unauthorised.status, body(401, unauthorised)));
const unprocessable = await createSurvey(faulty, authorised);
console.log(refusal(unprocessable.status, body(422, unprocessable)));

const deletion = body(200, await deleteSurvey(id, authorised));
check(deletion.result.deleted === id, 'this survey was deleted');
console.log('deleted');
const gone = await getSurvey(id, undefined, authorised);
console.log(refusal(gone.status, body(404, gone)));
console.log('+ typed errors');
