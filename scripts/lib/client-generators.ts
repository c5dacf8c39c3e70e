/** The client generators that `npm run clients` tries: how to download each one, and its commands. */

/** A language's tools, pinned in its folder below test/clients. Commands are for `sh`, in a copy of that folder. */
export interface Toolchain {
  /** The programs that have to be on the PATH. */
  needs: string[];
  /** The files that name versions. When one changes, everything is downloaded again. */
  pins: string[];
  prepare: string;
}

/**
 * A generator and a program that uses its client. Commands are for `sh`, in a copy of its folder below test/clients, with
 * these variables: DOCUMENT, the published document as a file; TOOLS, the folder of the downloads; API_URL and API_TOKEN.
 */
export interface Generator {
  /** Its folder: the toolchain and a name. */
  folder: `${string}/${string}`;
  title: string;
  language: string;
  /** Where its version is pinned: a file below test/clients, and what stands before the version. */
  version: [file: string, before: string][];
  document: 'openapi.json' | 'openapi.yaml' | 'openapi-3.0.json';
  generate: string;
  compile: string;
  run: string;
  /** What a client developer has to know, with a link where it is a defect. */
  notes?: string;
}

const maven = 'mvn -q -B -ntp';

export const toolchains: Record<string, Toolchain> = {
  rust: {
    needs: ['cargo'],
    pins: [
      'Cargo.toml',
      'Cargo.lock',
      'generate/Cargo.toml',
      'generate/src/main.rs',
      'progenitor/Cargo.toml',
      'openapi-generator/Cargo.toml',
    ],
    prepare: 'cargo build -q --locked -p generate',
  },
  'openapi-generator': { needs: ['java', 'mvn'], pins: ['pom.xml'], prepare: `${maven} dependency:copy` },
  kotlin: {
    needs: ['java', 'mvn'],
    pins: ['jvm-okhttp4/pom.xml'],
    prepare: `${maven} -f jvm-okhttp4/pom.xml dependency:copy-dependencies`,
  },
  go: {
    needs: ['go'],
    pins: ['go.mod', 'go.sum'],
    prepare:
      'go build -o bin/ github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen github.com/ogen-go/ogen/cmd/ogen',
  },
  python: {
    needs: ['python3'],
    pins: ['requirements.txt'],
    prepare:
      'python3 -m venv venv && venv/bin/pip install -q --disable-pip-version-check --no-compile -r requirements.txt',
  },
  java: {
    needs: ['java', 'javac', 'mvn'],
    pins: ['native/pom.xml', 'okhttp-gson/pom.xml'],
    prepare: `for library in native okhttp-gson; do ${maven} -f $library/pom.xml dependency:copy-dependencies || exit; done`,
  },
  // What these clients need comes with the system: Debian has packages of it.
  ruby: { needs: ['ruby'], pins: [], prepare: "ruby -rtyphoeus -rmarcel -e ''" },
  php: { needs: ['php'], pins: [], prepare: `php -r 'require "GuzzleHttp/autoload.php";'` },
  typescript: { needs: ['npm'], pins: ['package.json', 'package-lock.json', '.npmrc'], prepare: 'npm ci --silent' },
};

const openapiGenerator = {
  title: 'openapi-generator',
  version: [['openapi-generator/pom.xml', 'openapi-generator-cli']] satisfies Generator['version'],
  document: 'openapi.json' as const,
};

/** The command that runs openapi-generator. The client goes into the folder client. */
const generate = (generator: string, ...options: string[]) =>
  `java -jar "$TOOLS/openapi-generator/openapi-generator-cli.jar" generate -i "$DOCUMENT" -g ${generator} -o client --additional-properties=${options.join()}`;

const issue = (repository: string, number: number) => `[#${number}](https://github.com/${repository}/issues/${number})`;

const decimals = 'Numbers in free-form values are read as decimals.';
const emptyLists = `\`containerDefaultToNull=true\`, because lists that are left out are sent empty otherwise, which in an update deletes (${issue('OpenAPITools/openapi-generator', 18482)}).`;

