/** The envelope around surveys in a response. */
import type { Schema } from '../api/handler.ts';
import { Json } from '../contract/json-body.ts';
import type { SurveyText } from './record.ts';

/** The body of a response with these surveys. */
export function results(surveys: SurveyText[] | AsyncIterable<SurveyText[]>): Json<Schema<'SurveyResults'>> {
  return new Json(Array.isArray(surveys) ? `{"results":[${surveys.join(',')}]}` : streamed(surveys));
}

async function* streamed(chunks: AsyncIterable<SurveyText[]>): AsyncGenerator<string> {
  let separator = '{"results":[';
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    yield separator + chunk.join(',');
    separator = ',';
  }
  yield separator === ',' ? ']}' : '{"results":[]}';
}
