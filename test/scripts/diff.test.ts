/** `npm run diff` and `npm run release` as processes, each time in a copy of the repository in which the contract was just released. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true });
});

const written = 'openapi/openapi.yaml';
const generated = 'src/generated/openapi.json';
const released = 'openapi/released/openapi.json';

// A contract is changed in many places.
type Change = (document: any) => void;

/** A copy in which the contract is changed and generated anew. The changelog has an entry for its version; 1.0.0 is released, changed by `earlier`. */
function copyWith(
  change: Change,
  version = '1.0.0',
  changelog = `## [${version}]\n\n- All of it.\n`,
  earlier: Change = () => {},
): string {
  const copy = mkdtempSync(join(tmpdir(), 'diff-'));
  copies.push(copy);
  for (const name of ['redocly.yaml', 'package.json', 'scripts', 'src/contract'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const document = JSON.parse(readFileSync(join(root, generated), 'utf8'));
  document.info.version = '1.0.0';
  earlier(document);
  // JSON is YAML.
  for (const file of [released, written, generated]) {
    mkdirSync(join(copy, file, '..'), { recursive: true });
    writeFileSync(join(copy, file), `${JSON.stringify(document, null, 2)}\n`);
    if (file === released) change(document);
    document.info.version = version;
  }
  writeFileSync(join(copy, 'CHANGELOG.md'), `# Changelog\n\n${changelog}`);
  return copy;
}

function diff(copy: string, ...parameters: string[]): Promise<{ code: number; report: string; problems: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, [join(copy, 'scripts/diff.ts'), ...parameters], (error, report, problems) =>
      resolve({ code: error ? 1 : 0, report, problems }),
    ),
  );
}

const unchanged: Change = () => {};
const text: Change = ({ paths }) => void (paths['/api/v5/surveys'].get.description = 'Another sentence.');
const addition: Change = ({ components }) =>
  void (components.schemas.SurveyInput.properties.motto = { type: 'string' });
const breaking: Change = ({ components }) => void (components.schemas.SurveyInput.required = ['name']);