const java = (library: string, lint: string, ...options: string[]) => ({
  ...openapiGenerator,
  folder: `java/${library}` as const,
  title: `openapi-generator java, ${library}`,
  language: 'Java',
  generate: generate(
    'java',
    `library=${library}`,
    'invokerPackage=client,apiPackage=client.api,modelPackage=client.model',
    'useJakartaEe=true',
    'containerDefaultToNull=true',
    ...options,
  ),
  compile: `javac --release 17 -Xlint:all,${lint} -Werror -cp "$TOOLS/java/${library}/lib/*" -d classes RoundTrip.java $(find client/src/main -name '*.java')`,
  run: `java -cp "classes:$TOOLS/java/${library}/lib/*" RoundTrip`,
});

const rust = (name: string) => ({
  folder: `rust/${name}` as const,
  language: 'Rust',
  compile: `cargo build -q --locked -p ${name}-round-trip`,
  run: `"$CARGO_TARGET_DIR/debug/${name}-round-trip"`,
});

const typescript = {
  language: 'TypeScript',
  document: 'openapi.json' as const,
  compile: 'tsc -p .',
  run: 'node js/*/roundtrip.js',
};

/** In the order in which they are started: the slowest ones first. */
export const generators: Generator[] = [
  {
    ...rust('progenitor'),
    title: 'progenitor',
    version: [['rust/generate/Cargo.toml', 'progenitor']],
    document: 'openapi-3.0.json',
    generate: '"$CARGO_TARGET_DIR/debug/generate" "$DOCUMENT" client.rs',
    notes: `Reads OpenAPI 3.0 only (${issue('oxidecomputer/progenitor', 762)}).`,
  },
  {
    ...openapiGenerator,
    ...rust('openapi-generator'),
    title: 'openapi-generator rust',
    generate: generate('rust', 'avoidBoxedModels=true'),
    notes:
      'The typed error is the first of its alternatives, whatever the status is; the text of the body is beside it. Response headers, `ETag` among them, cannot be read.',
  },
  {
    ...openapiGenerator,
    folder: 'kotlin/jvm-okhttp4',
    title: 'openapi-generator kotlin, jvm-okhttp4',
    language: 'Kotlin',
    generate: generate(
      'kotlin',
      'library=jvm-okhttp4',
      'packageName=client',
      'serializationLibrary=gson',
      'generateOneOfAnyOfWrappers=true',
      'enumPropertyNaming=UPPERCASE',
    ),
    compile: `java -cp "$TOOLS/kotlin/jvm-okhttp4/lib/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -jvm-target 17 \
      -Werror -Xwarning-level=USELESS_ELVIS:disabled -cp "$(printf '%s:' "$TOOLS"/kotlin/jvm-okhttp4/lib/*.jar)" -d classes RoundTrip.kt client/src/main/kotlin`,
    run: 'java -cp "classes:$TOOLS/kotlin/jvm-okhttp4/lib/*" roundtrip.RoundTripKt',
    notes: `\`enumPropertyNaming=UPPERCASE\`, because a constant \`name\` stops the compiler (${issue('OpenAPITools/openapi-generator', 12646)}). ${decimals}`,
  },
  {
    folder: 'go/ogen',
    title: 'ogen',
    language: 'Go',
    version: [['go/go.mod', 'ogen-go/ogen v']],
    document: 'openapi-3.0.json',
    generate: '"$TOOLS/go/bin/ogen" --config config.yml --target api --clean --package api "$DOCUMENT"',
    compile: 'go vet ./... && go build -o client .',
    run: './client',
    notes: `Reads no lists of types, so OpenAPI 3.0 only (${issue('ogen-go/ogen', 1617)}).`,
  },
  {
    folder: 'go/oapi-codegen',
    title: 'oapi-codegen',
    language: 'Go',
    version: [['go/go.mod', 'oapi-codegen/v2 v']],
    document: 'openapi.json',
    generate: 'mkdir -p api && "$TOOLS/go/bin/oapi-codegen" --config config.yaml "$DOCUMENT"',
    compile: 'go vet ./... && go build -o client .',
    run: './client',
    notes: '`nullable-type: true`, because otherwise null cannot be sent.',
  },
  { ...java('native', '-serial,-deprecation'), notes: emptyLists },
  {
    ...java('okhttp-gson', '-rawtypes,-static', 'errorObjectType=client.model.ErrorBody'),
    notes: `${emptyLists} ${decimals}`,
  },
  {
    ...openapiGenerator,
    folder: 'python/openapi-generator',
    title: 'openapi-generator python',
    language: 'Python',
    generate: generate('python'),
    compile:
      'mypy client/openapi_client && MYPYPATH=client mypy --strict --implicit-reexport --follow-imports silent round_trip.py',
    run: 'PYTHONPATH=client python round_trip.py',
  },
  {
    folder: 'python/openapi-python-client',
    title: 'openapi-python-client',
    language: 'Python',
    version: [['python/requirements.txt', 'openapi-python-client']],
    document: 'openapi.json',
    generate: 'openapi-python-client generate --path "$DOCUMENT" --meta none --output-path client',
    compile: 'mypy --strict .',
    run: 'python round_trip.py',
    notes: 'With ruff 0.14, because 0.17 rewrites the client so that mypy refuses it.',
  },
  {
    ...openapiGenerator,
    folder: 'ruby/openapi-generator',
    title: 'openapi-generator ruby',
    language: 'Ruby',
    generate: generate('ruby', 'gemName=survey_client', 'moduleName=SurveyClient'),
    compile: "find client/lib -name '*.rb' -exec ruby -c '{}' + >/dev/null && ruby -Iclient/lib -rsurvey_client -e ''",
    run: 'ruby -Iclient/lib round_trip.rb',
    notes: 'The error has the text of the body, which `ErrorBody.build_from_hash` reads.',
  },
  {
    ...openapiGenerator,
    folder: 'php/openapi-generator',
    title: 'openapi-generator php',
    language: 'PHP',
    generate: generate('php', 'invokerPackage=SurveyClient', 'variableNamingConvention=snake_case'),
    compile: "find client/lib round_trip.php -name '*.php' -print0 | xargs -0 -n 1 php -l >/dev/null",
    run: 'php round_trip.php',
    notes:
      'Knows no alternatives (`oneOf`), so identifiers of tasks and fields cannot be sent back, and texts beside the languages of translations cannot be read.',
  },
  {
    ...typescript,
    folder: 'typescript/openapi-fetch',
    title: 'openapi-typescript + openapi-fetch',
    version: [
      ['typescript/package.json', '"openapi-typescript"'],
      ['typescript/package.json', '"openapi-fetch"'],
    ],
    generate: 'openapi-typescript "$DOCUMENT" -o api.d.ts',
  },
  {
    ...openapiGenerator,
    ...typescript,
    folder: 'typescript/openapi-generator',
    title: 'openapi-generator typescript-fetch',
    generate: generate(
      'typescript-fetch',
      'importFileExtension=.js',
      'modelPropertyNaming=original',
      'paramNaming=original',
    ),
    notes: `Without \`exactOptionalPropertyTypes\`, as typescript-axios (${issue('OpenAPITools/openapi-generator', 22153)}).`,
  },
  {
    ...typescript,
    folder: 'typescript/redocly',
    title: 'redocly generate-client',
    version: [['../../package.json', '"@redocly/cli"']],
    generate: 'redocly generate-client "$DOCUMENT" -o client.ts --error-mode result',
  },
  {
    ...typescript,
    folder: 'typescript/hey-api',
    title: '@hey-api/openapi-ts',
    version: [['typescript/package.json', '"@hey-api/openapi-ts"']],
    generate: 'openapi-ts',
    notes: `Without \`exactOptionalPropertyTypes\` (${issue('hey-api/hey-api', 2363)}).`,
  },
  {
    ...typescript,
    folder: 'typescript/swagger-typescript-api',
    title: 'swagger-typescript-api',
    version: [['typescript/package.json', '"swagger-typescript-api"']],
    generate:
      'swagger-typescript-api generate -p "$DOCUMENT" -o . -n client.ts --disable-throw-on-error --generate-union-enums --module-name-first-tag',
    notes:
      '`--generate-union-enums`, because otherwise the values of an enumeration cannot be written as text. `If-Match` goes into the options of the request.',
  },
  {
    ...typescript,
    folder: 'typescript/orval',
    title: 'orval',
    version: [['typescript/package.json', '"orval"']],
    generate: 'orval',
    notes: '`If-Match` goes into the options of the request.',
  },
];
