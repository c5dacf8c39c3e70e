/** Who may import whom in src/: `npm run structure` checks it. An import of a type counts as an import. */

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle-of-files',
      comment: 'Files of a circle can only be understood, tested and loaded together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circle-of-folders',
      comment: 'A folder that uses another one is not used by it.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'contract-stands-alone',
      comment: 'The engine serves any contract, so it imports packages and itself only.',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { pathNot: ['^src/contract/', 'node_modules/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'sql-in-stores',
      comment: 'Only src/database/ and the stores of the areas know SQL.',
      severity: 'error',
      from: { pathNot: ['^src/database/', '^src/[^/]+/store[^/]*\\.ts$'] },
      to: { path: 'node_modules/(@types/)?(kysely|better-sqlite3|pg|pg-connection-string)/' },
    },
    {
      name: 'found',
      comment: 'An import that is not found is not checked.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // These run in the browser; their imports are addresses.
    exclude: { path: '^src/(docs/page|generated/redoc)\\.js$' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types'] },
  },
};
