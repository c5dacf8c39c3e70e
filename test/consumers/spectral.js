/** Prints what Spectral's ruleset `oas` says of the document on standard input, as JSON. */
import { json } from 'node:stream/consumers';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const linter = new spectral.Spectral();
linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] });
const results = await linter.run(await json(process.stdin));
console.log(JSON.stringify(results.map(({ code, path, message }) => ({ code, path: path.join('/'), message }))));
