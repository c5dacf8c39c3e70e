/** The envelope around surveys in a response. */
import type { Schema } from '../api/handler.ts';
import { Json } from '../contract/json-body.ts';
import { listText } from '../contract/json-list.ts';
import type { SurveyText } from './record.ts';

const [start, end] = ['{"results":[', ']}'];

/** The body of a response with these surveys. */
export function results(surveys: SurveyText[] | AsyncIterable<SurveyText[]>): Json<Schema<'SurveyResults'>> {
  return new Json(Array.isArray(surveys) ? start + surveys.join(',') + end : listText(start, surveys, end));
}
