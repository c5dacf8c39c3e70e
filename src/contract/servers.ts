/** The paths under which a contract's servers have its operations. */
import type { OpenAPIV3_1 } from 'openapi-types';

/** More paths than this are a mistake. */
const maxPaths = 32;

/**
 * The paths of these servers, each once, without a slash at the end: `''` for `https://example.org`, `/v1` for
 * `https://example.org/v1`. A variable stands for all values of its `enum`, or for its default.
 */
export function basePaths(
  servers: readonly OpenAPIV3_1.ServerObject[] | undefined,
  fault: (detail: string) => void,
): string[] {
  const paths = (servers ?? []).flatMap(({ url, variables = {} }) => {
    let urls = [url];
    for (const [name, { default: fallback, enum: values = [fallback] }] of Object.entries(variables)) {
      if (!url.includes(`{${name}}`)) continue;
      // What stands before the path makes no difference.
      const isInPath = pathOf(url).includes(`{${name}}`);
      urls = urls.flatMap((one) => (isInPath ? values : [fallback]).map((value) => one.replaceAll(`{${name}}`, value)));
      if (urls.length > maxPaths) fault(`${url} stands for more than ${maxPaths} paths`);
    }
    return urls.slice(0, maxPaths).map((one) => {
      const path = pathOf(one).replace(/\/+$/, '');
      if (/[{}*:?#\s]/.test(path)) fault(one);
      return path;
    });
  });
  return paths.length === 0 ? [''] : [...new Set(paths)];
}

/** What comes behind the host. An address without a host is relative to the document, which is at the root. */
function pathOf(url: string): string {
  const path = url.replace(/^[a-z][\w+.-]*:\/\/[^/]*/i, '').replace(/^\.?(?=\/|$)/, '');
  return path === '' || path.startsWith('/') ? path : `/${path}`;
}
