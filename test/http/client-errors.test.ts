/** What is not a request: text that is no HTTP, contradictory lengths, headers that are too large. */
import { expect, test } from 'vitest';
import { head, jsonType, listeningService, refusal } from '../support/socket.ts';

const surveys = '/api/v5/surveys';
const { raw, tokens } = await listeningService();

test.each([
  [
    'headers that are too large',
    `GET ${surveys} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  [
    'an address that is too large',
    `GET ${surveys}?x=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['text that is not HTTP', 'Hello, is anybody there?\r\n\r\n', 400, 'malformed_request'],
  ['TLS', Buffer.from('16030100c2010000be0303', 'hex'), 400, 'malformed_request'],
  ['a method that nobody knows', `FETCH ${surveys} HTTP/1.1\r\nHost: x\r\n\r\n`, 400, 'malformed_request'],
  ['a version that nobody knows', `GET ${surveys} HTTP/9.9\r\nHost: x\r\n\r\n`, 400, 'malformed_request'],
  [
    'two lengths',
    `POST ${surveys} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    400,
    'malformed_request',
  ],
  [
    'a length and chunks',
    `POST ${surveys} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'malformed_request',
  ],
  [
    'a length that is no number',
    `POST ${surveys} HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n{}`,
    400,
    'malformed_request',
  ],
])('%s is refused, and the connection closed', async (_, bytes, status, code) => {
  const response = await raw(bytes);
  expect(refusal(response)).toEqual([status, code]);
  expect(response.headers.connection).toBe('close');
});

test('a body in broken chunks is refused', async () => {
  const headers = [`Content-Type: ${jsonType}`, 'Transfer-Encoding: chunked'];
  const start = `${head('POST', surveys, tokens.admin, ...headers)}\r\n`;
  expect(refusal(await raw(start, 'ZZ\r\n{}\r\n0\r\n\r\n'))).toEqual([400, 'malformed_request']);
});

test('the response to text that is not HTTP names the contract and its documentation', async () => {
  const { status, headers } = await raw('garbage\r\n\r\n');
  expect(status).toBe(400);
  expect(headers.link).toBe('</openapi.json>; rel="service-desc", </docs>; rel="service-doc"');
});
