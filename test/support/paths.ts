/** The paths that the service serves, with the methods of each: those of the contract and its own. */
import contract from '../../src/generated/openapi.json' with { type: 'json' };

type PathMethods = readonly [path: string, methods: string[]];

/** The paths of the contract. Every identifier is 1. */
export const contractPaths: PathMethods[] = Object.entries(contract.paths).map(([path, item]) => [
  path.replaceAll(/\{\w+\}/g, '1'),
  Object.keys(item)
    .filter((name) => /^(get|put|post|delete|patch)$/.test(name))
    .map((name) => name.toUpperCase()),
]);

/** Some of the others. Pages of other origins may read the documents; their browsers ask first with OPTIONS. */
export const otherPaths: PathMethods[] = [
  ['/', ['GET']],
  ['/docs', ['GET']],
  ['/docs/page.js', ['GET']],
  ['/openapi.json', ['GET', 'OPTIONS']],
  ['/openapi.yaml', ['GET', 'OPTIONS']],
  ['/health/live', ['GET']],
  ['/health/ready', ['GET']],
];
