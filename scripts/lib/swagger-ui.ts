/** Takes the script and the styles of the page /docs/try from the package swagger-ui-dist, which has them ready for browsers. */
import { readFileSync } from 'node:fs';

/** By the name of the file. Source maps are left out: the browser would look for them. */
export function swaggerUi(): Record<'swagger-ui.js' | 'swagger-ui.css', string> {
  const { version } = JSON.parse(packageFile('package.json')) as { version: string };
  const licences = packageFile('swagger-ui-bundle.js.LICENSE.txt').trimEnd();
  const notice = `/*! From swagger-ui-dist ${version} (Apache-2.0, https://swagger.io/tools/swagger-ui/). Do not edit. */`;
  const withoutMap = (text: string) => text.replace(/\n?(\/\/|\/\*)# sourceMappingURL=.*/, '').trimEnd();
  return {
    'swagger-ui.js': `${notice}\n${licences}\n${withoutMap(packageFile('swagger-ui-bundle.js'))}\n`,
    'swagger-ui.css': `${notice}\n${withoutMap(packageFile('swagger-ui.css'))}\n`,
  };
}

function packageFile(path: string): string {
  return readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${path}`)), 'utf8');
}
