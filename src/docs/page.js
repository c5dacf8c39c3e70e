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

init('/openapi.json', {
  disableTelemetry: true,
  jsonSamplesExpandLevel: 3,
  downloadUrls: [
    { title: 'openapi.yaml', url: '/openapi.yaml' },
    { title: 'openapi.json', url: '/openapi.json' },
  ],
}, document.getElementById('redoc'));
