/** Shows the published contract with Redoc; runs in the browser. A proxy may have added a prefix to every path. */
import { documentFor } from './document.js';
import { appendix } from './print.js';
import { init } from './redoc.js';
import { leadToErrorCodes } from './search.js';

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

// The picture of Redoc's badge is beside this page, which may have been asked for with a slash at its end.
if (location.pathname.endsWith('/')) history.replaceState(null, '', location.href.replace(/\/(?=[?#]|$)/, ''));

/** Where the service is, as this browser reaches it, with a slash at the end. */
const root = new URL('..', import.meta.url).href;
const load = async (path) => await fetch(root + path);
const [contract, samples, changelog] = await Promise.all([
  load('openapi.json').then((response) => response.json()),
  load('docs/code-samples.json').then((response) => response.json()),
  load('docs/changelog.md').then((response) => response.text()),
]);

init(
  documentFor(contract, { samples, changelog, root }),
  {
    disableTelemetry: true,
    jsonSamplesExpandLevel: 3,
    hidePropertiesPrefix: true, // results[].tasks[].fields[]. before each member is too long for a phone
    downloadUrls: ['openapi.yaml', 'openapi.json', 'openapi-3.0.json'].map((title) => ({ title, url: root + title })),
  },
  document.getElementById('redoc'),
);
leadToErrorCodes();
appendix(contract);
