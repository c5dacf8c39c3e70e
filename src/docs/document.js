/** Makes of the contract the document that Redoc shows: with code samples, and with sections that only people need. */

/**
 * @param samples in several languages, for each operation (code-samples.json).
 * @param changelog in Markdown.
 * @param root where the service is, with a slash at the end.
 */
export function documentFor(contract, { samples, changelog, root }) {
  const document = structuredClone(contract);
  const server = document.servers[0].url;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!operation.responses) continue;
      const { operationId, tags = ['default'], description = '' } = operation;
      const tryIt = `${root}docs/try#/${encodeURIComponent(tags[0])}/${operationId}`;
      // On a phone the panel that names them is far below the heading.
      operation.description = `\`${method.toUpperCase()} ${path}\` [Try it](${tryIt})\n\n${description}`;
      operation['x-codeSamples'] = (samples.operations[operationId] ?? []).map((sample) => ({
        ...sample,
        source: sample.source.replaceAll(samples.server, server),
      }));
    }
  }
  const [introduction, ...sections] = document.info.description.split(/^(?=# )/m);
  document.info.description = [
    `${introduction.trimEnd()}\n\n[Try requests in the browser](${root}docs/try), with a token of yours.\n\n`,
    ...sections.slice(0, 1),
    authentication(document),
    ...sections.slice(1),
    `# Changelog\n\n${sectionOf(changelog)}`,
  ]
    .join('\n')
    // Links inside the service, which has a prefix in front of its paths where a proxy adds one.
    .replaceAll('](/', `](${root}`);
  return document;
}

/** Without the title, and with headings that the menu does not list. */
function sectionOf(changelog) {
  return changelog
    .replace(/^# .*\n/, '')
    .replaceAll(/^### (.+)/gm, '**$1**')
    .replaceAll(/^## \[(.+?)\]/gm, '#### $1');
}

function authentication({ components: { securitySchemes = {} } }) {
  const schemes = Object.values(securitySchemes).map(({ description = '' }) => description);
  return `# Authentication\n\n${schemes.join('\n\n')}\n`;
}
