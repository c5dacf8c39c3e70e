/** What @hey-api/openapi-ts makes: functions over fetch whose imports Node.js can follow. */
export default { input: process.env.DOCUMENT, output: { path: 'client', module: { extension: '.js' } } };
