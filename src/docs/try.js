/** Sends requests to the service that this page comes from, with Swagger UI; runs in the browser. */

// Where the service is, as this browser reaches it: PUBLIC_URL may be another address, to which the page may send nothing.
const root = new URL('..', import.meta.url).href.replace(/\/$/, '');
const contract = await (await fetch(`${root}/openapi.json`)).json();

/** The parameters of an operation, its own and those of its path, each in full. */
const parametersOf = (operation, item) =>
  [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(({ $ref, ...parameter }) =>
    structuredClone($ref ? contract.components.parameters[$ref.split('/').at(-1)] : parameter),
  );

for (const item of Object.values(contract.paths)) {
  for (const operation of Object.values(item)) {
    if (!operation.responses) continue;
    operation.parameters = parametersOf(operation, item);
    for (const parameter of operation.parameters) {
      if (parameter.required) continue;
      // Swagger UI fills in every example. All filters, cursors and conditions at once are no request that anybody wants.
      delete parameter.example;
      delete parameter.examples;
      delete parameter.schema?.examples;
    }
  }
  // Swagger UI shows those that are references as nothing.
  delete item.parameters;
}

// Swagger UI has a dark mode, but does not ask whether it is wanted.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

window.SwaggerUIBundle({
  spec: {
    ...contract,
    servers: [{ url: root }],
    // The documentation has all of it.
    tags: contract.tags.map(({ name }) => ({ name })),
    info: { ...contract.info, description: `Requests go to ${root}, with the token that you give to **Authorize**.` },
  },
  dom_id: '#try',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false, // a token is in the memory of the page, and nowhere else
  validatorUrl: null, // it would be a service on the internet
});
