/** The types of bodies and replies by media type and status. `tsc` fails when a line compiles that is expected not to. */
import type { Readable } from 'node:stream';
import { Json } from '../../src/contract/json-body.ts';
import type { Handler } from '../../src/contract/types.ts';

type Thing = { name: string; size?: number };
interface None {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}

/** As openapi-typescript writes it. */
interface operations {
  several: {
    parameters: None;
    requestBody: { content: { 'application/json': Thing; 'text/csv; charset=utf-8': string; 'image/*': string } };
    responses: {
      200: {
        headers: { 'X-Count': number; 'X-Ids'?: number[]; [name: string]: unknown };
        content: { 'application/json': Thing; 'text/csv': string; 'image/png': string };
      };
      204: { headers: { [name: string]: unknown }; content?: never };
    };
  };
  patch: {
    parameters: None;
    requestBody?: { content: { 'application/merge-patch+json': Thing } };
    responses: {
      '2XX': { headers: { [name: string]: unknown }; content: { 'application/x-ndjson': Thing[] } };
      default: { headers: { [name: string]: unknown }; content: { 'application/problem+json': { title: string } } };
    };
  };
  upload: {
    parameters: None;
    requestBody: { content: { 'multipart/form-data': { title: string; tags?: number[]; file: string } } };
    responses: { 200: { headers: { [name: string]: unknown }; content: { 'application/octet-stream': string } } };
  };
  empty: {
    parameters: None;
    requestBody?: never;
    responses: { 204: { headers: { [name: string]: unknown }; content?: never } };
  };
}
type Of<Id extends keyof operations> = Handler<operations, Id, undefined>;
const headers = { 'X-Count': 7 };

export const several: Of<'several'> = async (request) => {
  request.accept satisfies 'application/json' | 'text/csv' | 'image/png';
  if (request.contentType === 'application/json') request.body satisfies Thing;
  else if (request.contentType === 'text/csv; charset=utf-8') request.body satisfies string;
  else request.body satisfies Buffer;
  if (request.accept === 'text/csv') return { status: 200, headers, contentType: 'text/csv', body: 'name\n' };
  if (request.accept === 'image/png') return { status: 200, headers, contentType: 'image/png', body: Buffer.from('') };
  return { status: 200, headers: { ...headers, 'X-Ids': [1] }, contentType: 'application/json', body: { name: 'x' } };
};

// @ts-expect-error It is not said which type the body is.
export const unnamed: Of<'several'> = async () => ({ status: 200, headers, body: { name: 'x' } });

// @ts-expect-error CSV is text.
export const wrongType: Of<'several'> = async () => ({
  status: 200,
  headers,
  contentType: 'text/csv' as const,
  body: { name: 'x' },
});

export const wrongHeader: Of<'several'> = async () =>
  // @ts-expect-error X-Count is a number.
  ({ status: 200, headers: { 'X-Count': '7' }, contentType: 'text/csv', body: '' }) as const;

// @ts-expect-error A required header is missing.
export const noHeader: Of<'several'> = async () => ({ status: 200, contentType: 'text/csv', body: 'name\n' }) as const;

export const patch: Of<'patch'> = async ({ body }) => {
  body satisfies Thing | undefined;
  if (body === undefined) return { status: 404, body: { title: 'Nothing there' } };
  if (body.size) return { status: 409, body: new Json<{ title: string }>('{"title":"x"}') };
  return body.name ? { status: 201, body: [body] } : { status: 200, body: things() };
};
async function* things(): AsyncGenerator<Thing> {
  yield { name: 'x' };
}

// @ts-expect-error The body of a success is JSON lines.
export const wrongClass: Of<'patch'> = async () => ({ status: 202, body: { title: 'x' } }) as const;

// @ts-expect-error HTTP knows no such status.
export const wrongStatus: Of<'patch'> = async () => ({ status: 299, body: [] }) as const;

export const upload: Of<'upload'> = async ({ body }) => {
  for await (const part of body) {
    part.name satisfies 'title' | 'tags' | 'file';
    if (part.stream) part.stream satisfies Readable;
    else if (part.name === 'tags') part.value satisfies number;
    else part.value satisfies string;
  }
  return { status: 200, body: new Uint8Array(3) };
};

export const empty: Of<'empty'> = async ({ body }) => {
  body satisfies undefined;
  return { status: 204 };
};

// @ts-expect-error 204 has no body.
export const notEmpty: Of<'empty'> = async () => ({ status: 204, body: 'x' });

// @ts-expect-error There is one type of response, so nothing is chosen.
export const noChoice: Of<'empty'> = async ({ accept }) => ({ status: accept });
