/** Shows the published contract with Redoc; runs in the browser. */
import { init } from '/docs/redoc.js';

// Redoc draws a section when it is scrolled into view. Saying that every section is in view lets the
// browser's search find the whole contract, and its print contain it.
window.IntersectionObserver = class {
  constructor(callback) {
    this.observe = (target) => queueMicrotask(() => callback([{ target, isIntersecting: true }], this));
  }
  unobserve() {}
  disconnect() {}
};

// Redoc's search looks for workers, which it would make with eval; without them it does the same here.
delete window.Worker;

init(
  '/openapi.json',
  {
    disableTelemetry: true,
    jsonSamplesExpandLevel: 3,
    hidePropertiesPrefix: true, // results[].tasks[].fields[]. before each member is too long for a phone
    downloadUrls: [
      { title: 'openapi.yaml', url: '/openapi.yaml' },
      { title: 'openapi.json', url: '/openapi.json' },
      { title: 'openapi-3.0.json', url: '/openapi-3.0.json' },
    ],
  },
  document.getElementById('redoc'),
);

// Redoc shows one response, one example and the outer members at a time. On paper, and only there (page.css), an
// appendix has them all.
const contract = await (await fetch('/openapi.json')).json();
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
