/** The error codes of the code are those of the contract. */
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/api/error-codes.ts';
import document from '../../src/generated/openapi.json' with { type: 'json' };

test('every error code stands once in the tables of the contract, and every code there is one', () => {
  const [, section] = /^# Errors$(.*?)^# /ms.exec(document.info.description)!;
  const rows = section!.matchAll(/^\| (`.*?) \|/gm).map(([, codes]) => codes!);
  const documented = rows.flatMap((codes) => codes.matchAll(/`(\w+)`/g).map(([, code]) => code!)).toArray();
  expect(documented.length).toBeGreaterThan(30);
  expect(documented.toSorted()).toEqual(errorCodes.toSorted());
});

test('programs find the same codes as data', () => {
  const { code } = document.components.schemas.Problem.properties;
  expect(code['x-extensible-enum']).toEqual([...errorCodes]);
});
