/** How results are printed: as Markdown, with what they were measured on. */
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { root } from './server.ts';

export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(heading) + line(heading.map((_, at) => (at === 0 ? '---' : '--:'))) + rows.map(line).join('');
}

/** A number of three digits or more, grouped. */
export function number(value: number): string {
  return value < 100 ? value.toFixed(value < 10 ? 2 : 1) : Math.round(value).toLocaleString('en-US');
}

/** The machine, the versions and the date. */
export function circumstances(): string {
  const versions = ['better-sqlite3', 'pg', 'fastify', 'openapi-backend'].map(
    (name) => `${name} ${version(root, name)}`,
  );
  const peers = ['fastify-openapi-glue', 'express', 'express-openapi-validator', 'hono', '@hono/zod-openapi'].map(
    (name) => `${name} ${version(import.meta.dirname, name)}`,
  );
  return [
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} cores of ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}.`,
    `Node.js ${process.versions.node}, ${[...versions, ...peers].join(', ')}.`,
    'Servers on one core, load on the other, keep-alive over loopback; databases on disk, WAL, synchronous=FULL.\n',
  ].join('\n');
}

function version(folder: string, name: string): string {
  return (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
    .version;
}
