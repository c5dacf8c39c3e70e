/** The round trip with openapi-generator's typescript-fetch client. */
import { Configuration, ErrorBodyFromJSON, HXLApi, ResponseError, SurveysApi, type HxlTag } from './client/index.js';
import { check, dataset, faulty, floodReport, photo, refusal } from '../survey.js';

const basePath = process.env['API_URL']!;
const config = new Configuration({ basePath, accessToken: process.env['API_TOKEN']! });
const surveys = new SurveysApi(config);
const hxl = new HXLApi(config);

/** How a call is refused, as a line of the transcript. */
async function refused(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((error: unknown) => error);
  check(error instanceof ResponseError, 'the call is refused');
  return refusal(error.response.status, ErrorBodyFromJSON(await error.response.json()));
}

const created = (await surveys.createSurvey({ SurveyInput: floodReport })).results[0]!;
console.log(`created ${created.name} ${created.color} with ${created.tasks!.length} tasks`);
const { id } = created;

const response = await surveys.getSurveyRaw({ id });
const read = (await response.value()).results[0]!;
const If_Match = response.raw.headers.get('ETag')!;
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

const same = await surveys.updateSurveyRaw({ id, If_Match, SurveyInput: read });
check(same.raw.headers.get('ETag') === If_Match, 'what was read and sent back changes nothing');

const change = {
  name: 'Flood report, second round',
  description: null,
  tasks: [{ ...task, fields: [...task.fields, photo] }, ...read.tasks!.slice(1)],
};
const updated = (await surveys.updateSurvey({ id, If_Match, SurveyInput: change })).results[0]!;
const { fields } = updated.tasks![0]!;
console.log(`updated ${updated.name}: ${fields.map(({ label }) => label).join(', ')}`);
check(fields[0]!.key === settlement!.key, 'the field kept its key');
check(updated.color === '#0B74B8', 'what was not sent stays');
if (updated.description === null) console.log('+ null');
console.log(await refused(surveys.updateSurvey({ id, If_Match, SurveyInput: change })));

const query = { only: 'name', hydrate: 'translations', orderby: 'id', order: 'DESC' } as const;
const listed = (await surveys.listSurveys(query)).results.find((survey) => survey.id === id)!;
const spanish = listed.translations!['es'];
check(typeof spanish === 'object' && listed.tasks === undefined, 'only the translations came');
console.log(`listed ${listed.name}: ${spanish.name}`);

const tags: HxlTag[] = [];
let pages = 0;
for (let total = 1; tags.length < total; pages++) {
  const page = await hxl.listHxlTags({ limit: 20, offset: tags.length, orderby: 'tag_name' });
  tags.push(...page.results);
  total = page.total_count;
}
console.log(`tags ${tags.length} on ${pages} pages, ${tags[0]!.tag_name} has ${Object.keys(tags[0]!.hxl_attributes).length} attributes`);

const license = (await hxl.listHxlLicenses({ code: 'cc-by' })).results[0]!;
const added = await hxl.createHxlMetadata({ HxlMetadataInput: { ...dataset, license_id: license.id, _private: dataset.private } });
const metadata = await hxl.getHxlMetadata({ id: added.id });
check(metadata.updated === null && metadata.user.id > 0 && metadata.license_id === license.id, 'the metadata are those');
console.log(`metadata ${metadata.dataset_title} under ${license.code}`);

console.log(await refused(new HXLApi(new Configuration({ basePath })).listHxlTagNames()));
console.log(await refused(surveys.createSurvey({ SurveyInput: faulty })));

const deletion = await surveys.deleteSurvey({ id });
check(deletion.result.deleted === id, 'this survey was deleted');
console.log('deleted');
console.log(await refused(surveys.getSurvey({ id })));
