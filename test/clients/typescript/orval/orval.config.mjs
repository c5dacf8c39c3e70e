/** What orval makes: functions over fetch that know the server by the document. */
export default {
  service: {
    input: process.env.DOCUMENT,
    output: { target: 'client.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
