/** nginx in front of the service, below a path of its own: NGINX_PATH, or /usr/sbin/nginx. With CI=true it has to be there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { reasonToSkip } from './needs.ts';

const program = process.env.NGINX_PATH ?? '/usr/sbin/nginx';

/** Why there is no nginx; undefined when there is one. */
export const noNginx = reasonToSkip(
  existsSync(program) ? undefined : `there is no nginx at ${program}: apt-get install nginx, or set NGINX_PATH`,
);

/**
 * Passes requests below a prefix on to the service, without the prefix, and knows nothing else.
 *
 * @returns a function that ends it.
 */
export async function startNginx(port: number, prefix: string, service: string): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
    master_process off;
    pid nginx.pid;
    events {}
    http {
      access_log off;
      ${temporary.join(' ')}
      server {
        listen 127.0.0.1:${port};
        location ${prefix}/ {
          proxy_pass ${service}/;
          proxy_set_header Host $http_host;
        }
      }
    }`,
  );
  const parameters = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const server = spawn(program, parameters, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(server, 'exit');
  let problems = '';
  server.stderr.on('data', (text) => {
    problems += text;
  });
  const accepts = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  while (!(await accepts())) {
    if (server.exitCode !== null) throw new Error(`nginx did not start:\n${problems}`);
    await wait(50);
  }
  return async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  };
}
