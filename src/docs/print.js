/** Appends to the page what Redoc shows one at a time, every response, schema and example: for paper only (page.css). */

let contract;
const resolve = (node) =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((place, name) => place[name], contract)
    : node;
const plain = (markdown = '') => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');

function element(tag, ...content) {
  const made = document.createElement(tag);
  made.append(...content);
  return made;
}

/** Each example once, by its text; operations refer to them by number. */
const numbered = new Map();

function line(title, { description, content = {} }) {
  const numbers = Object.values(content).flatMap(({ example, examples = { example: { value: example } } }) =>
    Object.values(examples)
      .map(resolve)
      .filter(({ value }) => value !== undefined)
      .map(({ summary = '', value }) => {
        const text = JSON.stringify(value, null, 2);
        if (!numbered.has(text)) numbered.set(text, { number: numbered.size + 1, summary });
        return numbered.get(text).number;
      }),
  );
  return element(
    'li',
    element('b', title),
    ` ${plain(description)}`,
    numbers.length > 0 ? ` Examples: ${numbers.join(', ')}.` : '',
  );
}

/** The type of a value in a few words, such as `list of Task`. */
function kind({ $ref, type = [], format, items, enum: values, oneOf, additionalProperties: others }) {
  if ($ref) return $ref.split('/').at(-1);
  if (oneOf) return oneOf.map(kind).join(' or ');
  if (values) return values.map((value) => JSON.stringify(value)).join(', ');
  if (items) return `list of ${kind(items)}`;
  const text = [type].flat().join(' or ') || 'anything';
  return others?.type || others?.$ref || others?.oneOf
    ? `${text} of ${kind(others)}`
    : format
      ? `${text} (${format})`
      : text;
}

/** The members of a schema with properties, one line each; other schemas are their description. */
function members({ required = [], properties = {}, allOf = [] }) {
  return [
    ...Object.entries(properties).map(([name, schema]) =>
      element(
        'li',
        element('b', name),
        ` ${kind(schema)}${required.includes(name) ? ', required' : ''}. ${plain(resolve(schema).description)}`,
      ),
    ),
    ...allOf.flatMap((part) => (part.$ref ? [element('li', `all of ${kind(part)}`)] : members(part))),
  ];
}

/** Makes the appendix of a contract, whose responses are those of the service. */
export function appendix(published) {
  contract = published;
  const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => responses)
      .flatMap(([method, { summary, requestBody, responses }]) => [
        element('h3', summary, ' ', element('code', `${method.toUpperCase()} ${path}`)),
        element(
          'ul',
          ...(requestBody ? [line('Request', resolve(requestBody))] : []),
          ...Object.entries(responses).map(([status, response]) => line(status, resolve(response))),
        ),
      ]),
  );

  const schemas = Object.entries(contract.components.schemas)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([name, schema]) => [
      element('h3', name),
      element('p', plain(schema.description)),
      element('ul', ...members(schema)),
    ]);

  document.body.append(
    element(
      'section',
      element('h2', 'Appendix: every response'),
      ...operations,
      element('h2', 'Appendix: every schema'),
      ...schemas,
      element('h2', 'Appendix: every example'),
      ...[...numbered].flatMap(([text, { number, summary }]) => [
        element('h3', `${number}. ${summary}`),
        element('pre', text),
      ]),
    ),
  );
}
