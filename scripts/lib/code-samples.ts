/** Makes a request in several languages for each operation, from the examples of the contract. The page /docs shows them. */
import { HTTPSnippet } from '@readme/httpsnippet';
import { type Json, operationsOf, resolve } from './document.ts';

/** One tab of samples on the page, as `x-codeSamples` has it. */
export interface Sample {
  lang: string;
  label: string;
  source: string;
}

export interface CodeSamples {
  /** The address in all samples, for which the page writes the one of its service. */
  server: string;
  /** By operationId. */
  operations: Record<string, Sample[]>;
}

/** The token is taken from the environment, in the words of each language. HTTPSnippet knows texts only. */
const token = 'Bearer $TOKEN';
type Language = [label: string, lang: string, target: 'shell' | 'node' | 'python', edit: (source: string) => string];
const languages: Language[] = [
  ['curl', 'shell', 'shell', (source) => source.replace(`'Authorization: ${token}'`, `"Authorization: ${token}"`)],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample that has a template
  ['JavaScript', 'javascript', 'node', (source) => source.replace(`'${token}'`, '`Bearer ${process.env.TOKEN}`')],
  [
    'Python',
    'python',
    'python',
    (source) => `import os\n${source.replace(`"${token}"`, 'f"Bearer {os.environ[\'TOKEN\']}"')}`,
  ],
];

/** A sample in each language for each operation of a bundled contract. */
export function codeSamples(document: Json): CodeSamples {
  const server: string = document.servers[0].url;
  const operations = operationsOf(document).map(({ path, method, operation, item }) => {
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) =>
      resolve(document, one),
    );
    const snippet = new HTTPSnippet({
      method: method.toUpperCase(),
      url: server + path.replaceAll(/\{(.+?)\}/g, (_, name) => encodeURIComponent(textOf(document, parameters, name))),
      headers: headersOf(document, operation, parameters),
      queryString: required(document, parameters, 'query'),
      ...bodyOf(document, resolve(document, operation.requestBody)),
    } as ConstructorParameters<typeof HTTPSnippet>[0]);
    const samples = languages.map(([label, lang, target, edit]): Sample => {
      const converted = snippet.convert(target, { shell: 'curl', node: 'fetch', python: 'requests' }[target]);
      const [source] = [converted].flat();
      if (!source) throw new Error(`HTTPSnippet has no ${label} for ${operation.operationId}.`);
      return { lang, label, source: edit(source) };
    });
    return [operation.operationId, samples];
  });
  return { server, operations: Object.fromEntries(operations) };
}

function headersOf(document: Json, operation: Json, parameters: Json[]) {
  const schemes = (operation.security ?? document.security ?? []).flatMap(Object.keys);
  const isBearer = schemes.some((name: string) => {
    const { type, scheme } = resolve(document, document.components.securitySchemes[name]);
    return type === 'oauth2' || type === 'openIdConnect' || scheme === 'bearer';
  });
  const [mediaType] = Object.keys(resolve(document, operation.requestBody)?.content ?? {});
  return [
    ...(isBearer ? [{ name: 'Authorization', value: token }] : []),
    ...(mediaType ? [{ name: 'Content-Type', value: mediaType }] : []),
    ...required(document, parameters, 'header'),
  ];
}

/** The parameters of one place without which there is no response. */
function required(document: Json, parameters: Json[], place: string): { name: string; value: string }[] {
  return parameters
    .filter((parameter) => parameter.in === place && parameter.required)
    .map(({ name }) => ({ name, value: textOf(document, parameters, name) }));
}

/** The first of several examples is the one that the page shows first. */
function bodyOf(document: Json, body: Json): { postData?: { mimeType: string; text: string } } {
  const [[mimeType, media] = []] = Object.entries<Json>(body?.content ?? {});
  if (mimeType === undefined) return {};
  const [value = ''] = examplesOf(document, media);
  return { postData: { mimeType, text: typeof value === 'string' ? value : JSON.stringify(value) } };
}

function textOf(document: Json, parameters: Json[], name: string): string {
  const parameter = parameters.find((one) => one.name === name);
  return String(examplesOf(document, parameter)[0] ?? name);
}

/** The linter wants an example for each parameter and each media type. */
function examplesOf(document: Json, { example, examples = {} }: Json): unknown[] {
  if (example !== undefined) return [example];
  return Object.values(examples).map((one) => resolve(document, one).value);
}