/** The rows below a title of the report, each cell by cell. */
function rows(report: string, title: string): string[][] {
  const [, section = ''] = report.split(`## ${title}\n`);
  const [table = ''] = section.split('\n\n## ');
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

describe.concurrent('the report', () => {
  test('says that nothing changes, in whatever order the contract is written', async ({ expect }) => {
    const { code, report } = await diff(
      copyWith((document) => void (document.paths = Object.fromEntries(Object.entries(document.paths).toReversed()))),
    );
    expect(code).toBe(0);
    expect(report).toBe(
      '# Contract 1.0.0, against what is released\n\n**Nothing changes for clients.** 0 breaking changes, 0 additions, 0 texts.\n',
    );
  });

  test('names every operation that a change in a component reaches, breaking changes first', async ({ expect }) => {
    const { code, report } = await diff(
      copyWith((document) => {
        for (const change of [text, addition, breaking]) change(document);
      }, '2.0.0'),
    );
    expect(code).toBe(0);
    expect(report).toContain(
      '# Contract 2.0.0, against 1.0.0\n\n**Needs a major step.** 1 breaking change, 1 addition, 1 text.\n',
    );
    expect(report.match(/^## .*/gm)).toEqual(['## Breaking changes', '## Additions', '## Texts']);
    expect(rows(report, 'Breaking changes')).toEqual([
      [
        'createSurvey, updateSurvey',
        'schemas › SurveyInput › required',
        expect.stringContaining('`name`'),
        'Callers that leave out what `SurveyInput` requires now are refused: send it.',
      ],
    ]);
    expect(rows(report, 'Additions')).toEqual([
      [
        'createSurvey, updateSurvey',
        'schemas › SurveyInput › motto',
        'Added.',
        'Nobody; callers may send `motto` so, and need not.',
      ],
    ]);
    expect(rows(report, 'Texts')).toEqual([
      [
        'listSurveys',
        'GET /api/v5/surveys › description',
        expect.stringContaining('→ `"Another sentence."`'),
        'Nobody.',
      ],
    ]);
  });

  test('rates what the rules of redocly pass over', async ({ expect }) => {
    const { report } = await diff(
      copyWith(({ paths, components: { schemas, parameters } }) => {
        delete schemas.SurveyInput.properties.description;
        parameters.Offset.schema.default = 1;
        schemas.FieldConfig['x-max-depth'] = 8; // In requests and responses.
        schemas.Field.properties.options['x-max-depth'] = 8; // In responses alone.
        schemas.FieldInput.properties.options['x-max-depth'] = 64;
        parameters.SurveyOrderby.schema.enum.push('motto');
        paths['/api/v5/surveys'].get.deprecated = true;
      }),
    );
    expect(rows(report, 'Breaking changes').toSorted()).toEqual([
      [
        'createSurvey, updateSurvey',
        'schemas › SurveyInput › description',
        'Removed.',
        'Callers that send `description`: it is ignored, do without it. Generated code: generate it again.',
      ],
      [
        'listSurveys, createSurvey, getSurvey, updateSurvey',
        'schemas › FieldConfig › x-max-depth',
        '`32` → `8`.',
        'Callers that send `FieldConfig` deeper are refused: nest it less.',
      ],
      [
        expect.stringContaining('listHxlTags'),
        'parameters › offset › schema › default',
        '`0` → `1`.',
        'Callers that leave out `offset` get another response: send the value they want.',
      ],
    ]);
    const additions = rows(report, 'Additions').map((cells) => cells.slice(0, 3));
    expect(additions.toSorted()).toEqual([
      ['createSurvey, updateSurvey', 'schemas › FieldInput › options › x-max-depth', '`32` → `64`.'],
      ['listSurveys, createSurvey, getSurvey, updateSurvey', 'schemas › Field › options › x-max-depth', 'Now `8`.'],
      ['listSurveys', 'GET /api/v5/surveys › deprecated', 'Now `true`.'],
      ['listSurveys', 'parameters › orderby › schema › enum', '`["motto"]` added.'],
    ]);
  });
});

describe.concurrent('what redocly rates too low', () => {
  const again = 'Generated code: generate it again.';
  const cases: [name: string, change: Change, place: string, who: string][] = [
    [
      'a required body added to an operation without one',
      ({ paths }) => {
        paths['/api/v3/hxl/tags'].get.requestBody = { required: true, content: { 'application/json': { schema: {} } } };
      },
      'GET /api/v3/hxl/tags › requestBody',
      `Callers that send no body are refused: send one. ${again}`,
    ],
    [
      'a required response header that becomes optional',
      ({ components }) => void delete components.headers.SurveyLocation.required,
      'headers › SurveyLocation › required',
      `Clients that read \`Location\` may find it missing: do not rely on it. ${again}`,
    ],
    [
      'a pattern added to the members of a request',
      ({ components }) => void (components.schemas.SurveyInput.patternProperties = { '^x-': { type: 'string' } }),
      'schemas › SurveyInput › patternProperties',
      `Callers that send members of \`SurveyInput\` whose names fit a pattern: those that do not fit are refused, send what fits. ${again}`,
    ],
    [
      'a parameter that moves from schema to content',
      ({ components: { parameters } }) => {
        parameters.Offset.content = { 'application/json': { schema: parameters.Offset.schema } };
        delete parameters.Offset.schema;
      },
      'parameters › offset › content',
      `Callers that send \`offset\` in the old form are refused or misread: send it in the new form. ${again}`,
    ],
    [
      'security removed',
      ({ paths }) => void (paths['/api/v5/surveys'].get.security = []),
      'GET /api/v5/surveys › security',
      `Whoever relied on the protection: anybody may call it now. Generated code sends no credentials any more: generate it again.`,
    ],
    [
      'security that some cannot give any more',
      ({ paths }) => void (paths['/api/v5/surveys'].get.security = [{ bearer: ['surveys:delete'] }]),
      'GET /api/v5/surveys › security',
      `Callers with \`bearer\` (surveys:read) are refused: send \`bearer\` (surveys:delete). ${again}`,
    ],
  ];
  test.for(cases)('%s is breaking', async ([, change, place, who], { expect }) => {
    const { code, report } = await diff(copyWith(change));
    expect(code).toBe(1);
    expect(rows(report, 'Breaking changes').map(([, where, , whom]) => [where, whom])).toEqual([[place, who]]);
    expect(report).not.toContain('## Additions');
  });

  test('a pattern removed from the members of a request is breaking', async ({ expect }) => {
    const earlier: Change = ({ components }) =>
      void (components.schemas.SurveyInput.patternProperties = { '^x-': { type: 'string' } });
    const later: Change = ({ components }) => void delete components.schemas.SurveyInput.patternProperties;
    const { report } = await diff(copyWith(later, undefined, undefined, earlier));
    expect(rows(report, 'Breaking changes')).toEqual([
      [
        'createSurvey, updateSurvey',
        'schemas › SurveyInput › patternProperties',
        'Removed.',
        `Callers that send members of \`SurveyInput\` whose names fit a pattern: they are refused or ignored, do without them. ${again}`,
      ],
    ]);
  });

  test('credentials with fewer scopes are none', async ({ expect }) => {
    const { report } = await diff(
      copyWith(({ paths }) => void (paths['/api/v5/surveys'].get.security = [{ bearer: [] }])),
    );
    expect(report).toContain('**Needs a minor step; refused.** 0 breaking changes, 1 addition, 0 texts.');
  });
});

describe.concurrent('no change for clients is', () => {
  const cases: [name: string, change: Change, earlier?: Change][] = [
    [
      'the order in required, enum and type',
      ({ components: { schemas } }) => {
        schemas.Page.required.reverse();
        schemas.FieldType.enum.reverse();
        schemas.SurveyInput.properties.description.type.reverse();
      },
    ],
    [
      'allOf written as one schema',
      ({ components: { schemas } }) => {
        const { allOf, ...rest } = schemas.HxlTagPage;
        const { required, properties } = allOf[1];
        schemas.HxlTagPage = {
          ...schemas.Page,
          ...rest,
          required: [...new Set([...schemas.Page.required, ...required])],
          properties: { ...schemas.Page.properties, ...properties },
        };
      },
    ],
    [
      'one value as enum or as const, one type alone or in a list',
      ({ components: { schemas } }) => (schemas.Page.properties.order = { type: ['string'], const: 'asc' }),
      ({ components: { schemas } }) => (schemas.Page.properties.order = { type: 'string', enum: ['asc'] }),
    ],
    [
      'a parameter of the path written with each operation',
      ({ paths }) => {
        const { parameters, ...item } = paths['/api/v5/surveys/{id}'];
        for (const operation of Object.values<any>(item))
          operation.parameters = [...parameters, ...(operation.parameters ?? [])];
        paths['/api/v5/surveys/{id}'] = item;
      },
    ],
    ['security of the document that every operation overrides', (document) => void delete document.security],
    [
      'a reference instead of what it refers to',
      ({ paths, components }) => {
        paths['/api/v5/surveys'].get.parameters[0] = components.parameters.Only;
      },
    ],
  ];
  test.for(cases)('%s', async ([, change, earlier], { expect }) => {
    const { code, report } = await diff(copyWith(change, undefined, undefined, earlier));
    expect(report).toContain('**Nothing changes for clients.** 0 breaking changes, 0 additions, 0 texts.');
    expect(code).toBe(0);
  });
});

test('what is compared is what is written, not what was generated from it', async () => {
  const copy = copyWith(unchanged);
  const document = JSON.parse(readFileSync(join(copy, written), 'utf8'));
  delete document.paths['/api/v3/hxl/tags'];
  writeFileSync(join(copy, written), JSON.stringify(document, null, 2));
  const { code, report } = await diff(copy);
  expect(code).toBe(1);
  expect(rows(report, 'Breaking changes')).toEqual([
    ['listHxlTags', '/api/v3/hxl/tags', 'Path `/api/v3/hxl/tags` was removed.', 'Callers get 404: stop calling it.'],
  ]);
  // Nothing is released that is not served.
  document.info.version = '2.0.0';
  writeFileSync(join(copy, written), JSON.stringify(document, null, 2));
  writeFileSync(join(copy, 'CHANGELOG.md'), '## [2.0.0]\n\n- Gone.\n');
  expect((await diff(copy)).code).toBe(0);
  const release = await diff(copy, '--release');
  expect(release.code).toBe(1);
  expect(release.report).toContain(`- ${generated} is stale: run npm run contract.`);
});

test('a contract that cannot be read is refused with the place', async () => {
  const copy = copyWith(unchanged);
  writeFileSync(join(copy, written), readFileSync(join(copy, written), 'utf8').replace('parameters/Only"', 'nowhere"'));
  const { code, report, problems } = await diff(copy);
  expect([code, report]).toEqual([1, '']);
  expect(problems).toContain('nowhere');
  expect(problems).not.toContain('    at ');
});

describe.concurrent('a version', () => {
  const refused: [name: string, change: Change, version: string, lowest: string][] = [
    ['a text', text, '1.0.0', '1.0.1'],
    ['an addition', addition, '1.0.1', '1.1.0'],
    ['a breaking change', breaking, '1.1.0', '2.0.0'],
    ['no change', unchanged, '0.9.0', '1.0.0'],
  ];
  test.for(refused)('for %s may be too low', async ([, change, version, lowest], { expect }) => {
    const { code, report } = await diff(copyWith(change, version));
    expect(code).toBe(1);
    expect(report).toContain('; refused.**');
    expect(report).toContain(`- info.version is ${version} and has to be ${lowest} or above.`);
  });

  test.for([
    ['a text', text, '1.0.1'],
    ['an addition', addition, '1.1.0'],
  ] as const)('for %s may be high enough', async ([, change, version], { expect }) => {
    const { code, report } = await diff(copyWith(change, version));
    expect(report).not.toContain('refused');
    expect(code).toBe(0);
  });

  test('has to be in the changelog, with something to say', async ({ expect }) => {
    for (const changelog of ['## [1.0.0]\n\n- Old.\n', '## [1.1.0]\n\n### Added\n\n## [1.0.0]\n\n- Old.\n']) {
      const { code, report } = await diff(copyWith(addition, '1.1.0', changelog));
      expect(code).toBe(1);
      expect(report).toContain('- CHANGELOG.md needs an entry `## [1.1.0]`');
    }
  });
});

describe.concurrent('a release', () => {
  const contents = (copy: string, file: string) => readFileSync(join(copy, file), 'utf8');

  test('is what is compared with from then on', async ({ expect }) => {
    const copy = copyWith(addition, '1.1.0');
    expect((await diff(copy, '--release')).code).toBe(0);
    expect(contents(copy, released)).toBe(contents(copy, generated));
    expect((await diff(copy)).report).toContain('# Contract 1.1.0, against what is released\n\n**Nothing changes');
  });

  test('is not made of what is refused', async ({ expect }) => {
    const copy = copyWith(breaking, '1.1.0');
    const before = contents(copy, released);
    expect((await diff(copy, '--release', '--replace')).code).toBe(1);
    expect(contents(copy, released)).toBe(before);
  });

  test('may replace one of the same version that nobody has', async ({ expect }) => {
    const copy = copyWith(breaking);
    expect((await diff(copy, '--release')).code).toBe(1);
    expect((await diff(copy, '--release', '--replace')).code).toBe(0);
    expect(contents(copy, released)).toBe(contents(copy, generated));
  });

  test('that is missing does not pass as no change', async ({ expect }) => {
    const copy = copyWith(unchanged);
    rmSync(join(copy, released));
    const { code, report } = await diff(copy);
    expect(code).toBe(1);
    expect(report).toContain(`${released} is missing`);
    expect((await diff(copy, '--release')).code).toBe(0);
    expect(contents(copy, released)).toBe(contents(copy, generated));
  });
});

test('redocly without its rules is noticed', async () => {
  const copy = copyWith(breaking);
  writeFileSync(join(copy, 'redocly.yaml'), 'telemetry: off\n');
  const { code, problems } = await diff(copy);
  expect(code).toBe(1);
  expect(problems).toContain('No diff rules are on');
});
